"""Run a commissioner of a Coworld on a worker of a league, and pass messages between its socket and the server.

The program gets `COGAME_HOST` and `COGAME_PORT`, has 30 seconds to answer `/healthz`, and must answer pings on `/round`
within 30 seconds. Nothing is decided here: the server says when the conversation is over.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from coworld.commissioner.protocol import COMMISSIONER_MESSAGE_MAX_BYTES
from coworld.engines.base import EngineError, Place, RunnableSpec, Running, StartFailed
from coworld.engines.missing_packages import missing_package_advice
from coworld.errors import CoworldError
from coworld.league.commissioners import OWN_COMMISSIONERS
from coworld.league.playing import league_engine, use_what_came_with_the_job
from coworld.league.programs import game_programs
from coworld.manifest.reader import read_downloaded_manifest
from coworld.models.runnables import CoworldRunnableSpec
from coworld.runner.artifacts import write_document
from coworld.runner.budget import Budget
from coworld.runner.launch import limits_of
from coworld.runner.probes import wait_healthy

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

__all__ = ["MessagePipe", "commission"]

STARTUP_SECONDS = 30.0
PING_SECONDS = 30.0
CLOSE_SECONDS = 2.0
LAST_LINES, LAST_CHARACTERS = 5, 1000
UNKNOWN_MESSAGE = 1008
"""the code with which a commissioner closes the socket when it does not know a message"""


class MessagePipe(Protocol):
    """The way to the server. Each call blocks until the server has answered."""

    def connect(self) -> bool:
        """Say that a program listens; return False if the conversation is over."""

    def receive(self, text: str) -> bool:
        """Pass on a message of the commissioner; return False if the conversation is over."""

    def fetch(self) -> tuple[list[str], bool]:
        """Wait a while for messages; return them, and False if the conversation is over after them."""

    def close(self, reason: str, *, is_refusal: bool) -> None:
        """Say that the program ended, or does not work."""


def commission(
    folder: Path, spec: Mapping[str, Any], pipe: MessagePipe, *, minimum: str, time_limit_seconds: float
) -> None:
    """Run the program and pass messages on until the conversation is over or the program has ended.

    A fault of the machine is written to `error_info.json`.
    """
    use_what_came_with_the_job(folder)
    try:
        entry = _entry(spec)
        engine = league_engine(game_programs(folder), minimum)
        running = engine.start(
            RunnableSpec(
                role="commissioner",
                name=f"coworld-league-commissioner-{secrets.token_hex(4)}",
                image=entry.image,
                run=entry.run,
                env=entry.env,
                variables=_variables,
                listens=True,
                limits=limits_of(entry.resources, time_limit_seconds),
            )
        )
    except StartFailed as problem:
        pipe.close(f"it could not be started: {problem}", is_refusal=False)
        return
    except EngineError as problem:
        message = str(problem).replace(f"{folder}/", "")
        write_document(folder / "error_info.json", {"error_type": "platform_error", "message": message})
        return
    except CoworldError as problem:
        pipe.close(str(problem).replace(f"{folder}/", ""), is_refusal=False)
        return
    try:
        asyncio.run(_talk(running, entry.image, pipe))
    finally:
        running.close()


def _variables(place: Place) -> dict[str, str]:
    return {"COGAME_HOST": place.host, "COGAME_PORT": str(place.port)}


def _entry(spec: Mapping[str, Any]) -> CoworldRunnableSpec:
    """Return the program of a job: a commissioner of the manifest, else one of ours."""
    for role in read_downloaded_manifest(dict(spec["manifest"])).commissioner:
        if role.id == spec["role_id"]:
            return role.runnable()
    for own in OWN_COMMISSIONERS:
        if own["id"] == spec["role_id"]:
            return CoworldRunnableSpec(type="commissioner", image=own["image"])
    raise CoworldError(f"the manifest has no commissioner {spec['role_id']!r}")


async def _talk(running: Running, image: str, pipe: MessagePipe) -> None:
    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidHandshake

    assert running.endpoint is not None
    host, port = running.endpoint
    problem = await wait_healthy((host, port), "/healthz", lambda: running.poll() is not None, Budget(STARTUP_SECONDS))
    if problem is not None:
        await asyncio.to_thread(pipe.close, f"/healthz: {problem}{_ending(running, image)}", is_refusal=False)
        return
    try:
        socket = await connect(
            f"ws://{host}:{port}/round",
            open_timeout=STARTUP_SECONDS,
            close_timeout=CLOSE_SECONDS,
            max_size=COMMISSIONER_MESSAGE_MAX_BYTES,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            proxy=None,
        )
    except (OSError, InvalidHandshake, TimeoutError) as error:
        reason = f"/round could not be reached: {error}{_ending(running, image)}"
        await asyncio.to_thread(pipe.close, reason, is_refusal=False)
        return
    async with socket:
        if not await asyncio.to_thread(pipe.connect):
            return
        tasks = [asyncio.create_task(_inwards(socket, pipe)), asyncio.create_task(_outwards(socket, pipe))]
        _, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:  # its call may fail once the conversation has ended, which no longer matters
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
        if any(task.done() and task.result() for task in tasks):
            await _send_rest(tasks[1])
            return
    # The socket was closed. The program may have ended a moment ago: its exit says more than the socket.
    await asyncio.to_thread(_settle, running)
    reason = f"it closed its socket ({_close_reason(socket)}){_ending(running, image)}"
    is_refusal = socket.close_code == UNKNOWN_MESSAGE
    await asyncio.to_thread(pipe.close, reason, is_refusal=is_refusal)


async def _inwards(socket: ClientConnection, pipe: MessagePipe) -> bool:
    """Pass on what the commissioner sends; return True when the conversation is over, False when the socket is."""
    from websockets.exceptions import ConnectionClosed

    try:
        async for text in socket:
            if isinstance(text, bytes):
                text = text.decode(errors="replace")
            if not await asyncio.to_thread(pipe.receive, text):
                return True
    except ConnectionClosed:
        pass
    return False


async def _outwards(socket: ClientConnection, pipe: MessagePipe) -> bool:
    """Pass on what the server sends; the result is that of `_inwards`."""
    from websockets.exceptions import ConnectionClosed

    try:
        while True:
            messages, is_open = await asyncio.to_thread(pipe.fetch)
            for text in messages:
                await socket.send(text)
            if not is_open:
                return True
    except ConnectionClosed:
        return False


async def _send_rest(outwards: asyncio.Task[bool]) -> None:
    """Let the last messages reach the commissioner, such as the abort of a round."""
    if not outwards.done():
        await asyncio.wait([outwards], timeout=CLOSE_SECONDS)


def _settle(running: Running) -> None:
    try:
        running.wait(CLOSE_SECONDS)
    except TimeoutError:
        return


def _close_reason(socket: ClientConnection) -> str:
    reason = f": {socket.close_reason}" if socket.close_reason else ""
    return f"code {socket.close_code}{reason}"


def _ending(running: Running, image: str) -> str:
    """Return how the program ended, if it has, and its last lines."""
    ended = running.poll()
    log = running.log("stderr").decode(errors="replace")
    lines = " / ".join(log.strip().splitlines()[-LAST_LINES:])[-LAST_CHARACTERS:]
    advice = missing_package_advice(log, image)
    parts = [*([ended.reason] if ended is not None else []), *([lines] if lines else []), *([advice] if advice else [])]
    return "".join(f"; {part}" for part in parts)
