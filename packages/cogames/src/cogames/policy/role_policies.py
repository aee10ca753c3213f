"""Policies in which all cogs have the same role."""

from typing import ClassVar

from cogames.policy.starter_agent import BaseStarterPolicy

__all__ = ["AlignerRolePolicy", "MinerRolePolicy", "ScoutRolePolicy", "ScramblerRolePolicy"]


class MinerRolePolicy(BaseStarterPolicy):
    """All cogs bring elements to the hub."""

    short_names: ClassVar[list[str] | None] = ["miner"]
    _role = "miner"


class ScoutRolePolicy(BaseStarterPolicy):
    """All cogs explore the map."""

    short_names: ClassVar[list[str] | None] = ["scout"]
    _role = "scout"


class AlignerRolePolicy(BaseStarterPolicy):
    """All cogs capture junctions."""

    short_names: ClassVar[list[str] | None] = ["aligner"]
    _role = "aligner"


class ScramblerRolePolicy(BaseStarterPolicy):
    """All cogs take junctions away from the enemy."""

    short_names: ClassVar[list[str] | None] = ["scrambler"]
    _role = "scrambler"
