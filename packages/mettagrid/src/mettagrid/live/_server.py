"""The server of a live game: pages over HTTP, and three WebSockets."""

from __future__ import annotations

import asyncio
import ipaddress
import itertools
import logging
import re
import socket
import threading
import time
import weakref
import webbrowser
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from mettagrid.live._sockets import Admin, Conversation, Player, Watcher
from mettagrid.live._tokens import Grant, Rights, Tokens
from mettagrid.live.errors import BadOrder, LiveError, Refused
from mettagrid.util.display import has_display
from mettagrid.viewer._pages import pages_folder, policy
from mettagrid.viewer._server import _type_of
from mettagrid.viewer.errors import PagesMissing

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.live._game import Line, Lines
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.simulator.simulator import Simulation

__all__ = ["LiveServer"]

logger = logging.getLogger("mettagrid.live")
_silent = logging.getLogger("mettagrid.live.connections")  # unsolicited traffic would flood the log
_silent.setLevel(logging.CRITICAL)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_MESSAGE_BYTES = 1 << 16
MAX_CONNECTIONS = 128
_HOST = re.compile(r"[\w.:\[\]-]+", re.ASCII)
_PAGES = ("/", "/client/global", "/client/player")
_PREFIX = re.compile(r"/clients?/")
"""Coworld pages are served under a folder, so their relative file paths start with it too"""


