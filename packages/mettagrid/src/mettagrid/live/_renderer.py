"""The renderer through which people take part in an episode."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.live._clock import Clock
from mettagrid.live._controls import Controls
from mettagrid.live._feed import Feed
from mettagrid.live.errors import BranchFailed
from mettagrid.renderer.renderer import Renderer

if TYPE_CHECKING:
    from mettagrid.live._turns import Turn
    from mettagrid.simulator.simulator import Simulation

__all__ = ["LiveRenderer", "Moves"]

_RATE_SECONDS = 0.5


@dataclass(frozen=True)
class Moves:
    """All actions of one step: enough to replay it."""

    actions: np.ndarray
    vibe_actions: np.ndarray
    texts: Mapping[int, str]

    @classmethod
    def of(cls, simulation: Simulation) -> Moves:
        engine = simulation._c_sim
        texts = dict(simulation._talk_channel._pending_by_agent)
        return cls(engine.actions().copy(), engine.vibe_actions().copy(), texts)

    def put_in_place(self, simulation: Simulation) -> None:
        engine = simulation._c_sim
        engine.actions()[:] = self.actions
        engine.vibe_actions()[:] = self.vibe_actions
        simulation._talk_channel._pending_by_agent = dict(self.texts)


@dataclass(frozen=True)
class Beginning:
    """The recorded steps that a branch starts with."""

    moves: Sequence[Moves]
    hashes: Sequence[int]
    """of the state before each step and after the last one"""


class LiveRenderer(Renderer):
    """Publishes each step, waits until the next one may begin, and replaces policies' actions by those of people.

    It waits between the policies' choice and the step, so that a person's action takes effect at once. A view in the
    same thread passes `idle`, which is called during the wait. All attributes are thread-safe.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        controls: Controls | None = None,
        idle: Callable[[], None] | None = None,
        beginning: Beginning | None = None,
        turn: Turn | None = None,
    ) -> None:
        super().__init__()
        self.controls = controls or Controls(clock or Clock())
        self.clock = self.controls.clock
        self.feed: Feed
        """set once the episode has begun, see `started`"""
        self.started = threading.Event()
        self.waited = threading.Event()
        """set once the game has replayed its `Beginning` and reaches its own first step"""
        self.done = False
        self.lesson: Mapping[str, Any] | None = None
        """the last lesson shown"""
        self.moves: list[Moves] = []
        self.policy_choice: Moves | None = None
        """actions that the policies chose in the last step"""
        self._idle = idle
        self._beginning = beginning or Beginning([], [])
        self._turn = turn
        self._rate = 0.0
        self._rate_from = (0.0, 0)

    @property
    def rate(self) -> float:
        """The measured steps per second of late; 0 while the game is paused."""
        since, tick = self._rate_from
        elapsed = time.monotonic() - since
        if self.clock.paused or self.done:
            return 0.0
        return self._rate if elapsed < 4 * _RATE_SECONDS else (self.feed.tick - tick) / elapsed

    def on_episode_start(self) -> None:
        super().on_episode_start()
        self.feed = Feed(self._sim)
        self.controls.follow(self._sim)
        self.moves = []
        self.done = False
        self._rate_from = (time.monotonic(), 0)
        self.started.set()
        self.clock.notify()

    def apply_deferred_user_actions(self) -> None:
        simulation, step = self._sim, self._sim.current_step
        moves = self._beginning.moves
        self.policy_choice = Moves.of(simulation)
        if step < len(moves):
            moves[step].put_in_place(simulation)
            self._let_others_run()
        else:
            if not self.waited.is_set():
                self._check_beginning()
                self.waited.set()
            self._wait()
            super().apply_deferred_user_actions()
            self.controls.put_in_place(simulation)
        if self.clock.ended:
            simulation.end_episode()
        self.moves.append(Moves.of(simulation))

    def on_step(self) -> None:
        self.feed.record()
        since, tick = self._rate_from
        now = time.monotonic()
        if now - since > _RATE_SECONDS:
            self._rate = (self.feed.tick - tick) / (now - since)
            self._rate_from = (now, self.feed.tick)
        self.clock.notify()

    def render(self) -> None: ...

    def on_episode_end(self) -> None:
        self.done = True
        self.clock.notify()

    def on_close(self) -> None:
        if self.started.is_set():
            self.feed.close()

    def show_lesson(self, message: Mapping[str, Any]) -> None:
        self.lesson = dict(message)
        self.clock.notify()

    def driven_agents(self) -> set[int]:
        return {seat.slot for seat in self.controls.seats if seat.driver is not None}

    def _wait(self) -> None:
        if self._turn is not None:
            self._turn.give()
        try:
            self.clock.wait(self.controls, self._idle)
        finally:
            if self._turn is not None:
                self._turn.take()

    def _let_others_run(self) -> None:
        if self._turn is not None:
            self._turn.give()
            self._turn.take()

    def _check_beginning(self) -> None:
        expected = self._beginning.hashes
        if not expected:
            return
        differing = [tick for tick, (a, b) in enumerate(zip(expected, self.feed.hashes, strict=False)) if a != b]
        if differing:
            raise BranchFailed(
                f"The same actions led to a different state at tick {differing[0]}; "
                "something other than the actions changed it"
            )
