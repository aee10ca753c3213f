"""Episodes of Coworlds on request: one at a time for rounds and new versions, many at once for users.

- `creation`: queue episodes; the only way to do it
- `roster`, `service`: experience requests: choose who plays, create, cancel
- `following`: copy what became of a job to its episode request
- `repository`: every query, and who may see a row
- `access`, `files`, `bundles`, `downloads`: the files of an episode, and who may have them
- `changes`: the feed of changes
- `wire`: rows as response models
"""