class LiveServer:
    """Serves a game in its own thread until it is closed. Use it with `with`, or call `close`.

    `address` is a link with all rights; `invite` creates links with fewer. Watching and driving need a token of this
    server. Pages from other origins and requests for other host names are refused. With a `host` other than a loopback
    address, links work over the network; `host_names` are further names under which clients reach the server.

    For other access rules, override `is_ours`, `admit` or `conversation` in a subclass.
    """

    sockets: tuple[str, ...] = ("/global", "/player", "/admin")
    pages: tuple[str, ...] = _PAGES
    """paths that serve the viewer"""

    def __init__(
        self, game: Lines, *, host: str = "127.0.0.1", port: int = 0, host_names: tuple[str, ...] = ()
    ) -> None:
        self.game = game
        self.tokens = Tokens()
        self._host = host
        self._names = {host.lower(), *(name.lower() for name in host_names)}
        self._host_token = self.tokens.new(Grant("host"))
        self._connection_ids = itertools.count()
        self._pages_open = 0
        self.ever_watched = False
        self._closing = False
        self._interface: tuple[MettaGridConfig | None, PolicyEnvInterface | None] = (None, None)
        self._loop = asyncio.new_event_loop()
        self._signal = Signal(self._loop)
        self._followed: weakref.WeakSet[Line] = weakref.WeakSet()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family)
        self._server: Server | None = None
        self.connections: dict[int, dict[int, list[str]]] = {}
        """line -> slot -> names of the connected clients"""
        self.players: dict[str, Player] = {}
        game.listen(self._signal.set)
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True, name="live-server")
        self._thread.start()
        started.wait()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def address(self) -> str:
        """The host's link to the game. The token is in the fragment, after the `#`, which browsers do not send."""
        return self._address(self._host_token)

    @property
    def pages_open(self) -> int:
        """The number of clients that are watching."""
        return self._pages_open

    def wait_for_pages_to_close(self, seconds: float) -> None:
        """Wait until no page has been open for this many seconds."""
        quiet_since = None
        while quiet_since is None or time.monotonic() < quiet_since + seconds:
            if self._pages_open:
                quiet_since = None
            elif quiet_since is None:
                quiet_since = time.monotonic()
            time.sleep(0.1)

    def invite(self, rights: Rights, slot: int | None = None) -> str:
        """Return a link for another person; raises BadOrder if there is no such cog."""
        if rights not in ("player", "watch"):
            raise BadOrder(f"An invitation is for 'player' or 'watch', not {rights!r}")
        renderer = self.game.line(0).renderer
        if slot is not None and renderer.started.is_set():
            renderer.controls.seat(slot)
        return self._address(self.tokens.new(Grant(rights, slot)))

    def open_browser(self) -> bool:
        """Open the address in the user's browser; return False if there is no suitable browser."""
        return has_display() and webbrowser.open(self.address)

    def close(self) -> None:
        """Stop serving. Calling it again has no effect."""
        if self._closing:
            return
        self._closing = True
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def next_name(self) -> str:
        return f"player-{next(self._connection_ids)}"

    def interface(self, simulation: Simulation) -> PolicyEnvInterface:
        """Return the policies' description of the game, shared by all lines until the game is replaced."""
        config, interface = self._interface
        if interface is None or config is not simulation.config:
            from mettagrid.policy.policy_env_interface import PolicyEnvInterface

            interface = PolicyEnvInterface.from_mg_cfg(simulation.config)
            self._interface = simulation.config, interface
        return interface

    def follow(self, line: Line) -> None:
        """Subscribe to the events of a line."""
        if line not in self._followed:
            self._followed.add(line)
            line.renderer.clock.listen(self._signal.set)
            line.renderer.controls.refused = self._refuse

    async def news(self, seen: int) -> int:
        """Wait for an event after number `seen`, the last return value, and return the newest number."""
        return await self._signal.wait(seen)

    def _refuse(self, name: str, sentence: str) -> None:
        player = self.players.get(name)
        if player is not None:
            with suppress(RuntimeError):  # the server may close before the game does
                self._loop.call_soon_threadsafe(player.complain, sentence)

    def _address(self, token: str) -> str:
        host = "127.0.0.1" if self._host in ("", "0.0.0.0") else "::1" if self._host == "::" else self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?live=1#token={token}"

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(_notice)

        async def begin() -> None:
            self._server = await serve(
                self._connected,
                sock=self._listener,
                process_request=self._answer,
                compression=None,
                max_size=MAX_MESSAGE_BYTES,
                # The library's pings draw from the random generators that policies share; ours do not, see `_sockets`.
                ping_interval=None,
                close_timeout=2,
                server_header=None,
                logger=_silent,
            )
            started.set()

        self._loop.run_until_complete(begin())
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    async def _stop(self) -> None:
        assert self._server is not None
        self._server.close(close_connections=False)
        await asyncio.gather(
            *(connection.close(1000, "The game is over") for connection in list(self._server.connections))
        )
        await self._server.wait_closed()
        self._loop.stop()

    async def _connected(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        grant, line, slot = connection.live  # type: ignore[attr-defined]  # put there by `_answer`
        path = urlsplit(connection.request.path).path
        self.follow(line)
        conversation = self.conversation(path, connection, grant, line, slot)
        watches = isinstance(conversation, Watcher)
        self._pages_open += watches
        self.ever_watched |= watches
        try:
            await conversation.run()
        except ConnectionClosed:
            pass
        except Exception:  # a bug in the server; the other connections continue
            logger.exception("A connection to %s failed", path)
            raise
        finally:
            self._pages_open -= watches

    def conversation(
        self, path: str, connection: ServerConnection, grant: Grant, line: Line, slot: int
    ) -> Conversation:
        """Return the conversation for an accepted connection."""
        if path == "/global":
            return Watcher(self, connection, grant, line)
        if path == "/player":
            return Player(self, connection, grant, line, slot)
        return Admin(self, connection)

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Return None to open a WebSocket, or the HTTP response to send instead."""
        if not self.is_ours(request.headers):
            return _text(HTTPStatus.FORBIDDEN, "This server only accepts requests for its own host name")
        method = getattr(request, "method", "GET")  # older versions of the library reject other methods themselves
        if method == "HEAD":
            response = self._answer(connection, replace(request, method="GET"))
            return response and replace(response, body=b"")
        if method != "GET":
            return _text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is allowed", {"Allow": "GET, HEAD"})
        try:
            parts = urlsplit(request.path)
        except ValueError:
            return _text(HTTPStatus.NOT_FOUND, "Page not found")
        if parts.path in self.sockets:
            return self._admit(connection, parts.path, parse_qs(parts.query), request.headers)
        if parts.path == "/healthz":
            return _text(HTTPStatus.OK, "ok")
        key = "index.html" if parts.path in self.pages else _PREFIX.sub("/", parts.path, count=1).lstrip("/")
        return self._page(unquote(key), request.headers)

    def is_ours(self, headers: Headers) -> bool:
        """Return whether the Host header names this machine; guards against DNS rebinding."""
        given = headers.get_all("Host")
        if len(given) != 1 or not _HOST.fullmatch(given[0]):
            return False
        try:
            host = urlsplit(f"//{given[0]}").hostname
        except ValueError:
            return False
        if host is None:
            return False
        if host in LOOPBACK or host in self._names:
            return True
        if self._host in LOOPBACK:
            return False
        try:  # DNS rebinding needs a name; IP addresses are safe
            ipaddress.ip_address(host)
        except ValueError:
            return host in (socket.gethostname().lower(), socket.getfqdn().lower())
        return True

    def admit(self, path: str, query: dict[str, list[str]], headers: Headers) -> tuple[Grant, Line, int]:
        """Return the rights, the line and the slot of a connecting client; raises `Refused` if it has no access."""
        own = (f"http://{headers['Host']}", f"https://{headers['Host']}")
        if any(origin not in own for origin in headers.get_all("Origin")):
            raise Refused("Pages of other origins are refused")
        grant = self.tokens.grant(query.get("token", [""])[0])
        if grant is None:
            raise Refused("The token is wrong; ask for a new link")
        line = self.game.line(_number(query, "line", 0))
        slot = _number(query, "slot", 0 if grant.slot is None else grant.slot)
        if path == "/player":
            line.renderer.controls.seat(slot)
        if path == "/admin" and grant.rights != "host":
            raise Refused("Only the host's link allows this")
        if path == "/player" and not grant.may_drive(slot):
            raise Refused(f"This link does not allow driving cog {slot}")
        return grant, line, slot

    def _admit(
        self, connection: ServerConnection, path: str, query: dict[str, list[str]], headers: Headers
    ) -> Response | None:
        try:
            admitted = self.admit(path, query, headers)
        except Refused as refused:
            return _text(HTTPStatus.FORBIDDEN, str(refused))
        except LiveError as error:
            return _text(HTTPStatus.NOT_FOUND, str(error))
        if "Upgrade" not in headers:
            return _text(HTTPStatus.UPGRADE_REQUIRED, "This is the address of a WebSocket, not of a page")
        assert self._server is not None
        if len(self._server.connections) > MAX_CONNECTIONS:
            return _text(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections; try again later")
        connection.live = admitted  # type: ignore[attr-defined]
        return None

    def reachable(self, headers: Headers) -> str:
        """Return the WebSocket origins that a page may connect to."""
        return f"ws://{headers['Host']}"

    def _page(self, key: str, headers: Headers) -> Response:
        try:
            folder = pages_folder().resolve()
        except PagesMissing as error:
            return _text(HTTPStatus.NOT_FOUND, str(error))
        try:
            path = (folder / key).resolve()
            if not path.is_relative_to(folder) or not path.is_file():
                return _text(HTTPStatus.NOT_FOUND, "Page not found")
            content = path.read_bytes()
        except (OSError, ValueError):
            return _text(HTTPStatus.NOT_FOUND, "Page not found")
        allowed = policy(socket=self.reachable(headers))
        return _response(HTTPStatus.OK, content, _type_of(path), {"Content-Security-Policy": allowed})


class Signal:
    """An event counter that any thread may raise and any task may wait for; bursts are coalesced."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._count = 0
        self._pending = False
        self._event = asyncio.Event()

    def set(self) -> None:
        self._count += 1
        if not self._pending:
            self._pending = True
            with suppress(RuntimeError):  # the server may close before the game does
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._pending = False
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, seen: int) -> int:
        while self._count == seen:
            await self._event.wait()
        return self._count


def _notice(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error outside of any connection, but not that clients have used up all sockets."""
    if not isinstance(context.get("exception"), OSError):
        loop.default_exception_handler(context)


def _number(query: dict[str, list[str]], name: str, default: int) -> int:
    text = query.get(name, [str(default)])[0]
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise BadOrder(f"`{name}` must be a number")
    return int(text)


def _text(status: HTTPStatus, sentence: str, more: dict[str, Any] | None = None) -> Response:
    return _response(status, f"{sentence}\n".encode(), "text/plain; charset=utf-8", more or {})


def _response(status: HTTPStatus, content: bytes, kind: str, more: dict[str, Any]) -> Response:
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(content)),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "Connection": "close",
        **more,
    }
    return Response(status.value, status.phrase, Headers(headers), content)
