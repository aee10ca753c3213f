"""Replay mode: the same pages over a recorded game."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib

from websockets.asyncio.server import ServerConnection

from coworld.examples.paintarena.game.routes import Routes
from coworld.uris.transfer import UriError, public_uri, read_uri

_KEYS = ("config", "player_names", "frames", "results")


class ReplayUnreadable(ValueError):
    """The URI does not hold a Paint Arena replay."""


def read_replay(uri: str) -> dict[str, object]:
    """Read the replay at a URI: plain, or compressed with zlib or gzip (detected by its first bytes).

    Raises:
        ReplayUnreadable: nothing there, or something else.
    """
    try:
        data = read_uri(uri)
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        elif data[:1] == b"\x78":
            data = zlib.decompress(data)
        document = json.loads(data)
    except (UriError, OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise ReplayUnreadable(f"{public_uri(uri)} holds no Paint Arena replay: {error}") from error
    if not isinstance(document, dict) or any(key not in document for key in _KEYS) or not document["frames"]:
        raise ReplayUnreadable(f"{public_uri(uri)} holds no Paint Arena replay: it needs {', '.join(_KEYS)}")
    replay = {key: document[key] for key in _KEYS}
    if isinstance(replay["config"], dict):
        replay["config"] = {key: value for key, value in replay["config"].items() if key != "tokens"}
    return replay


class ReplayRoutes(Routes):
    """Serve `/replay`: send the whole replay, then echo each message; the page does the playing."""

    def __init__(self, uri: str | None) -> None:
        super().__init__()
        self._message = _message(uri) if uri is not None else None
        self.visits = {"/replay": self._replay}

    async def _replay(self, connection: ServerConnection, query: dict[str, str]) -> None:
        message = self._message
        if message is None:
            try:
                message = await asyncio.to_thread(_message, query.get("uri", ""))
            except ReplayUnreadable as error:
                await connection.send(json.dumps({"type": "error", "message": str(error)}))
                return
        await connection.send(message)
        async for received in connection:
            try:
                command = json.loads(received)
            except (ValueError, RecursionError):
                command = received if isinstance(received, str) else None
            await connection.send(json.dumps({"type": "control", "command": command}))


def _message(uri: str) -> str:
    return json.dumps({"type": "replay", **read_replay(uri)}, separators=(",", ":"))
