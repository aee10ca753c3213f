"""Cogs vs Clips as a Coworld.

    python -m cogsguard.coworld                       the game program: one episode, or a replay
    python -m cogsguard.coworld.player --policy NAME  a player: any mettagrid policy in one slot
    python -m cogsguard.coworld.manifest              the manifest, for any number of slots

What the programs are told and what they answer is in `docs/`, which the manifest holds too.
"""
