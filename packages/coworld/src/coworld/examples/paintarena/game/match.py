"""Run one match: the connected seats, the last move of each, and the clock. No sockets here.

The clock does not drift: a tick is due at a fixed time after the one before, whatever the work in between took. A
match in lockstep ticks as soon as every connected seat has answered the last observation, and at the latest when the
tick is due; programs then play as fast as they can think.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from time import monotonic

from coworld.examples.paintarena.rules import Arena, Config

START_DELAY_SECONDS = 0.5
"""from the last seat's arrival to the first tick's clock, so that people see the board"""
MESSAGES_PER_TICK = 1000
"""a seat that sends more between two ticks is flooding"""
MAX_EVENTS = 100_000
"""limits the memory that a seat can fill by reconnecting"""


class BadMove(ValueError):
    """A player's message is not an object with a `move`."""


@dataclass
class Seat:
    """The state of a slot; it survives the connection."""

    connections: int = 0
    move: str = "stay"
    answered: bool = False
    messages: int = 0


class Match:
    def __init__(self, config: Config, public_config: dict[str, object], *, lockstep: bool = False) -> None:
        self.config = config
        self.public_config = public_config
        """the configuration as the replay shows it: without tokens"""
        self.arena = Arena(config, players=len(config.player_names))
        self.seats = [Seat() for _ in config.player_names]
        self.tick_rate = config.tick_rate
        self.lockstep = lockstep
        self.started = self.paused = self.done = False
        self.frames: list[str] = []
        self.events: list[dict[str, object]] = []
        self.trajectory: list[str] = []
        self._news = asyncio.Event()
        self._wake = asyncio.Event()
        self._leader: int | None = None
        self._encoded: tuple[object, str] = (None, "")

    # --- called by the connections

    def join(self, slot: int) -> None:
        self.seats[slot].connections += 1
        self.note("connected", slot)
        self._wake.set()

    def leave(self, slot: int) -> None:
        self.seats[slot].connections -= 1
        self.note("disconnected", slot)
        self._wake.set()

    def receive(self, slot: int, message: str | bytes) -> None:
        """Take a player's message; its move stands until the next.

        Raises:
            BadMove: no JSON object with `move`, or far too many messages; the connection is to be dropped.
        """
        seat = self.seats[slot]
        seat.messages += 1
        if seat.messages > MESSAGES_PER_TICK:
            raise BadMove("too many messages in one tick")
        try:
            document = json.loads(message)
        except (ValueError, RecursionError):
            raise BadMove("the message is not JSON") from None
        if not isinstance(document, dict) or "move" not in document:
            raise BadMove('the message has no "move"')
        move = document["move"]
        seat.move = move if isinstance(move, str) else "stay"
        seat.answered = True
        self._wake.set()

    def pause(self, paused: bool) -> None:
        self.paused = paused
        self._wake.set()

    def set_tick_rate(self, tick_rate: object) -> None:
        """Set the tick rate; ignore anything but a number above 0 and up to 60."""
        if isinstance(tick_rate, (int, float)) and not isinstance(tick_rate, bool) and 0 < tick_rate <= 60:
            self.tick_rate = float(tick_rate)
            self._wake.set()

    async def news(self) -> None:
        """Return after the next tick or the end."""
        await self._news.wait()

    # --- messages to the connections

    def state(self) -> dict[str, object]:
        arena = self.arena
        return {
            "type": "state",
            "width": self.config.width,
            "height": self.config.height,
            "positions": [list(position) for position in arena.positions],
            "tile_owners": arena.owners,
            "scores": arena.scores,
            "player_names": list(self.config.player_names),
            "tick": arena.tick,
            "max_ticks": self.config.max_ticks,
            "started": self.started,
            "paused": self.paused,
            "tick_rate": self.tick_rate,
            "done": self.done,
        }

    def state_text(self) -> str:
        """Return the state for viewers, encoded once per change however many viewers there are."""
        now = (self.arena.tick, self.started, self.paused, self.tick_rate, self.done)
        if self._encoded[0] != now:
            self._encoded = (now, _compact(self.state()))
        return self._encoded[1]

    def observation_text(self, slot: int) -> str:
        return _compact(self.state() | {"type": "final" if self.done else "observation", "slot": slot})

    # --- the clock

    async def run(self) -> None:
        """Wait for the seats, play to the end, and send the final state to all clients."""
        await self._everybody()
        self.started = True
        self.note("started", None)
        due = monotonic()
        while not self.arena.over:
            due += 1 / self.tick_rate
            if due < monotonic() - 1:
                due = monotonic()  # the machine stalled; do not catch up in a burst of ticks that is too fast to follow
            if await self._until(due):
                due = monotonic()  # paused, another rate, or lockstep: the clock starts again from here
            self._tick()
        self.done = True
        self.note("finished", None)
        self._tell()

    async def _everybody(self) -> None:
        deadline = monotonic() + self.config.player_connect_timeout_seconds
        while not all(seat.connections for seat in self.seats) and await self._woken(deadline):
            pass
        if not self.lockstep and all(seat.connections for seat in self.seats):
            await asyncio.sleep(START_DELAY_SECONDS)

    async def _until(self, due: float) -> bool:
        """Wait for the tick that is due; true when the clock has to start again from now."""
        restart, tick_rate = False, self.tick_rate
        while True:
            if self.paused:
                await self._woken(None)
                restart, due = True, monotonic() + 1 / self.tick_rate
            elif self.tick_rate != tick_rate:
                due += 1 / self.tick_rate - 1 / tick_rate
                restart, tick_rate = True, self.tick_rate
            elif self.lockstep and self._all_answered():
                return True
            elif not await self._woken(due) and not self.paused:  # a pause may arrive just when the tick is due
                return restart

    def _all_answered(self) -> bool:
        present = [seat for seat in self.seats if seat.connections]
        return bool(present) and all(seat.answered for seat in present)

    async def _woken(self, deadline: float | None) -> bool:
        """Wait until something happened; false when the deadline came first."""
        self._wake.clear()
        if deadline is None:
            await self._wake.wait()
            return True
        try:
            async with asyncio.timeout(max(deadline - monotonic(), 0)):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def _tick(self) -> None:
        moves = [seat.move for seat in self.seats]
        for slot, tile, before in self.arena.step(moves):
            self.note("capture", slot, tile, taken_from=before)
        leader = self._in_front()
        if leader is not None and leader != self._leader:
            if self._leader is not None:
                self.note("lead_change", leader)
            self._leader = leader
        for seat in self.seats:
            seat.answered, seat.messages = False, 0
        arena = self.arena
        line = {"tick": arena.tick, "moves": moves, "positions": arena.positions, "scores": arena.scores}
        self.trajectory.append(_compact(line))
        self.frames.append(self.state_text())
        self._tell()

    def _in_front(self) -> int | None:
        best = max(self.arena.scores)
        return self.arena.scores.index(best) if self.arena.scores.count(best) == 1 else None

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    # --- results and replay

    def note(self, kind: str, slot: int | None, tile: int | None = None, **more: object) -> None:
        if len(self.events) >= MAX_EVENTS:
            return
        event: dict[str, object] = {"tick": self.arena.tick, "kind": kind}
        if slot is not None:
            event["agent"] = slot
        if tile is not None:
            event["x"], event["y"] = tile % self.config.width, tile // self.config.width
        self.events.append(event | more)

    def results(self) -> dict[str, object]:
        scores = self.arena.scores
        return {"scores": [float(score) for score in scores], "painted_tiles": scores, "ticks": self.arena.tick}

    def replay_text(self) -> str:
        names, results = _compact(list(self.config.player_names)), _compact(self.results())
        return (
            f'{{"config":{_compact(self.public_config)},"player_names":{names},'
            f'"frames":[{",".join(self.frames)}],"results":{results}}}'
        )


def _compact(document: object) -> str:
    return json.dumps(document, separators=(",", ":"))
