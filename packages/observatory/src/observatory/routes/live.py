"""The sockets of matches that are watched while they are played: one of the worker, and one of each watcher."""

from __future__ import annotations

import asyncio
import json
import uuid
from contextlib import suppress
from urllib.parse import urlsplit

from fastapi import Request
from sqlalchemy.orm import Session
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from observatory.accounts.principal import Principal
from observatory.database import Database
from observatory.episodes.wire import EpisodeWire
from observatory.errors import Forbidden, NotFound, ObservatoryError
from observatory.events import ChangeKind, Versions
from observatory.hosting.tunnels import Tunnel, Tunnels
from observatory.http.callers import find_principal
from observatory.http.rate_limits import address_of
from observatory.http.rights import Rights
from observatory.live.broadcasts import Broadcast, Broadcasts, Malformed
from observatory.live.rules import LIVE, LiveRule, rule_of_job, shows_itself
from observatory.live.subjects import UNKNOWN, find_subject, subject_of
from observatory.live.watching import Watcher
from observatory.routes.peers import follow_live
from observatory.routes.tunnels import held_job_of, pages_of

__all__ = ["routes"]

_REFUSED = 1008
_GONE = 1001
_FACTS = (ChangeKind.FRIENDLY, ChangeKind.MATCH, ChangeKind.SEASON, ChangeKind.QUEUE)


