"""The pages and sockets of hosted games, through the tunnels of workers. The token in the path is the credential."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from observatory.database import Database
from observatory.database.tables.hosted import HostedStatus
from observatory.errors import Forbidden, Gone, NotFound, ObservatoryError, Unavailable
from observatory.hosting import forwarding
from observatory.hosting.peers import Peers, RemoteTunnel
from observatory.hosting.places import PlaceView, find_place, folder_of
from observatory.hosting.tunnels import Broken, Stream, Tunnel
from observatory.http.frames import check_frame_request, frame_headers, frame_url, passed_headers
from observatory.http.routing import Router
from observatory.live.places import is_spectator, spectator_place
from observatory.settings import Settings

__all__ = ["game_address", "own_address", "router", "sockets"]

router = Router(prefix="/observatory/games", tags=["games"], include_in_schema=False)

OVER = "This game is over"
NOT_READY = "The game is not ready yet"
REFRESH_SECONDS = 2
READY_SECONDS = 60.0
"""how long a socket waits for a game that starts"""
MAX_TOKEN = 100
_REDIRECTS = (301, 302, 303, 307, 308)
_TRY_LATER = 1013


@router.api_route("/{token}/", methods=["GET", "HEAD"])
async def open_place(token: str, request: Request) -> Response:
    """Redirect to the game's page for a place, with the address of its socket; before that, show what it waits for."""
    place = await _place(request, token)
    folder = folder_of(token)
    headers = frame_headers(request, folder)
    if place.status == HostedStatus.ENDED:
        return _note(OVER, place.error or "It ended by itself.", headers, status=410)
    tunnel = await _find_tunnel(request, place.job_id)
    if place.status != HostedStatus.RUNNING or tunnel is None:
        return _waiting(place, headers)
    fields: list[tuple[str, str]] = [] if place.slot is None else [("slot", str(place.slot))]
    socket = game_address(request, f"{folder}{place.page}")
    fields.append(("address", "ws" + socket.removeprefix("http")))
    page = f"{folder}{tunnel.pages.strip('/')}/{place.page}?{urlencode(fields)}"
    return RedirectResponse(page, 307, headers=headers)


@router.api_route("/{token}/{path:path}", methods=["GET", "HEAD"])
async def read_page(token: str, path: str, request: Request) -> Response:
    """Return a page or file of a hosted game."""
    place = await _place(request, token)
    if place.status == HostedStatus.ENDED:
        raise Gone(OVER)
    target = forwarding.game_path(path)
    tunnel = await _tunnel(request, place)
    folder = folder_of(token)
    headers = frame_headers(request, folder)
    asked = {
        "kind": "page",
        "method": request.method,
        "path": target,
        "query": forwarding.game_query(request.url.query),
        "slot": place.slot,
        "page": place.page,
    }
    stream = await tunnel.open(place.place_id, asked, shared=place.slot is None)
    try:
        answer = await stream.answer()
        status = answer.get("status")
        pairs = forwarding.header_pairs(answer.get("headers") or [])
        if not isinstance(status, int) or not 200 <= status <= 599:
            raise Broken("The game does not answer")
    except (Broken, RuntimeError) as problem:
        tunnel.close(place.place_id, stream)
        raise Unavailable(str(problem)) from None
    except BaseException:
        tunnel.close(place.place_id, stream)
        raise
    if status in _REDIRECTS:
        tunnel.close(place.place_id, stream)
        target_address = next((value for name, value in pairs if name.lower() == "location"), "")
        address = forwarding.location(folder, target, target_address)
        if address is None:
            raise Forbidden("The game redirects to an address that is not its own")
        return RedirectResponse(address, 307, headers=headers)
    return StreamingResponse(
        _body(tunnel, place, stream), status_code=status, headers={**passed_headers(pairs), **headers}
    )


async def connect_socket(socket: WebSocket) -> None:
    """Connect a page or a program to the socket of its place."""
    token, path = socket.path_params["token"], socket.path_params["path"]
    try:
        place = await _ready_place(socket, token)
        target = forwarding.game_path(path)
        if not forwarding.may_open_socket(place, target):
            raise Forbidden(f"This place has no socket at {target[:80]}")
        tunnel = await _tunnel(socket, place)
        asked = {
            "kind": "socket",
            "path": target,
            "query": forwarding.game_query(socket.url.query),
            "slot": place.slot,
            "page": place.page,
            "protocols": _protocols(socket),
        }
        stream = await tunnel.open(place.place_id, asked, shared=place.slot is None)
    except ObservatoryError as refusal:
        await _refuse(socket, refusal)
        return
    try:
        answer = await stream.answer()
        if answer.get("open") is not True:
            await _refuse(socket, Forbidden("The game has refused the connection"))
            return
        protocol = answer.get("protocol")
        await socket.accept(protocol if protocol in _protocols(socket) else None)
        await _relay(socket, stream)
    except (Broken, RuntimeError, WebSocketDisconnect):
        with suppress(RuntimeError):
            await socket.close(_TRY_LATER)
    finally:
        tunnel.close(place.place_id, stream)


