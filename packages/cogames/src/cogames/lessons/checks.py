"""Parts that goals are made of: how far the player is, what to point at, whether it can still be done.

All are pure functions of the view of now and, mostly, that of the goal's start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from cogames.lessons.lesson import Highlight
from cogames.lessons.rules import Rules
from cogames.lessons.view import Cell, LessonView, Thing
from cogsguard.names import ELEMENTS

__all__ = [
    "ALIGNED",
    "MOVED",
    "SCRAMBLED",
    "all_of",
    "cannot_act",
    "cannot_equip",
    "cannot_pay",
    "deposits",
    "did",
    "has_gear",
    "is_at",
    "is_beside",
    "mark",
    "no_heart_left",
    "point",
    "thing_at",
    "with_gear",
    "yes",
]

Progress = Callable[[LessonView, LessonView], float]
Pointer = Callable[[LessonView, LessonView], Highlight]
Lost = Callable[[LessonView], str | None]

MOVED, ALIGNED, SCRAMBLED = "action.move.success", "junction.aligned_by_agent", "junction.scrambled_by_agent"
NEARLY = 0.99


# How far the player is.


def yes(is_done: bool) -> float:
    return 1.0 if is_done else 0.0


def all_of(parts: Iterable[float]) -> float:
    """The mean of several progresses: 1 only when each is 1."""
    values = [min(max(part, 0.0), 1.0) for part in parts]
    return 1.0 if all(value >= 1 for value in values) else min(sum(values) / len(values), NEARLY)


def did(stat: str, times: float = 1) -> Progress:
    """The player has done something so often since the goal began."""
    return lambda now, start: (now.deed(stat) - start.deed(stat)) / times


def is_at(cell: Cell) -> Progress:
    """The player's cog stands on a cell."""

    def progress(now: LessonView, start: LessonView) -> float:
        way = _steps(start.cog.cell, cell)
        return 1.0 if now.cog.cell == cell else min(1 - _steps(now.cog.cell, cell) / max(way, 1), NEARLY)

    return progress


def has_gear(gear: str) -> Progress:
    """The player's cog holds gear that it has taken since the goal began."""
    return lambda now, start: yes(now.cog.has(gear) > 0 and did(f"{gear}.gained")(now, start) >= 1)


def deposits(now: LessonView, start: LessonView) -> dict[str, float]:
    """What has been brought to the hub since the goal began, by element."""
    return {element: now.deposited(element) - start.deposited(element) for element in ELEMENTS}


def is_beside(cell: Cell, thing: Thing) -> bool:
    return _steps(cell, thing.cell) == 1


def _steps(one: Cell, other: Cell) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


# What to point at.


def mark(*cells: Cell) -> Pointer:
    return lambda now, start: Highlight(cells=cells)


def point(*kinds: str) -> Pointer:
    """At everything of some kinds."""
    return lambda now, start: Highlight(objects=tuple(thing.id for kind in kinds for thing in now.of_kind(kind)))


def thing_at(cell: Cell) -> Pointer:
    return lambda now, start: Highlight(objects=(now.at(cell).id,))


def with_gear(gear: str, then: Pointer, *, heart: bool = True) -> Pointer:
    """First at the station, then at the hub for a heart, then at what the cog is to do with them."""

    def pointer(now: LessonView, start: LessonView) -> Highlight:
        if not now.cog.has(gear):
            return point(gear)(now, start)
        if heart and not now.cog.has("heart"):
            return point("hub")(now, start)
        return then(now, start)

    return pointer


# Whether it can still be done.


def cannot_pay(cost: Mapping[str, int]) -> Lost:
    """Too little of an element is left anywhere."""

    def lost(now: LessonView) -> str | None:
        short = next((element for element, amount in cost.items() if now.supply(element) < amount), None)
        return None if short is None else f"There is not enough {short} left on this map."

    return lost


def cannot_equip(rules: Rules, gear: str) -> Lost:
    """No cog has that gear, and the team cannot get it any more."""
    unpaid = cannot_pay(rules.gear_cost[gear])
    return lambda now: None if any(cog.has(gear) for cog in now.cogs) else unpaid(now)


def no_heart_left(rules: Rules) -> Lost:
    """Neither the cogs nor the hub have a heart, and none can be made."""

    def lost(now: LessonView) -> str | None:
        if any(thing.has("heart") for thing in (now.hub, *now.cogs)):
            return None
        return cannot_pay(dict.fromkeys(ELEMENTS, rules.heart_cost))(now)

    return lost


def cannot_act(rules: Rules, gear: str) -> Lost:
    """A junction cannot be aligned, or scrambled, for want of the gear or of a heart."""
    unarmed, heartless = cannot_equip(rules, gear), no_heart_left(rules)
    return lambda now: unarmed(now) or heartless(now)
