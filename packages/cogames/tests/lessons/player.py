"""A player who knows every lesson by heart and does what people do: take over a cog, press keys, click on cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cogames.lessons.lesson import Lesson
from cogames.lessons.view import CogThing, LessonView, Observer, Thing
from mettagrid.live._clock import Clock
from mettagrid.live._renderer import LiveRenderer

ME = "me"
Script = Callable[["ScriptedPlayer"], Iterator[None]]


class ScriptedPlayer(LiveRenderer):
    """Follows a script, a generator that gives one order or presses one key before each `yield`.

    At the beginning of every goal it first rests for `rests` steps. `passed_while_resting` are the goals reached so.
    """

    def __init__(self, lesson: Lesson, script: Script, rests: int = 0) -> None:
        super().__init__(Clock(paused=False, steps_per_second=1000), idle=self._decide)
        self.messages: list[dict] = []
        self.passed_while_resting: list[str] = []
        self._lesson = lesson
        self._script = script(self)
        self._rests = rests
        self._resting = 0
        self._goal = 0
        self.slot = 0

    def on_episode_start(self) -> None:
        super().on_episode_start()
        self._observer = Observer(self._sim, self._lesson.seats)
        self.controls.take(0, ME)

    def show_lesson(self, message) -> None:
        super().show_lesson(message)
        self.messages.append(dict(message))

    # What a script asks for.

    @property
    def view(self) -> LessonView:
        return self._observer.look(self.driven_agents())

    @property
    def goal(self) -> int:
        """Return the number of the goal to reach."""
        return self.messages[-1]["goal"]["number"]

    @property
    def cog(self) -> CogThing:
        return self.view.cogs[self.slot]

    def use(self, thing: Thing | str) -> None:
        """Click on something: walk there and push against it, once."""
        if isinstance(thing, str):
            (thing,) = self.view.of_kind(thing)
        self.go(thing.cell)

    def go(self, cell) -> None:
        self.controls.order(self.slot, ME, *cell)

    def go_to_mark(self) -> None:
        self.go(self.messages[-1]["highlight"]["cells"][0])

    def press(self, action: str = "noop", **more: str) -> None:
        self.controls.act(self.slot, ME, action, **more)

    def change_to(self, slot: int) -> None:
        """Hand the cog back and take over another."""
        self.controls.release(self.slot, ME)
        self.slot = slot
        self.controls.take(slot, ME)

    def _decide(self) -> None:
        """Called while the game waits."""
        if not self.controls.waiting_for() or self.messages[-1]["finished"]:
            return
        if self.goal != self._goal:
            if self._resting > 0:
                self.passed_while_resting.append(self._lesson.goals[self._goal - 1].title)
            self._goal, self._resting = self.goal, self._rests
        if self._resting:
            self._resting -= 1
            self.press("noop")
        elif next(self._script, "nothing left to do") is not None:
            self.clock.end()
