"""Follow a lesson while it is played: check its goals and send the renderer what to show."""

from __future__ import annotations

from typing import Any

from cogames.lessons.lesson import Lesson
from cogames.lessons.view import LessonView, Observer
from mettagrid.renderer.renderer import Renderer
from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["Tutor"]


class Tutor(SimulatorEventHandler):
    """Teaches one lesson in one episode, and ends the episode when the lesson is finished or lost.

    `number` of `count` is the lesson's position in its course. `note` is shown with the first goal, `again` after a
    lost one. After the episode
    `is_finished` says whether all goals were reached, and `lost` why one could not be reached.
    """

    def __init__(
        self,
        lesson: Lesson,
        renderer: Renderer,
        *,
        number: int = 1,
        count: int = 1,
        note: str = "",
        again: str = "The lesson starts again.",
    ) -> None:
        super().__init__()
        self.lesson = lesson
        self.reached = 0
        """goals reached"""
        self.lost: str | None = None
        self._renderer = renderer
        self._place = {"name": lesson.name, "title": lesson.title, "number": number, "count": count}
        self._note = note
        self._again = again
        self._last_message: dict[str, Any] | None = None

    @property
    def is_finished(self) -> bool:
        return self.reached == len(self.lesson.goals)

    def on_episode_start(self) -> None:
        self._observer = Observer(self._sim, self.lesson.seats)
        self._start = self._observer.look(frozenset())
        self._show(self._start)

    def on_step(self) -> None:
        now = self._observer.look(self._renderer.driven_agents())
        if self.is_finished or self.lost is not None:
            return
        goal = self.lesson.goals[self.reached]
        if goal.progress(now, self._start) >= 1:
            self._reach(now)
        else:
            self.lost = goal.lost(now)
            if self.lost is not None:
                self._note = f"{self.lost} {self._again}"
                self._sim.end_episode()
        if not self.is_finished:
            self._show(now)

    def _reach(self, now: LessonView) -> None:
        """Report that the goal is reached, and start the next one from the current state."""
        title = self.lesson.goals[self.reached].title
        if self.reached + 1 == len(self.lesson.goals):
            self._note = "Well done: the lesson is finished."
            self._show(now, done=True, finished=True)
            self._sim.end_episode()
        else:
            self._show(now, done=True)
            self._note = f"Done: {title}."
        self._start = now
        self.reached += 1

    def _show(self, now: LessonView, *, done: bool = False, finished: bool = False) -> None:
        goal = self.lesson.goals[self.reached]
        highlight = goal.highlight(now, self._start)
        message = {
            "type": "lesson",
            "lesson": self._place,
            "goal": {
                "number": self.reached + 1,
                "count": len(self.lesson.goals),
                "title": goal.title,
                "text": goal.text,
                "hint": goal.hint,
                "progress": 1.0 if done else round(min(goal.progress(now, self._start), 0.99), 3),
                "done": done,
            },
            "highlight": {
                "cells": [list(cell) for cell in highlight.cells],
                "objects": list(highlight.objects),
            },
            "note": self._note,
            "finished": finished,
        }
        if message != self._last_message:
            self._last_message = message
            self._renderer.show_lesson(message)
