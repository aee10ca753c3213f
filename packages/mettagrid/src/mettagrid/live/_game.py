"""A game that people take part in, and its branches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from mettagrid.live._clock import Clock
from mettagrid.live._renderer import Beginning, LiveRenderer
from mettagrid.live._turns import Turns
from mettagrid.live.errors import BadOrder, BranchFailed
from mettagrid.runner.episode.play import play_episode

if TYPE_CHECKING:
    from mettagrid.runner.episode.outcome import EpisodeOutcome
    from mettagrid.runner.episode.plan import EpisodePlan
    from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["Goal", "Line", "Lines", "LiveGame"]

MAX_LINES = 8
PATIENCE = 5.0


@dataclass(eq=False)
class Line:
    """One timeline of the game; `tick` is where it branched off its parent."""

    number: int
    renderer: LiveRenderer
    parent: int | None = None
    tick: int = 0
    thread: threading.Thread | None = None
    outcome: EpisodeOutcome | None = None
    error: BaseException | None = None
    over: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Goal:
    """What a game is about, for people who play it."""

    text: str
    hint: str = ""


class Lines:
    """The lines of a game by number, as the server uses them. This class has a single line and no branches."""

    can_branch = False

    def __init__(self, title: str, renderer: LiveRenderer, *, goal: Goal | None = None) -> None:
        self.title = title
        self.goal = goal
        self.lines: dict[int, Line] = {0: Line(0, renderer)}
        self._listeners: list[Callable[[], None]] = []

    def line(self, number: int) -> Line:
        """Return a line; raises BadOrder if there is none with this number."""
        try:
            return self.lines[number]
        except KeyError:
            raise BadOrder(f"There is no line {number} of this game") from None

    def listed(self) -> list[dict[str, Any]]:
        lines = [self.lines[number] for number in sorted(self.lines)]
        return [{"line": line.number, "parent": line.parent, "tick": line.tick} for line in lines]

    def branch(self, line: int, tick: int) -> int:
        raise BadOrder("This game has no branches")

    def close_line(self, line: int) -> None:
        raise BadOrder("This game has no branches")

    def end(self) -> None:
        """End the episode after one more step."""
        self.lines[0].renderer.clock.end()

    def replace(self, renderer: LiveRenderer) -> None:
        """Replace line 0, which is over, by another game. Connected clients are asked to reconnect."""
        self.lines[0] = Line(0, renderer)
        self._notify()

    def listen(self, listener: Callable[[], None]) -> None:
        """Register a function to call, from any thread, when a line appears or disappears."""
        self._listeners.append(listener)

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()


class LiveGame(Lines):
    """Plays a plan in its own thread, as line 0, until it is over or `end` is called. Use it with `with`.

    `branch` plays the same plan again next to it. `handlers` creates the event handlers of a line from its renderer;
    they are called after every step, before the watchers see it. One line runs at a time, so policies that share the
    random generators of this process draw the same numbers as they would alone.
    """

    can_branch = True

    def __init__(
        self,
        plan: EpisodePlan,
        *,
        title: str = "",
        goal: Goal | None = None,
        clock: Clock | None = None,
        handlers: Callable[[LiveRenderer], Sequence[SimulatorEventHandler]] | None = None,
    ) -> None:
        self._plan = plan
        self._handlers = handlers or (lambda renderer: ())
        self._turns = Turns()
        self._caller = self._turns.turn()
        self._numbers = 1
        self._branching = threading.Lock()
        self._new_line: Line | None = None
        self._closed = False
        super().__init__(title, LiveRenderer(clock, turn=self._turns.turn()), goal=goal)

    def start(self) -> None:
        """Start the game; return when the first tick can be shown, or raise the error that prevented the start."""
        self._caller.take()
        self._caller.give()
        self._play(self.lines[0], self._plan)
        self._until_started(self.lines[0])

    def wait(self, seconds: float | None = None) -> EpisodeOutcome | None:
        """Return the outcome of line 0, or None if it does not end in time. Re-raises the error of the episode."""
        line = self.lines[0]
        if not line.over.wait(seconds):
            return None
        if line.error is not None:
            raise line.error
        assert line.outcome is not None
        return line.outcome

    def branch(self, line: int, tick: int) -> int:
        """Create a line that repeats the given one up to a tick and pauses there. The given one pauses too.

        Returns its number once it has reached the tick, which takes that many policy steps. Raises BadOrder if there is
        no such line or tick, BranchFailed if the same actions did not lead to the same state.
        """
        with self._branching:
            parent = self.line(line)
            renderer = parent.renderer
            if not 0 <= tick <= renderer.feed.tick or (renderer.done and tick == renderer.feed.tick):
                raise BadOrder(f"Line {line} can branch at ticks 0 to {renderer.feed.tick - renderer.done}, not {tick}")
            if len(self.lines) >= MAX_LINES:
                raise BadOrder(f"A game has {MAX_LINES} lines at most; close one of them")
            renderer.clock.pause()
            beginning = Beginning(renderer.moves[:tick], renderer.feed.hashes[: tick + 1])
            clock = Clock(
                steps_per_second=renderer.clock.steps_per_second,
                human_action_timeout_seconds=renderer.clock.human_action_timeout_seconds,
            )
            number = self._numbers
            self._numbers += 1
            new_line = Line(number, LiveRenderer(clock, beginning=beginning, turn=self._turns.turn()), line, tick)
            self._new_line = new_line  # before the check below, so that a concurrent `close` cannot miss it
            if self._closed:
                raise BadOrder("The game is over")
            self._play(new_line, replace(self._plan, replay_path=None))
            self._until_started(new_line)
            while not new_line.renderer.waited.wait(0.02):
                if new_line.over.is_set():
                    why, new_line.error = str(new_line.error or "The branch ended before its tick"), None
                    raise BranchFailed(why)
            self.lines[number] = new_line
        self._notify()
        return number

    def close_line(self, line: int) -> None:
        """End a branch and remove it; raises BadOrder for line 0, which is the game."""
        if line == 0:
            raise BadOrder("Line 0 is the game itself; end it instead")
        closed = self.line(line)
        closed.renderer.clock.end()
        closed.over.wait()
        self.lines.pop(line, None)
        self._notify()

    def close(self, patience: float | None = None) -> None:
        """End all lines and restore the random generators to their state before `start`.

        A policy that does not respond cannot be interrupted; `patience` limits the seconds to wait for it.
        """
        self._closed = True
        lines = [*self.lines.values(), *([] if self._new_line is None else [self._new_line])]
        for line in lines:
            line.renderer.clock.end()
        if all(line.over.wait(patience) for line in lines if line.thread is not None):
            self._caller.take()
            self._caller.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close(None if error == (None, None, None) else PATIENCE)

    def _play(self, line: Line, plan: EpisodePlan) -> None:
        renderer = line.renderer
        turn = renderer._turn
        assert turn is not None

        def play() -> None:
            turn.take()
            try:
                line.outcome = play_episode(plan, event_handlers=self._handlers(renderer), renderer=renderer)
            except BaseException as error:  # raised again in the thread that waits
                line.error = error
            finally:
                renderer.done = True
                turn.leave()
                line.over.set()
                renderer.clock.notify()

        line.thread = threading.Thread(target=play, daemon=True, name=f"line-{line.number}")
        line.thread.start()

    def _until_started(self, line: Line) -> None:
        while not line.renderer.started.wait(0.02):
            if line.over.is_set() and line.error is not None:
                raise line.error
