"""Rosters: which role each cog of a team plays, in the order of their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["ROLES", "SMART", "numbers", "opening", "roster_of_counts", "roster_of_names"]

ROLES = ("miner", "aligner", "scrambler", "scout")  # as the native planner numbers them
SMART = "gear"
"""the role of a cog whose role the planner chooses, and changes when the team needs it"""

_ORDER = ("scrambler", "aligner", "miner", "scout", SMART)  # in which counts are given out


def roster_of_counts(counts: Mapping[str, int]) -> list[str]:
    """Return the roster with so many cogs of each role: scramblers first, then aligners, miners, scouts and `gear`."""
    return [role for role in _ORDER for _ in range(counts.get(role, 0))]


def roster_of_names(option: str, names: Iterable[str]) -> list[str]:
    """Return the names as a roster; raise ValueError with the name of the option for an unknown role."""
    roster = [name.strip().lower() for name in names if name.strip()]
    for name in roster:
        if name not in (*ROLES, SMART):
            raise ValueError(f"{option} has the role {name!r}; roles are {', '.join((*ROLES, SMART))}")
    return roster


def opening(agents: int) -> dict[str, list[str]]:
    """Return the trait `opening` for games whose number of agents asks for other first roles than the planner's."""
    return {"opening": ["aligner", "miner", "aligner"]} if agents < 4 else {}


def numbers(roster: Iterable[str]) -> list[int]:
    """Return the roster as the native planner reads it."""
    return [ROLES.index(role) if role in ROLES else len(ROLES) for role in roster]
