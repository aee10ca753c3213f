"""The routes of a Coworld: the viewer at every page address of both generations, and the sockets behind it."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from cogsguard.coworld.sockets import ReplayTeller, SeatedPlayer
from mettagrid.live import Grant, Lines, LiveRenderer, LiveServer, Refused, Watcher

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.datastructures import Headers

    from cogsguard.coworld.seats import Hearing, Seats
    from mettagrid.live import Conversation, Line

__all__ = ["EpisodeServer", "ReplayServer"]

GOODBYE_SECONDS = 5.0


def _pages(*names: str) -> tuple[str, ...]:
    return tuple(f"/{folder}/{name}" for folder in ("client", "clients") for name in names)


class CoworldServer(LiveServer):
    """Accepts any host and origin: a Coworld does not know its public name or its pages. Tokens protect it."""

    def is_ours(self, headers: Headers) -> bool:
        return True

    def reachable(self, headers: Headers) -> str:
        return "ws: wss:"  # a page's query may name a socket; see `address` in the protocols


class EpisodeServer(CoworldServer):
    """`/player` for holders of a slot's token, `/global` for everyone, `/admin` for holders of the admin token.

    A game without an admin token has no `/admin`. A client's address grants nothing: sandboxed players are local too.
    """

    def __init__(
        self,
        game: Lines,
        *,
        tokens: Sequence[str],
        seats: Seats,
        hearing: Hearing,
        host: str,
        port: int,
        admin_token: str = "",
    ) -> None:
        admin = ("admin",) if admin_token else ()
        self.sockets = ("/global", "/player", *(f"/{name}" for name in admin))
        self.pages = ("/", *_pages("player", "global", *admin))
        self._admin_token = admin_token.encode()
        self._slot_tokens = [token.encode() for token in tokens]
        self._seats = seats
        self._hearing = hearing
        self._listeners: list[SeatedPlayer | Watcher] = []
        super().__init__(game, host=host, port=port)

    def admit(self, path: str, query: dict[str, list[str]], headers: Headers) -> tuple[Grant, Line, int]:
        line = self.game.line(0)
        given, token = query.get("slot", [""])[-1], query.get("token", [""])[-1]
        if path == "/player":
            if not self._is_seat(given, token):
                raise Refused("Unknown slot or wrong token")
            return Grant("player", int(given)), line, int(given)
        is_admin = self._is_admin(token)
        if path == "/admin":
            if not is_admin:
                raise Refused("Only the admin link of this episode can control the game")
            return Grant("host"), line, 0
        if self._is_seat(given, token):
            return Grant("player", int(given)), line, 0
        wants_to_steer = query.get("rights", [""])[-1] == "host"
        return Grant("host" if wants_to_steer and is_admin else "watch"), line, 0

    def conversation(
        self, path: str, connection: ServerConnection, grant: Grant, line: Line, slot: int
    ) -> Conversation:
        if path != "/player" or _is_watching(connection):
            watched = "/global" if path == "/player" else path
            conversation = super().conversation(watched, connection, grant, line, slot)
        else:
            conversation = SeatedPlayer(self, connection, grant, line, slot, seats=self._seats, hearing=self._hearing)
        if isinstance(conversation, SeatedPlayer | Watcher):
            self._listeners = [listener for listener in self._listeners if not _is_disconnected(listener)] + [
                conversation
            ]
        return conversation

    def say_goodbye(self) -> None:
        """Wait until all connected clients have received the result of the game, at most a few seconds."""
        deadline = time.monotonic() + GOODBYE_SECONDS
        while time.monotonic() < deadline:
            if all(listener.sent_final or _is_disconnected(listener) for listener in self._listeners):
                return
            time.sleep(0.01)

    def _is_admin(self, token: str) -> bool:
        return bool(self._admin_token) and hmac.compare_digest(self._admin_token, token.encode(errors="replace"))

    def _is_seat(self, slot: str, token: str) -> bool:
        if not (slot.isascii() and slot.isdecimal() and len(slot) <= 3 and int(slot) < len(self._slot_tokens)):
            return False
        return hmac.compare_digest(self._slot_tokens[int(slot)], token.encode(errors="replace"))


class ReplayServer(CoworldServer):
    """Serves a replay to any number of pages. `load` gets `uri` from the page's query, which only older runners set."""

    sockets = ("/replay",)
    pages = ("/", *_pages("replay"))

    def __init__(self, load: Callable[[str], bytes], *, host: str, port: int) -> None:
        self._load = load
        super().__init__(Lines("Replay", LiveRenderer()), host=host, port=port)

    def admit(self, path: str, query: dict[str, list[str]], headers: Headers) -> tuple[Grant, Line, int]:
        return Grant("watch"), self.game.line(0), 0

    def conversation(
        self, path: str, connection: ServerConnection, grant: Grant, line: Line, slot: int
    ) -> Conversation:
        assert connection.request is not None
        uri = parse_qs(urlsplit(connection.request.path).query).get("uri", [""])[-1]
        return ReplayTeller(self, connection, lambda: self._load(uri))


def _is_watching(connection: ServerConnection) -> bool:
    """Return whether a seat asks for the messages of `/global`: the league's proxy opens no other socket for a seat."""
    assert connection.request is not None
    return parse_qs(urlsplit(connection.request.path).query).get("watch", [""])[-1] == "1"


def _is_disconnected(conversation: SeatedPlayer | Watcher) -> bool:
    return conversation.connection.close_code is not None
