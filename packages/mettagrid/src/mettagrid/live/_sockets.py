"""The protocols of the three WebSockets."""

from __future__ import annotations

import asyncio
import json
import time
from abc import abstractmethod
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from websockets.exceptions import ConnectionClosed

from mettagrid.live._chunks import WHOLE
from mettagrid.live._messages import (
    WATCH_PROTOCOL,
    control_state,
    observation_fields,
    player_config,
    primary_names,
    state_fields,
)
from mettagrid.live._requests import Request, parse
from mettagrid.live.errors import BadOrder, LiveError

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from mettagrid.live._game import Line
    from mettagrid.live._server import LiveServer
    from mettagrid.live._tokens import Grant

__all__ = ["Admin", "Conversation", "Player", "Watcher"]

NEXT_GAME = 1012
"""close code: reconnect, another game has replaced this one"""
PICTURES_PER_SECOND = 30
STATES_PER_SECOND = 10
PING_SECONDS = 20.0
REQUESTS_PER_SECOND = 200


class Conversation:
    """One connection. Errors of its client affect this connection only."""

    def __init__(self, server: LiveServer, connection: ServerConnection) -> None:
        self.server = server
        self.connection = connection

    async def run(self) -> None:
        """Serve the connection until either end closes it."""
        tasks = [asyncio.ensure_future(task) for task in (self._ping(), self.tell(), self._listen())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def tell(self) -> None:
        """Send updates for as long as the connection lasts."""
        await self.connection.wait_closed()

    @abstractmethod
    async def obey(self, request: Request) -> None:
        """Handle a request; a `LiveError` is sent to the client."""

    async def has_left(self, line: Line) -> bool:
        """Return whether the line was closed or replaced; if so, close the connection with a reason."""
        current = self.server.game.lines.get(line.number)
        if current is line:
            return False
        if current is None:
            await self.connection.close(1000, "The line was closed")
        else:
            await self.connection.close(NEXT_GAME, "The next game begins")
        return True

    async def until_started(self, line: Line) -> None:
        """Wait until the line has something to send."""
        while not line.renderer.started.is_set():
            await asyncio.sleep(0.02)

    async def send(self, message: dict[str, Any]) -> None:
        await self.connection.send(json.dumps(message, separators=(",", ":")))

    async def _listen(self) -> None:
        allowance, last = float(REQUESTS_PER_SECOND), time.monotonic()
        async for raw in self.connection:
            now = time.monotonic()
            allowance = min(allowance + (now - last) * REQUESTS_PER_SECOND, REQUESTS_PER_SECOND)
            last = now
            allowance -= 1
            if allowance < 0:  # further messages wait in the connection's buffer
                await asyncio.sleep(-allowance / REQUESTS_PER_SECOND)
            try:
                request = parse(raw)
            except LiveError as error:
                await self.fail(str(error), getattr(error, "request_id", None))
                continue
            try:
                await self.obey(request)
            except LiveError as error:
                await self.fail(str(error), request.request_id)

    async def fail(self, sentence: str, request_id: object = None) -> None:
        await self.send({"type": "error", "message": sentence, "request_id": request_id})

    async def _ping(self) -> None:
        """Close the connection if its client disappeared without closing it."""
        for number in range(1 << 31):
            await asyncio.sleep(PING_SECONDS)
            answered = await self.connection.ping(number.to_bytes(4, "big"))
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await answered
            except TimeoutError:
                await self.connection.close(1011, "No answer")
                return


class Watcher(Conversation):
    """`/global`: the replay so far, then live updates."""

    def __init__(self, server: LiveServer, connection: ServerConnection, grant: Grant, line: Line) -> None:
        super().__init__(server, connection)
        self.grant = grant
        self.line = line
        self._sent_state: dict[str, Any] = {}
        self._sent_lines: list[dict[str, Any]] = []
        self._sent_lesson: object = None
        self.sent_final = False
        self._state_at = 0.0

    async def obey(self, request: Request) -> None:
        raise BadOrder("This WebSocket only sends; send requests to `/player` or `/admin`")

    async def tell(self) -> None:
        server, line, game = self.server, self.line, self.server.game
        await self.until_started(line)
        feed = line.renderer.feed
        self._sent_lines = game.listed()
        await self.send(
            {
                "type": "hello",
                "protocol": WATCH_PROTOCOL,
                "line": line.number,
                "rights": self.grant.rights,
                "slot": self.grant.slot,
                "lines": self._sent_lines,
                "title": game.title,
                "can_branch": game.can_branch,
                "goal": None if game.goal is None else asdict(game.goal),
            }
        )
        tick, replay = await asyncio.to_thread(feed.whole)
        await self.connection.send(WHOLE + replay)
        seen = -1
        while True:
            began = time.monotonic()
            last, messages = feed.since(tick)
            for message in messages:
                await self.connection.send(message)
            tick = last
            late = await self._tell_rest(tick)
            await asyncio.sleep(max(0.0, began + 1 / PICTURES_PER_SECOND - time.monotonic()))
            if tick == feed.tick:
                with suppress(TimeoutError):
                    async with asyncio.timeout(1 / STATES_PER_SECOND if late else 1.0):
                        seen = await server.news(seen)
            if await self.has_left(line):
                return

    async def _tell_rest(self, tick: int) -> bool:
        """Send all text messages; return True if a state change has to wait a little."""
        renderer, game = self.line.renderer, self.server.game
        lines = game.listed()
        if lines != self._sent_lines:
            self._sent_lines = lines
            await self.send({"type": "lines", "lines": lines})
        lesson = renderer.lesson
        if lesson is not self._sent_lesson and lesson is not None:
            self._sent_lesson = lesson
            await self.send({"type": "lesson", **lesson})
        state = self._state()
        is_over = state["done"] and not self.sent_final and self.line.over.is_set()
        if state == self._sent_state and not is_over:
            return False
        if time.monotonic() < self._state_at + 1 / STATES_PER_SECOND and not is_over:
            return True
        self._state_at = time.monotonic()
        self._sent_state = state
        await self.send(state)
        if is_over:
            self.sent_final = True
            await self.send({**state, "type": "final", "results": _results(self.line)})
        return False

    def _state(self) -> dict[str, Any]:
        connections = self.server.connections.get(self.line.number, {})
        return {**state_fields(self.line.renderer, connections), "line": self.line.number}


class Player(Conversation):
    """`/player`: one cog."""

    def __init__(self, server: LiveServer, connection: ServerConnection, grant: Grant, line: Line, slot: int) -> None:
        super().__init__(server, connection)
        self.grant = grant
        self.line = line
        self.slot = slot
        self.name = server.next_name()
        self.sent_final = False

    async def run(self) -> None:
        slots = self.server.connections.setdefault(self.line.number, {})
        slots.setdefault(self.slot, []).append(self.name)
        self.server.players[self.name] = self
        self.line.renderer.clock.notify()
        try:
            await super().run()
        finally:
            slots[self.slot].remove(self.name)
            del self.server.players[self.name]
            self.line.renderer.controls.leave(self.name)
            self.line.renderer.clock.notify()

    def complain(self, sentence: str) -> None:
        """Report an accepted request that failed later; called in the server's thread."""

        async def tell() -> None:
            with suppress(ConnectionClosed):
                await self.fail(sentence)

        self._complaint = asyncio.ensure_future(tell())

    async def tell(self) -> None:
        renderer = self.line.renderer
        await self.until_started(self.line)
        await self._introduce()
        last_sent: tuple[int, dict[str, Any]] | None = None
        seen = -1
        while True:
            tick, control = renderer.feed.tick, self._control()
            if renderer.done and self.line.over.is_set():
                connections = self.server.connections.get(self.line.number, {})
                state = state_fields(renderer, connections)
                await self.send({**state, "type": "final", "line": self.line.number, "results": _results(self.line)})
                self.sent_final = True
                while not await self.has_left(self.line):
                    seen = await self.server.news(seen)
                return
            if (tick, control) != last_sent:
                last_sent = (tick, control)
                await self.send(self.observation(tick, control))
            seen = await self.server.news(seen)

    def observation(self, tick: int, control: dict[str, Any]) -> dict[str, Any]:
        """Return the cog's observation as a message."""
        feed = self.line.renderer.feed
        return observation_fields(self.slot, tick, feed.observations[self.slot], feed.scores, control)

    async def obey(self, request: Request) -> None:
        controls, slot, name = self.line.renderer.controls, self.slot, self.name
        if request.type == "takeover":
            controls.take(slot, name, force=request.force and self.grant.rights == "host")
            await self._introduce()
        elif request.type == "release_takeover":
            controls.release(slot, name)
            await self._introduce()
        elif request.type == "action":
            self.act(request)
            if request.step and self.grant.rights == "host" and self.line.renderer.clock.paused:
                self.line.renderer.clock.step()
        elif request.type == "order":
            controls.order(slot, name, request.x, request.y, request.order_mode)
        elif request.type == "cancel":
            controls.cancel(slot, name)
        else:
            raise BadOrder(f"This WebSocket does not accept {request.type!r}")

    def act(self, request: Request) -> None:
        """Apply the action of a message to the cog."""
        name = self.action_name(request)
        self.line.renderer.controls.act(self.slot, self.name, name, vibe=request.vibe, talk=request.talk)

    async def _introduce(self) -> None:
        """Describe the slot and its driver: on connecting, and after a takeover or a release."""
        simulation = self.line.renderer._sim
        interface = await asyncio.to_thread(self.server.interface, simulation)
        await self.send(player_config(interface, simulation, self.slot, self.name, self._control()))

    def action_name(self, request: Request) -> str | None:
        """Return the action that a message gives by name or by index; raises BadOrder for an unknown index."""
        if request.action_name is not None or request.action_index is None:
            return request.action_name
        names = primary_names(self.line.renderer._sim)
        if not 0 <= request.action_index < len(names):
            raise BadOrder(f"There is no action {request.action_index}; this game has 0 to {len(names) - 1}")
        return names[request.action_index]

    def _control(self) -> dict[str, Any]:
        clock = self.line.renderer.clock
        seat = self.line.renderer.controls.seat(self.slot)
        return control_state(seat.driver, clock.tick_mode, clock.human_action_timeout_seconds)


class Admin(Conversation):
    """`/admin`: the clock, branches, links for others."""

    def __init__(self, server: LiveServer, connection: ServerConnection) -> None:
        super().__init__(server, connection)
        self._branches: set[asyncio.Task[None]] = set()

    async def obey(self, request: Request) -> None:
        game = self.server.game
        if request.type == "branch":  # slow, so it runs in the background
            task = asyncio.ensure_future(self._branch(request))
            self._branches.add(task)
            task.add_done_callback(self._branches.discard)
            return
        if request.type == "close_line":
            await asyncio.to_thread(game.close_line, request.line)
        elif request.type == "invite":
            await self._ok(request, address=self.server.invite(request.rights, request.slot))
            return
        elif request.type == "end":
            game.line(request.line).renderer.clock.end()
        else:
            self._set_clock(request)
        await self._ok(request)

    def _set_clock(self, request: Request) -> None:
        renderer = self.server.game.line(request.line).renderer
        if request.type == "pause":
            renderer.clock.pause()
        elif request.type == "resume":
            renderer.clock.play()
        elif request.type == "step":
            renderer.clock.step(request.count)
        elif request.type == "speed":
            renderer.clock.set_speed(request.steps_per_second)
        elif request.type == "mode":
            renderer.controls.choose_mode(request.tick_mode)
        else:
            raise BadOrder(f"This WebSocket does not accept {request.type!r}")

    async def _branch(self, request: Request) -> None:
        with suppress(ConnectionClosed):
            try:
                number = await asyncio.to_thread(self.server.game.branch, request.line, request.tick)
            except LiveError as error:
                await self.fail(str(error), request.request_id)
            else:
                await self._ok(request, line=number)

    async def _ok(self, request: Request, **more: object) -> None:
        await self.send({"type": "ok", "request_id": request.request_id, **more})


def _results(line: Line) -> dict[str, Any]:
    feed, error = line.renderer.feed, None if line.error is None else str(line.error)
    return {"scores": feed.scores, "steps": feed.tick, "stats": feed.stats, "error": error}
