"""A lesson: a small mission and goals in it that the player reaches one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cogames.lessons.view import PLAYER_SEAT, Cell, LessonView
from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["Goal", "Highlight", "Lesson"]


@dataclass(frozen=True)
class Highlight:
    """What a view highlights: cells, and objects by their ids."""

    cells: tuple[Cell, ...] = ()
    objects: tuple[int, ...] = ()


def _nothing(now: LessonView, start: LessonView) -> Highlight:
    return Highlight()


def _never(now: LessonView) -> str | None:
    return None


@dataclass(frozen=True)
class Goal:
    """One thing to do.

    `progress(now, start)` is a pure function of the current view and the view when the goal began; the goal is reached
    at 1. It must require an action of the player: neither waiting nor the state at the start may give 1. `lost(now)`
    returns the reason as a sentence once the goal can no longer be reached.
    """

    title: str
    text: str
    hint: str
    progress: Callable[[LessonView, LessonView], float]
    highlight: Callable[[LessonView, LessonView], Highlight] = _nothing
    lost: Callable[[LessonView], str | None] = _never


@dataclass(frozen=True)
class Lesson:
    """A lesson. `seats` names the policy of each cog; the first is the player's own."""

    name: str
    title: str
    briefing: str
    make_env: Callable[[], MettaGridConfig]
    goals: tuple[Goal, ...]
    seats: tuple[str, ...] = (PLAYER_SEAT,)
