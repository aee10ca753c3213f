"""The sockets between servers of one database: streams of hosted games, and the rows of live matches."""

from __future__ import annotations

import asyncio
import json
import struct
import uuid
from contextlib import suppress
from typing import Any, Protocol

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from observatory.errors import ObservatoryError, TooManyRequests, Unavailable
from observatory.hosting.peers import PROOF, RESPONSES, Peers, Place
from observatory.http.response_cache import ResponseCache
from observatory.http.shared_responses import read_question, write_answer
from observatory.live.broadcasts import Broadcast, Broadcasts

__all__ = ["follow_live", "relay", "routes"]

_REFUSED = 1008
_HEAD = struct.Struct("<dI")
"""of a message of a live match: seconds until it is due, and its tick"""
RETRY_SECONDS = 2.0


class _Socket(Protocol):
    async def send_text(self, data: str) -> None: ...
    async def send_bytes(self, data: bytes) -> None: ...


async def open_stream(socket: WebSocket) -> None:
    """Open a stream of a tunnel of this server for another one."""
    state = socket.app.state
    peers: Peers = state.peers
    tunnel = state.tunnels.find(_uuid(socket.path_params["job_id"]))
    if not peers.is_peer(socket.headers.get(PROOF), socket.url.path):
        await socket.close(_REFUSED)
        return
    await socket.accept()
    stream = place_id = None
    try:
        asked = json.loads(await socket.receive_text())
        place_id = uuid.UUID(asked["place"])
        if tunnel is None:
            raise Unavailable("The game has just ended")
        stream = await tunnel.open(place_id, asked["request"], shared=bool(asked["shared"]))
        await socket.send_text(json.dumps({"open": True}))
        await relay(socket, stream.socket)
    except ObservatoryError as refusal:
        full = isinstance(refusal, TooManyRequests)
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.send_text(json.dumps({"open": False, "full": full, "message": refusal.message}))
    except (RuntimeError, WebSocketDisconnect, ValueError, KeyError, TypeError):
        pass
    finally:
        if tunnel is not None and stream is not None and place_id is not None:
            tunnel.close(place_id, stream)
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close()


async def relay(one: Any, other: Any) -> int:
    """Carry messages both ways until one side closes; return the code with which it closed."""
    tasks = [asyncio.create_task(_carry(one, other)), asyncio.create_task(_carry(other, one))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return max(0 if task.exception() else task.result() for task in done)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _carry(source: Any, target: _Socket) -> int:
    while True:
        message = await source.receive()
        if message["type"] == "websocket.disconnect":
            return int(message.get("code") or 0)
        text, data = message.get("text"), message.get("bytes")
        if text is not None:
            await target.send_text(text)
        elif data is not None:
            await target.send_bytes(data)


async def send_live(socket: WebSocket) -> None:
    """Send the rows of a match to another server, which has watchers; at once, with the time at which each is due."""
    state = socket.app.state
    broadcasts: Broadcasts = state.broadcasts
    match_id = _uuid(socket.path_params["match_id"])
    if match_id is None or not state.peers.is_peer(socket.headers.get(PROOF), socket.url.path):
        await socket.close(_REFUSED)
        return
    broadcast = broadcasts.find(match_id)
    if broadcast is None or not broadcast.is_connected:
        await socket.close(_REFUSED, "No worker sends this match here")
        return
    await socket.accept()

    async def leave() -> None:
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass

    async def send() -> None:
        attempt, position = broadcast.attempt, 0
        while attempt == broadcast.attempt:
            entries = broadcast.entries
            while position < len(entries):
                entry = entries[position]
                position += 1
                await socket.send_bytes(_HEAD.pack(entry.due - broadcasts.clock(), entry.tick) + entry.data)
            if broadcast.has_ended or broadcast.is_full or not broadcast.is_connected:
                await socket.send_text(json.dumps({"ended": broadcast.has_ended, "full": broadcast.is_full}))
                return
            await broadcast.wait(None)

    with broadcasts.watching(match_id, "another server", most=1 << 30, most_of_address=1 << 30):
        tasks = [asyncio.create_task(leave()), asyncio.create_task(send())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close()


async def follow_live(peers: Peers, broadcasts: Broadcasts, broadcast: Broadcast) -> None:
    """Fill the broadcast of this server from the server to which the worker is connected, while it has watchers."""
    while broadcast.watchers:
        place: Place | None = None if broadcast.is_connected else await peers.find(broadcast.match_id)
        if place is not None:
            with suppress(ObservatoryError, RuntimeError, ValueError):
                await _follow_once(peers, place, broadcasts, broadcast)
            peers.forget(broadcast.match_id)
        await asyncio.sleep(RETRY_SECONDS)


async def _follow_once(peers: Peers, place: Place, broadcasts: Broadcasts, broadcast: Broadcast) -> None:
    socket = await peers.connect(place, f"/work/peers/live/{broadcast.match_id}")
    with broadcasts.sending(broadcast.match_id, is_own=False):
        attempt = broadcast.attempt
        try:
            while broadcast.attempt == attempt:
                message = await socket.receive()
                data, text = message.get("bytes"), message.get("text")
                if message["type"] == "websocket.disconnect" or broadcast.attempt != attempt:
                    return
                if data is not None:
                    seconds, tick = _HEAD.unpack_from(data)
                    broadcast.add(data[_HEAD.size :], tick, due=broadcasts.clock() + seconds)
                elif text is not None and json.loads(text).get("ended") is True:
                    broadcast.end(attempt, is_over=True)
                    return
        finally:
            await socket.close()


async def share_responses(socket: WebSocket) -> None:
    """Send responses that this server has cached to another one, computed again if they are stale."""
    state = socket.app.state
    cache: ResponseCache = state.response_cache
    if not state.peers.is_peer(socket.headers.get(PROOF), socket.url.path):
        await socket.close(_REFUSED)
        return
    await socket.accept()
    base_url, sending = state.settings.base_url(), asyncio.Lock()

    async def answer(text: str) -> None:
        with suppress(RuntimeError, WebSocketDisconnect, ValueError, KeyError, TypeError):
            number, key, after = read_question(text, base_url)
            data = write_answer(number, None if key is None else await cache.share(key, after))
            async with sending:
                await socket.send_bytes(data)

    async with asyncio.TaskGroup() as tasks:
        while (message := await socket.receive())["type"] != "websocket.disconnect":
            tasks.create_task(answer(message.get("text") or ""))


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


routes = [
    WebSocketRoute(RESPONSES, share_responses),
    WebSocketRoute("/work/peers/{job_id}/streams", open_stream),
    WebSocketRoute("/work/peers/live/{match_id}", send_live),
]
