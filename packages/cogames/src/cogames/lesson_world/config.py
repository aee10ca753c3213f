"""The config of a lesson: the model behind `config_schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from cogames.lessons import BROWSER, COURSES, Lesson, Tutor, UnknownLesson, find_lesson
from cogsguard.coworld.config import GameConfig
from cogsguard.coworld.errors import BadConfig
from mettagrid.config.mettagrid_config import MettaGridConfig

if TYPE_CHECKING:
    from mettagrid.live import LiveRenderer
    from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["COURSE", "LessonConfig", "lessons"]

COURSE = "play"
THINKING_SECONDS = 600.0
"""how long a step waits for the player"""


def lessons() -> list[Lesson]:
    """Return the lessons for one player, in the order in which they are taught."""
    return [lesson for lesson in COURSES[COURSE].lessons(BROWSER) if len(lesson.seats) == 1]


class LessonConfig(GameConfig):
    """One lesson for one player. A step begins when the player has acted."""

    lesson: str = Field(default="moving", description="A lesson of `cogames tutorial play`")
    step_timeout_seconds: float = Field(
        default=THINKING_SECONDS, gt=0, le=THINKING_SECONDS, description="How long a step waits for the player"
    )

    @property
    def title(self) -> str:
        return f"Lesson: {self._lesson().title}"

    @property
    def about(self) -> str:
        return self._lesson().briefing

    def handlers(self, renderer: LiveRenderer) -> list[SimulatorEventHandler]:
        lesson, all_lessons = self._lesson(), lessons()
        number = [other.name for other in all_lessons].index(lesson.name) + 1
        again = "Play the lesson again."
        return [Tutor(lesson, renderer, number=number, count=len(all_lessons), note=lesson.briefing, again=again)]

    def environment(self) -> MettaGridConfig:
        lesson = self._lesson()
        if self.slots != len(lesson.seats):
            raise BadConfig(f"The lesson {lesson.name!r} is for one player, not for {self.slots} slots")
        env = lesson.make_env()
        if self.max_steps is not None:
            env.game.max_steps = self.max_steps
        return env

    def _lesson(self) -> Lesson:
        try:
            return lessons()[find_lesson(lessons(), self.lesson)]
        except UnknownLesson as error:
            raise BadConfig(str(error)) from error
