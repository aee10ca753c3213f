"""Episodes on request, for users: ask for them, follow them, read what they left.

- `roster`, `service`: create and cancel experience requests
- `repository`: every query, and who may see a row
- `access`, `files`, `bundles`, `downloads`: the files of an episode, and who may have them
- `changes`: the feed of changes
- `wire`: rows as response models
"""
