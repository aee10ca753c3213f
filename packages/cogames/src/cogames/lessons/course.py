"""The courses, and functions to play them lesson by lesson."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from cogames.lessons import cvc, play
from cogames.lessons.keys import Keys
from cogames.lessons.lesson import Lesson
from cogames.lessons.tutor import Tutor
from cogames.policy.arguments import parse_policy_spec
from mettagrid.renderer.renderer import Renderer
from mettagrid.runner.episode.plan import EpisodePlan
from mettagrid.runner.episode.play import play_episode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cogames.lessons.progress import Progress
    from cogames.lessons.stage import Stage

__all__ = ["COURSES", "Course", "Ending", "UnknownLesson", "find_lesson", "play_course", "play_lesson"]


class UnknownLesson(ValueError):
    """No lesson of the course has that name or number."""


@dataclass(frozen=True)
class Course:
    """Lessons in the order in which they are taught."""

    name: str
    title: str
    makers: tuple[Callable[[Keys], Lesson], ...]

    def lessons(self, keys: Keys) -> list[Lesson]:
        return [make(keys) for make in self.makers]


COURSES = {
    "play": Course(
        "play",
        "One cog: move, use things, mine, take gear, make hearts, hold junctions",
        (play.moving, play.objects, play.mining, play.gear, play.hearts, play.junctions),
    ),
    "cvc": Course(
        "cvc",
        "Cogs vs Clips: roles, territory, the network, the waves, the team",
        (cvc.roles, cvc.territory, cvc.network, cvc.waves, cvc.team),
    ),
}


def find_lesson(lessons: list[Lesson], text: str) -> int:
    """Return the index of a lesson from its name or its number (starting at 1)."""
    names = [lesson.name for lesson in lessons]
    if text.lower() in names:
        return names.index(text.lower())
    if text.isdecimal() and 1 <= int(text) <= len(names):
        return int(text) - 1
    raise UnknownLesson(f"No lesson {text!r}; pass a number from 1 to {len(names)} or a name: {', '.join(names)}.")


class Ending(Enum):
    """How a lesson ended."""

    FINISHED = "finished"
    """all goals were reached"""
    AGAIN = "again"
    """its goal could no longer be reached, or it took too long; play it again"""
    LEFT = "left"
    """the player ended it"""


def play_course(
    lessons: list[Lesson], stage: Stage, *, positions: Iterable[int], progress: Progress, seed: int = 42
) -> Lesson | None:
    """Play the lessons at `positions` in order, each until it is finished, and save the progress.

    Returns the lesson that the player left, or None if all were finished.
    """
    for position in positions:
        lesson, note = lessons[position], lessons[position].briefing
        ending = Ending.AGAIN
        while ending is Ending.AGAIN:
            try:
                ending, reason = play_lesson(
                    lesson, stage.next(), number=position + 1, count=len(lessons), seed=seed, note=note
                )
            except KeyboardInterrupt:
                return lesson
            note = f"{reason} The lesson starts again."
            if ending is Ending.LEFT:
                return lesson
            if ending is Ending.FINISHED:
                progress.add(lesson.name)
            stage.pause()
    return None


def play_lesson(
    lesson: Lesson, renderer: Renderer, *, number: int = 1, count: int = 1, seed: int = 42, note: str = ""
) -> tuple[Ending, str]:
    """Play a lesson once; return how it ended and, if it must be played again, the reason in one sentence.

    `number` of `count` is its position in the course; `note` is shown with the first goal.
    """
    env = lesson.make_env()
    policies = list(dict.fromkeys(lesson.seats))
    plan = EpisodePlan(
        env,
        [parse_policy_spec(name) for name in policies],
        [policies.index(seat) for seat in lesson.seats],
        seed=seed,
    )
    tutor = Tutor(lesson, renderer, number=number, count=count, note=note)
    outcome = play_episode(plan, event_handlers=[tutor], renderer=renderer)
    if tutor.is_finished:
        return Ending.FINISHED, ""
    if tutor.lost is not None:
        return Ending.AGAIN, tutor.lost
    if outcome.steps >= env.game.max_steps:
        return Ending.AGAIN, f"You have used all {outcome.steps} steps of this lesson."
    return Ending.LEFT, ""
