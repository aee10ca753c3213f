"""Building blocks of goals: progress of the player, what to highlight, whether the goal can still be reached.

All are pure functions of the current view and, mostly, of the view at the goal's start.
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


# Progress of the player.


def yes(is_done: bool) -> float:
    return 1.0 if is_done else 0.0


def all_of(parts: Iterable[float]) -> float:
    """Return the mean of several progress values; 1 only if each is 1."""
    values = [min(max(part, 0.0), 1.0) for part in parts]
    return 1.0 if all(value >= 1 for value in values) else min(sum(values) / len(values), NEARLY)


def did(stat: str, times: float = 1) -> Progress:
    """Return progress towards doing something `times` times since the goal began."""
    return lambda now, start: (now.deed(stat) - start.deed(stat)) / times


def is_at(cell: Cell) -> Progress:
    """Return progress of the player's cog towards a cell."""

    def progress(now: LessonView, start: LessonView) -> float:
        way = _steps(start.cog.cell, cell)
        return 1.0 if now.cog.cell == cell else min(1 - _steps(now.cog.cell, cell) / max(way, 1), NEARLY)

    return progress


def has_gear(gear: str) -> Progress:
    """Return progress that is 1 once the player's cog holds gear taken since the goal began."""
    return lambda now, start: yes(now.cog.has(gear) > 0 and did(f"{gear}.gained")(now, start) >= 1)


def deposits(now: LessonView, start: LessonView) -> dict[str, float]:
    """Return the amount of each element deposited in the hub since the goal began."""
    return {element: now.deposited(element) - start.deposited(element) for element in ELEMENTS}


def is_beside(cell: Cell, thing: Thing) -> bool:
    return _steps(cell, thing.cell) == 1


def _steps(start: Cell, end: Cell) -> int:
    return abs(start[0] - end[0]) + abs(start[1] - end[1])


# What to highlight.


def mark(*cells: Cell) -> Pointer:
    return lambda now, start: Highlight(cells=cells)


def point(*kinds: str) -> Pointer:
    """Highlight all objects of these kinds."""
    return lambda now, start: Highlight(objects=tuple(thing.id for kind in kinds for thing in now.of_kind(kind)))


def thing_at(cell: Cell) -> Pointer:
    return lambda now, start: Highlight(objects=(now.at(cell).id,))


def with_gear(gear: str, then: Pointer, *, heart: bool = True) -> Pointer:
    """Highlight the station until the cog has the gear, then the hub until it has a heart, then what `then` returns."""

    def pointer(now: LessonView, start: LessonView) -> Highlight:
        if not now.cog.has(gear):
            return point(gear)(now, start)
        if heart and not now.cog.has("heart"):
            return point("hub")(now, start)
        return then(now, start)

    return pointer


# Whether the goal can still be reached.


def cannot_pay(cost: Mapping[str, int]) -> Lost:
    """Lose the goal once the map has too little of an element for the cost."""

    def lost(now: LessonView) -> str | None:
        short = next((element for element, amount in cost.items() if now.supply(element) < amount), None)
        return None if short is None else f"There is not enough {short} left on this map."

    return lost


def cannot_equip(rules: Rules, gear: str) -> Lost:
    """Lose the goal once no cog has the gear and the team can no longer pay for it."""
    unpaid = cannot_pay(rules.gear_cost[gear])
    return lambda now: None if any(cog.has(gear) for cog in now.cogs) else unpaid(now)


def no_heart_left(rules: Rules) -> Lost:
    """Lose the goal once neither the cogs nor the hub have a heart and the team cannot make one."""

    def lost(now: LessonView) -> str | None:
        if any(thing.has("heart") for thing in (now.hub, *now.cogs)):
            return None
        return cannot_pay(dict.fromkeys(ELEMENTS, rules.heart_cost))(now)

    return lost


def cannot_act(rules: Rules, gear: str) -> Lost:
    """Lose the goal once no junction can be aligned or scrambled, for lack of the gear or of a heart."""
    unarmed, heartless = cannot_equip(rules, gear), no_heart_left(rules)
    return lambda now: unarmed(now) or heartless(now)
