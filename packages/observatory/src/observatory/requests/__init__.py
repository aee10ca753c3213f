"""Episodes of Coworlds on request, for users, new versions of games and rounds of leagues.

- `creation`: queue episodes; the only way to do it
- `transitions`: the states of an episode and of the request it belongs to
- `following`: copy what became of a job to its episode

`observatory.experience` is what users do with them.
"""
