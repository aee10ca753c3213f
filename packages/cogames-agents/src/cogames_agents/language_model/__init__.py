"""A player that asks a language model what each cog should do.

    cogames play -m arena -p "metta://policy/language_model?url=http://127.0.0.1:8080&model=NAME"

The model chooses a strategy mode and a skill (`cogames.sdk.cogsguard`); the starter policy's wishes carry them out.
Requests run in background threads, so a slow model never delays a step.

| module | contents |
|---|---|
| `policy` | the policy and its agents |
| `settings` | the parameters of the URI |
| `situation` | the summary of a cog's situation for the prompt |
| `skills` | carry out a directive with the starter's wishes |
| `requests` | background threads; `client` sends one request, `wire` has the two protocols |
| `budget`, `replies` | the token and money budget; the cache of replies |
"""