async def send_rows(socket: WebSocket) -> None:
    """Take the rows of a match from its worker, and tell the worker whether anyone watches."""
    state = socket.app.state
    broadcasts: Broadcasts = state.broadcasts
    job_id = await held_job_of(socket)
    if job_id is None:
        return
    found = await state.database.query(lambda session: rule_of_job(session, job_id))
    if found is None:
        await socket.close(_REFUSED, "This match is not shown live")
        return
    match_id, rule = found
    await socket.accept()
    with broadcasts.sending(match_id) as broadcast:
        tasks = [asyncio.create_task(_take(socket, broadcast, rule)), asyncio.create_task(_ask(socket, broadcast))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close()


async def _take(socket: WebSocket, broadcast: Broadcast, rule: LiveRule) -> None:
    attempt = broadcast.attempt
    with suppress(WebSocketDisconnect, RuntimeError, Malformed, ValueError):
        while broadcast.attempt == attempt:
            message = await socket.receive()
            data, text = message.get("bytes"), message.get("text")
            if message["type"] == "websocket.disconnect" or broadcast.attempt != attempt:
                return
            if data is not None:
                broadcast.take(data, delay_seconds=rule.delay_seconds)
            elif text is not None and json.loads(text).get("ended") is True:
                broadcast.end(attempt, is_over=True)
                return


async def _ask(socket: WebSocket, broadcast: Broadcast) -> None:
    """Say when the first watcher has come and when the last one has left."""
    attempt, asked = broadcast.attempt, False
    with suppress(WebSocketDisconnect, RuntimeError):
        while broadcast.attempt == attempt:
            if broadcast.is_wanted != asked:
                asked = broadcast.is_wanted
                await socket.send_text(json.dumps({"watch": asked}))
            await broadcast.wait(None)


async def show_game(socket: WebSocket) -> None:
    """Hold the tunnel of an episode whose game has pages of its own, for spectators. The episode does not need it."""
    state = socket.app.state
    tunnels: Tunnels = state.tunnels
    job_id = await held_job_of(socket)
    if job_id is None:
        return
    if not await state.database.query(lambda session: shows_itself(session, job_id)):
        await socket.close(_REFUSED, "This episode is not shown live")
        return
    await socket.accept()
    pages = await pages_of(socket)
    if pages is None:
        return
    tunnel = Tunnel(job_id, socket, pages, max_streams=state.settings.max_hosted_sockets)
    tunnels.add(tunnel)
    try:
        with suppress(WebSocketDisconnect, ValueError, TypeError, RuntimeError):
            while "ended" not in json.loads(await socket.receive_text()):
                pass
    finally:
        tunnels.remove(tunnel)
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close()


async def watch_match(socket: WebSocket) -> None:
    """Show a match to one watcher."""
    state = socket.app.state
    database, broadcasts, settings = state.database, state.broadcasts, state.settings
    wire = EpisodeWire(state.store, settings)
    await socket.accept()
    try:
        state.rate_limits.check(_request(socket))
        principal = await database.query(lambda session: _caller(socket, session))
        match_id = _match_id(socket)
        if settings.max_live_watchers == 0:
            raise Forbidden("On this server matches can be watched after their end only")
        subject = await database.query(lambda session: find_subject(session, match_id, principal, wire))
        most, most_of_address = settings.max_live_watchers, settings.max_live_watchers_per_address
        address = address_of(_request(socket))
        with broadcasts.watching(match_id, address, most=most, most_of_address=most_of_address) as broadcast:
            broadcast.subject = subject
            if broadcast.follower is None:
                broadcast.follower = asyncio.create_task(_follow(database, broadcast, wire))
            if broadcast.upstream is None and database.has_peers:
                broadcast.upstream = asyncio.create_task(follow_live(state.peers, broadcasts, broadcast))
            await _show(socket, broadcast, principal)
    except ObservatoryError as refusal:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.send_text(json.dumps({"type": "error", "message": refusal.message}))
    except (RuntimeError, WebSocketDisconnect, TimeoutError):
        pass
    code = _GONE if database.changes.closed else 1000
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close(code)


async def _show(socket: WebSocket, broadcast: Broadcast, principal: Principal | None) -> None:
    state = socket.app.state
    rights = Rights(_request(socket), principal)

    async def listen() -> None:
        """Notice that the watcher has left; nothing that it sends counts."""
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass

    async def may_stay() -> bool:
        return not state.database.changes.closed and await rights.still_hold(state.database)

    watcher = Watcher(socket, state.broadcasts, broadcast, principal, may_stay)
    tasks = [asyncio.create_task(watcher.run()), asyncio.create_task(listen())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _follow(database: Database, broadcast: Broadcast, wire: EpisodeWire) -> None:
    """Read the match again whenever it may have changed, once for all its watchers."""
    hub = database.changes
    seen: Versions = ()
    with hub.subscribe_async() as changes:
        while not hub.closed:
            versions = hub.versions(_FACTS)
            if versions != seen:
                seen = versions
                subject = await database.query(lambda session: subject_of(session, broadcast.match_id, wire))
                if subject != broadcast.subject:
                    broadcast.subject = subject
                    broadcast.notify()
            await changes.wait()
    broadcast.notify()  # the server stops


def _request(socket: WebSocket) -> Request:
    """Return the request that opened a socket. Only a page of this site may use the cookie of a browser.

    A page cannot send headers with a socket: an administrator's says `elevated=1` in its address instead.
    """
    headers = [(name, value) for name, value in socket.scope["headers"] if name != b"x-use-elevated-privileges"]
    origin = socket.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != socket.headers.get("host"):
        headers = [(name, value) for name, value in headers if name != b"cookie"]
    if socket.query_params.get("elevated") == "1" or "x-use-elevated-privileges" in socket.headers:
        headers.append((b"x-use-elevated-privileges", b"true"))
    return Request({**socket.scope, "type": "http", "method": "GET", "headers": headers})


def _caller(socket: WebSocket, session: Session) -> Principal | None:
    return find_principal(_request(socket), session)[0]


def _match_id(socket: WebSocket) -> uuid.UUID:
    try:
        return uuid.UUID(socket.path_params["match_id"])
    except ValueError:
        raise NotFound(UNKNOWN) from None


routes = [
    WebSocketRoute("/work/jobs/{job_id}/live", send_rows),
    WebSocketRoute("/work/jobs/{job_id}/show", show_game),
    WebSocketRoute(LIVE + "{match_id}", watch_match),
]
