"""The sockets by which workers connect the games that they run: see `observatory.hosting.tunnels`."""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from contextlib import suppress

from sqlalchemy.orm import Session
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from observatory.clock import Clock
from observatory.database import Database
from observatory.database.tables.hosted import HostedStatus
from observatory.errors import Conflict, ObservatoryError
from observatory.events import ChangeKind
from observatory.hosting import games
from observatory.hosting.peers import Place
from observatory.hosting.tunnels import Tunnel, Tunnels
from observatory.job_states import IN_WORK
from observatory.jobs import service as jobs
from observatory.routes.peers import relay

__all__ = ["held_job_of", "pages_of", "routes"]

READY_SECONDS = 30.0
"""how long a worker may take to say that its game is ready"""
LOST_CONNECTION = "The connection to the machine that ran the game was lost"
_STOPPED = "The server was stopped"
_REFUSED = 1008
_PAGES = re.compile(r"/clients?")


async def connect_tunnel(socket: WebSocket) -> None:
    """Hold the tunnel of a game until the game ends. If the worker goes away, the game has ended."""
    state = socket.app.state
    database: Database = state.database
    tunnels: Tunnels = state.tunnels
    job_id = await held_job_of(socket)
    if job_id is None:
        return
    await socket.accept()
    pages = await pages_of(socket)
    if pages is None:
        return
    tunnel = Tunnel(job_id, socket, pages, max_streams=state.settings.max_hosted_sockets)
    tunnels.add(tunnel)
    reason: str | None = LOST_CONNECTION
    try:
        await database.write(lambda session: _ready(session, job_id, state.clock, database.server_id))
        reason = await _hold(socket, tunnel, database, state)
    except ObservatoryError as problem:
        reason = problem.message
    finally:
        tunnels.remove(tunnel)
    # The worker finishes the job of a game that ended by itself, because it may have results to send.
    if reason is not None:
        await database.write(lambda session: _end(session, job_id, reason, state.clock))
        await tunnel.end(reason)
    with suppress(RuntimeError):
        await socket.close()


async def pages_of(socket: WebSocket) -> str | None:
    """Return the folder of the pages of a worker's game that is ready; None after the socket was refused."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            pages = json.loads(await socket.receive_text())["ready"]["pages"]
        if isinstance(pages, str) and _PAGES.fullmatch(pages):
            return pages
    except (TimeoutError, ValueError, KeyError, TypeError, WebSocketDisconnect):
        pass
    with suppress(RuntimeError):
        await socket.close(_REFUSED, "Say what is ready first")
    return None


async def connect_stream(socket: WebSocket) -> None:
    """Attach a stream that the server has asked for."""
    job_id = await held_job_of(socket)
    tunnel = socket.app.state.tunnels.find(job_id)
    if tunnel is None and job_id is not None:
        place = await socket.app.state.peers.find(job_id)
        if place is not None:
            await _pass_on(socket, place)
            return
    if tunnel is None:
        with suppress(RuntimeError):
            await socket.close(_REFUSED, "There is no such game")
        return
    await tunnel.attach(socket.path_params["stream_id"], socket)


async def _pass_on(socket: WebSocket, place: Place) -> None:
    """Connect a worker's stream to the server that has asked for it: a balancer sent it here."""
    headers = {"X-Auth-Token": socket.headers.get("x-auth-token", "")}
    try:
        other = await socket.app.state.peers.connect(place, socket.url.path, headers)
    except ObservatoryError:
        await socket.close(_REFUSED, "There is no such game")
        return
    await socket.accept()
    try:
        await relay(socket, other)
    finally:
        await other.close()
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close()


async def _hold(socket: WebSocket, tunnel: Tunnel, database: Database, state: object) -> str | None:
    """Return why the game has to end; None if it ended by itself, or was ended already."""

    async def ended_by_worker() -> str | None:
        try:
            while True:
                document = json.loads(await socket.receive_text())
                if "ended" in document:
                    return None
        except (WebSocketDisconnect, ValueError, TypeError, KeyError, RuntimeError):
            return LOST_CONNECTION

    async def ended_here() -> str | None:
        hub = database.changes
        with hub.subscribe_async() as changes:
            while True:
                versions = hub.versions([ChangeKind.HOSTED])
                is_over, error = await database.query(lambda session: _state(session, tunnel.job_id))
                if is_over:
                    await tunnel.end(error)
                    return None
                if hub.closed:
                    return _STOPPED
                await changes.wait_for([ChangeKind.HOSTED], versions, time.monotonic() + _POLL_SECONDS)

    tasks = [asyncio.create_task(ended_by_worker()), asyncio.create_task(ended_here())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_POLL_SECONDS = 5.0


async def held_job_of(socket: WebSocket) -> uuid.UUID | None:
    """Return the job that the token of a worker holds; None after the socket was refused."""
    database: Database = socket.app.state.database

    def held(session: Session) -> uuid.UUID:
        job = jobs.held_job(session, uuid.UUID(socket.path_params["job_id"]), socket.headers.get("x-auth-token"))
        if job.status not in IN_WORK:
            raise Conflict(f"The job is {job.status.value}")
        return job.id

    try:
        return await database.query(held)
    except (ObservatoryError, ValueError):
        await socket.close(_REFUSED)
        return None


def _ready(session: Session, job_id: uuid.UUID, clock: Clock, server_id: uuid.UUID) -> None:
    game = games.game_of_job(session, job_id)
    if game is None:
        raise Conflict("This job hosts no game")
    games.mark_running(session, game, now=clock(), server_id=server_id)


def _state(session: Session, job_id: uuid.UUID) -> tuple[bool, str | None]:
    game = games.game_of_job(session, job_id)
    return (True, None) if game is None else (game.status is HostedStatus.ENDED, game.error)


def _end(session: Session, job_id: uuid.UUID, reason: str, clock: Clock) -> None:
    game = games.game_of_job(session, job_id)
    if game is not None:
        games.end_game(session, game, reason, now=clock())


routes = [
    WebSocketRoute("/work/jobs/{job_id}/tunnel", connect_tunnel),
    WebSocketRoute("/work/jobs/{job_id}/streams/{stream_id}", connect_stream),
]
