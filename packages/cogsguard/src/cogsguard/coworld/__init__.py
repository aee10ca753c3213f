"""Cogs vs Clips as a Coworld.

    python -m cogsguard.coworld                       the game program: one episode, or a replay
    python -m cogsguard.coworld.player --policy NAME  a player: any mettagrid policy in one slot
    python -m cogsguard.coworld.manifest              the manifest, for any number of slots

`docs/` describes the messages that the programs receive and send; the manifest contains these documents too.
"""
