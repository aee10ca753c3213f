"""A commissioner as a program: write a handler, call `serve_commissioner`.

class Mine:
    def __call__(self, message):
        if isinstance(message, ScheduleRoundsRequest):
            return ScheduleRoundsResponse(...)

serve_commissioner(Mine)
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING

from pydantic import ValidationError

from coworld.commissioner.protocol import COMMISSIONER_MESSAGE_MAX_BYTES, Message, PlatformMessage, message_problems
from coworld.errors import CoworldError

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

__all__ = ["Handler", "HandlerFailed", "serve_commissioner", "start_commissioner"]

Handler = Callable[[Message], Message | Iterable[Message] | None]
"""Answers one message with no message, one, or several. It may hold state between messages."""

PING_SECONDS = 30


class HandlerFailed(CoworldError):
    """A handler failed on a valid message; the socket is closed with code 1011."""


def serve_commissioner(new_handler: Callable[[], Handler], *, host: str | None = None, port: int | None = None) -> None:
    """Serve `/healthz` and `/round` until the process receives a stop signal.

    Every connection gets a new handler from `new_handler`. A message that cannot be read, or a handler that
    fails, ends the connection with the reason. Without `host` and `port`, `COGAME_HOST` and `COGAME_PORT` count, then
    0.0.0.0 and 8080.
    """

    async def forever() -> None:
        server = await start_commissioner(new_handler, host=host, port=port)
        async with server:
            await server.serve_forever()

    import contextlib

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(forever())


async def start_commissioner(
    new_handler: Callable[[], Handler], *, host: str | None = None, port: int | None = None
) -> Server:
    """Start a commissioner and return its listening server; port 0 takes a free port."""
    from websockets.asyncio.server import serve

    async def talk(connection: ServerConnection) -> None:
        await _talk(connection, new_handler())

    return await serve(
        talk,
        host or os.environ.get("COGAME_HOST", "0.0.0.0"),
        int(os.environ.get("COGAME_PORT", "8080")) if port is None else port,
        process_request=_route,
        max_size=COMMISSIONER_MESSAGE_MAX_BYTES,
        ping_interval=PING_SECONDS,
        ping_timeout=PING_SECONDS,
    )


def _route(connection: ServerConnection, request: Request) -> Response | None:
    path = request.path.split("?", 1)[0]
    if path == "/healthz":
        return connection.respond(HTTPStatus.OK, '{"ok": true}\n')
    if path != "/round":
        return connection.respond(HTTPStatus.NOT_FOUND, "a commissioner has /healthz and /round\n")
    return None


async def _talk(connection: ServerConnection, handler: Handler) -> None:
    async for text in connection:
        try:
            answer = handler(_platform_message(text))
            messages = [answer] if isinstance(answer, Message) else list(answer or ())
        except HandlerFailed as error:
            print(f"commissioner: {error}", file=sys.stderr, flush=True)
            await connection.close(1011, str(error)[:120])
            return
        except (CoworldError, json.JSONDecodeError, UnicodeDecodeError) as error:
            print(f"commissioner: refused a message: {error}", file=sys.stderr, flush=True)
            await connection.close(1008, str(error)[:120])
            return
        for message in messages:
            await connection.send(json.dumps(message.to_json()))


def _platform_message(text: str | bytes) -> Message:
    try:
        return PlatformMessage.from_json(json.loads(text))
    except ValidationError as error:
        raise message_problems(error) from None
