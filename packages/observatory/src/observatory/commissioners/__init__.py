"""Container commissioners: programs of game authors that run leagues over a websocket.

- `programs`: which program is the commissioner of a league, and its private configuration
- `facts`: rows as the parts of messages
- `runs`: conversations, their messages and jobs
- `migrating`, `scheduling`, `playing`, `reviewing`: the four phases
- `episodes`: the episodes of a round
- `members`, `results`: what a commissioner decided becomes rows
- `conversation`: what workers bring and fetch
- `loop`: starts conversations that are due

A worker runs the program and passes messages on; it decides nothing. Every message is stored. A conversation survives
its program: after a crash another program gets the opening message again, with the episodes completed so far.
"""