async def _relay(socket: WebSocket, stream: Stream) -> None:
    """Carry messages both ways until one side closes, no faster than the other side takes them."""

    async def to_game() -> int:
        throttle = forwarding.Throttle(time.monotonic())
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return 0
            text, data = message.get("text"), message.get("bytes")
            if text is not None:
                await stream.socket.send_text(text)
            elif data is not None:
                await stream.socket.send_bytes(data)
            if pause := throttle.pause(time.monotonic()):
                await asyncio.sleep(pause)

    async def from_game() -> int:
        while True:
            message = await stream.socket.receive()
            if message["type"] == "websocket.disconnect":
                return forwarding.close_code(message.get("code"))
            text, data = message.get("text"), message.get("bytes")
            if text is not None:
                await socket.send_text(text)
            elif data is not None:
                await socket.send_bytes(data)

    tasks = [asyncio.create_task(to_game()), asyncio.create_task(from_game())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        code = 0
        for task in done:
            with suppress(RuntimeError, WebSocketDisconnect):
                code = code or task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if code:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(code)


async def _body(tunnel: Tunnel | RemoteTunnel, place: PlaceView, stream: Stream) -> AsyncIterator[bytes]:
    try:
        async for piece in stream.body(forwarding.MAX_PAGE_BYTES):
            yield piece
    finally:
        tunnel.close(place.place_id, stream)


async def _place(request: HTTPConnection, token: str) -> PlaceView:
    """Return the place of a token; `Forbidden` for spectators who are not allowed."""
    check_frame_request(request)
    if len(token) > MAX_TOKEN:
        raise NotFound("There is no game at this address")
    state = request.app.state
    database: Database = state.database
    if is_spectator(token):
        place = await database.query(lambda session: spectator_place(session, state.keys, token))
        is_connected = place.status == HostedStatus.RUNNING and await _find_tunnel(request, place.job_id) is not None
        is_over = place.status == HostedStatus.ENDED
        return place if is_connected or is_over else replace(place, status=HostedStatus.STARTING.value)
    place = await database.query(lambda session: find_place(session, token))
    if place.is_closed:
        raise Forbidden("This game allows no spectators")
    return place


async def _ready_place(socket: WebSocket, token: str) -> PlaceView:
    """Return the place of a token once its game can be reached."""
    deadline = time.monotonic() + READY_SECONDS
    while True:
        place = await _place(socket, token)
        if place.status == HostedStatus.ENDED:
            raise Gone(OVER)
        if place.status != HostedStatus.STARTING or time.monotonic() > deadline:
            return place
        await asyncio.sleep(0.25)


async def _find_tunnel(request: HTTPConnection, job_id: uuid.UUID | None) -> Tunnel | RemoteTunnel | None:
    """Return the tunnel of a game, which another server may have."""
    state = request.app.state
    peers: Peers = state.peers
    return await peers.tunnel(job_id, state.tunnels.find(job_id))


async def _tunnel(request: HTTPConnection, place: PlaceView) -> Tunnel | RemoteTunnel:
    tunnel = await _find_tunnel(request, place.job_id)
    if tunnel is None or place.status != HostedStatus.RUNNING:
        raise Unavailable(NOT_READY)
    return tunnel


async def _refuse(socket: WebSocket, refusal: ObservatoryError) -> None:
    """Answer a handshake with the status of a refusal."""
    response = Response(
        json.dumps({"detail": refusal.message}), refusal.status, refusal.headers, media_type="application/json"
    )
    with suppress(RuntimeError):
        await socket.send_denial_response(response)


def _protocols(socket: WebSocket) -> list[str]:
    names: list[Any] = socket.scope.get("subprotocols") or []
    return [name for name in names if isinstance(name, str) and len(name) <= 100][:8]


def _waiting(place: PlaceView, headers: dict[str, str]) -> Response:
    if place.status == HostedStatus.OPEN:
        sentence = f"{place.taken} of {place.seats} seats are taken. The game starts soon after the last person joined."
    else:
        sentence = "The server starts it on a machine."
    return _note("The game starts", sentence, {**headers, "Refresh": str(REFRESH_SECONDS)}, status=200)


_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; text-align: center; padding: 0 16px; }
"""


def _note(title: str, sentence: str, headers: dict[str, str], *, status: int) -> Response:
    """Return a small page in place of the game's."""
    head = "<meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'>"
    head += f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    body = f"<main role=status><h1>{escape(title)}</h1><p>{escape(sentence)}</p></main>"
    document = f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>"
    return HTMLResponse(document, status, headers=headers)


def own_address(request: HTTPConnection, path: str) -> str:
    """Return the full address of a path of this server, as its caller reaches it."""
    settings: Settings = request.app.state.settings
    host = request.headers.get("host", "")
    base = urlsplit(settings.base_url())
    if host in ("", base.netloc):
        return settings.base_url() + path
    scheme = {"ws": "http", "wss": "https"}.get(request.url.scheme, request.url.scheme)
    return f"{scheme}://{host}{path}"


def game_address(request: HTTPConnection, path: str) -> str:
    """Return the full address of a game's page, on the host for games if there is one."""
    settings: Settings = request.app.state.settings
    return own_address(request, path) if settings.games_url is None else frame_url(settings, path)


sockets = [WebSocketRoute("/observatory/games/{token}/{path:path}", connect_socket)]
