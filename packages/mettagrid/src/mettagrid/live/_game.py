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

__all__ = ["Line", "Lines", "LiveGame"]

MOST_LINES = 8
PATIENCE = 5.0


@dataclass(eq=False)
class Line:
    """One course of events; `tick` is where it left its parent."""

    number: int
    renderer: LiveRenderer
    parent: int | None = None
    tick: int = 0
    thread: threading.Thread | None = None
    outcome: EpisodeOutcome | None = None
    error: BaseException | None = None
    over: threading.Event = field(default_factory=threading.Event)


class Lines:
    """What a server has to know about a game: its lines by number. This one has a single line and no branches."""

    can_branch = False

    def __init__(self, title: str, renderer: LiveRenderer) -> None:
        self.title = title
        self.lines: dict[int, Line] = {0: Line(0, renderer)}
        self._listeners: list[Callable[[], None]] = []

    def line(self, number: int) -> Line:
        """BadOrder when there is none."""
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
        """Let another game take the place of line 0, which is over. Whoever is connected is told to connect again."""
        self.lines[0] = Line(0, renderer)
        self._notify()

    def listen(self, listener: Callable[[], None]) -> None:
        """Have a function called when a line appears or goes; in any thread."""
        self._listeners.append(listener)

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()


class LiveGame(Lines):
    """Plays a plan in a thread of its own, line 0, until it is over or `end` is called. Use it with `with`.

    `branch` plays the same plan again beside it. `handlers` makes the event handlers of a line from its renderer; they
    are told of every step before the watchers are. One line runs at a time, so policies that share the generators of
    this process draw as they would alone.
    """

    can_branch = True

    def __init__(
        self,
        plan: EpisodePlan,
        *,
        title: str = "",
        clock: Clock | None = None,
        handlers: Callable[[LiveRenderer], Sequence[SimulatorEventHandler]] | None = None,
    ) -> None:
        self._plan = plan
        self._handlers = handlers or (lambda renderer: ())
        self._turns = Turns()
        self._caller = self._turns.turn()
        self._numbers = 1
        self._branching = threading.Lock()
        self._made: Line | None = None
        self._closed = False
        super().__init__(title, LiveRenderer(clock, turn=self._turns.turn()))

    def start(self) -> None:
        """Begin; returns when there is something to see, or raises what kept the episode from beginning."""
        self._caller.take()
        self._caller.give()
        self._play(self.lines[0], self._plan)
        self._until_started(self.lines[0])

    def wait(self, seconds: float | None = None) -> EpisodeOutcome | None:
        """The outcome of line 0 when it is over, None when it is not over in time. Raises what the episode raised."""
        line = self.lines[0]
        if not line.over.wait(seconds):
            return None
        if line.error is not None:
            raise line.error
        assert line.outcome is not None
        return line.outcome

    def branch(self, line: int, tick: int) -> int:
        """A new line that is as the given one up to a tick, and pauses there. The given one pauses too.

        Returns its number when it has come there; it takes as many steps of the policies. BadOrder when there is no
        such line or tick, BranchFailed when the same actions did not lead to the same state.
        """
        with self._branching:
            parent = self.line(line)
            renderer = parent.renderer
            if not 0 <= tick <= renderer.feed.tick or (renderer.done and tick == renderer.feed.tick):
                raise BadOrder(f"Line {line} can branch at ticks 0 to {renderer.feed.tick - renderer.done}, not {tick}")
            if len(self.lines) >= MOST_LINES:
                raise BadOrder(f"A game has {MOST_LINES} lines at most; close one of them")
            renderer.clock.pause()
            beginning = Beginning(renderer.moves[:tick], renderer.feed.hashes[: tick + 1])
            clock = Clock(
                steps_per_second=renderer.clock.steps_per_second,
                human_action_timeout_seconds=renderer.clock.human_action_timeout_seconds,
            )
            number = self._numbers
            self._numbers += 1
            made = Line(number, LiveRenderer(clock, beginning=beginning, turn=self._turns.turn()), line, tick)
            self._made = made  # first, so that `close` sees it or is seen
            if self._closed:
                raise BadOrder("The game is over")
            self._play(made, replace(self._plan, replay_path=None))
            self._until_started(made)
            while not made.renderer.waited.wait(0.02):
                if made.over.is_set():
                    why, made.error = str(made.error or "The branch ended before its tick"), None
                    raise BranchFailed(why)
            self.lines[number] = made
        self._notify()
        return number

    def close_line(self, line: int) -> None:
        """End a branch and forget it; BadOrder for line 0, which is the game."""
        if line == 0:
            raise BadOrder("Line 0 is the game itself; end it instead")
        closed = self.line(line)
        closed.renderer.clock.end()
        closed.over.wait()
        self.lines.pop(line, None)
        self._notify()

    def close(self, patience: float | None = None) -> None:
        """End all lines, and leave the random generators as they were before `start`.

        A policy that does not answer cannot be interrupted; with `patience` it is left alone after so many seconds.
        """
        self._closed = True
        lines = [*self.lines.values(), *([] if self._made is None else [self._made])]
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
            except BaseException as error:  # told to whoever waits
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
