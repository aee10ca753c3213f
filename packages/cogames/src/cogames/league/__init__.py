"""The games of the engine mettagrid for the server of the league.

The server finds `game:GAME` through the entry point group `observatory.games` and asks it for environments, checks,
metrics and episodes; it imports neither this package nor the engine. `observatory.games` documents the interface.
"""
