"""Stag hunt: hunt rabbits alone or beasts together; the hunters next to a beast share it."""

from bitworld.games.stag_hunt.game import StagHunt

__all__ = ["StagHunt"]
