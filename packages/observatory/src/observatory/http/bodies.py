"""Request bodies: how large and how deeply nested they may be, and JSON decoded off the event loop.

A route reads its body only after its caller is known (see `routing`). Decoding JSON holds the interpreter lock, so the
number of values is limited as well as the number of bytes: the largest body that a route accepts decodes in a fraction
of a second.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import anyio.to_thread
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import FormData
from starlette.types import Receive, Scope, Send

from observatory.errors import TooLarge, Unprocessable

__all__ = ["KILOBYTE", "LimitedRequest", "check_length", "decode_json"]

KILOBYTE = 1024
MAX_DEPTH = 80
"""a document may nest 64 levels deep, inside the lists and objects of a request"""
MAX_VALUES = 1_000_000
INLINE_BYTES = 4 * KILOBYTE
"""a body up to this size decodes faster than a thread starts"""


class LimitedRequest(Request):
    """A request whose body has at most `max_bytes`; a larger one raises `TooLarge` before it is in memory.

    A form may have the fields `form_fields` only.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, *, max_bytes: int, form_fields: frozenset[str]
    ) -> None:
        super().__init__(scope, receive, send)
        self._max_bytes = max_bytes
        self._form_fields = form_fields

    async def stream(self) -> AsyncGenerator[bytes, None]:
        size = 0
        async for piece in super().stream():
            size += len(piece)
            if size > self._max_bytes:
                raise too_large(self._max_bytes)
            yield piece

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            body = await self.body()
            if len(body) <= INLINE_BYTES:
                self._json = decode_json(body)
            else:
                self._json = await anyio.to_thread.run_sync(decode_json, body)
        return self._json

    async def _get_form(self, **options: Any) -> FormData:
        form = await super()._get_form(**options)
        unknown = sorted(form.keys() - self._form_fields)
        if unknown:
            await form.close()
            problem = {"type": "extra_forbidden", "msg": "Extra inputs are not permitted"}
            raise RequestValidationError([{**problem, "loc": ("body", name)} for name in unknown])
        return form


def check_length(request: Request, max_bytes: int) -> None:
    """Raise `TooLarge` for a body whose `Content-Length` exceeds the limit."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes:
        raise too_large(max_bytes)


def too_large(max_bytes: int) -> TooLarge:
    return TooLarge(f"The body of this request may have at most {max_bytes:,} bytes")


def decode_json(body: bytes) -> Any:
    """Decode a body. Raises `Unprocessable` for too many values or levels, `JSONDecodeError` for invalid JSON."""
    if sum(body.count(mark) for mark in (b",", b"[", b"{")) > MAX_VALUES:
        raise Unprocessable(f"The body has too many values; at most {MAX_VALUES:,} are allowed")
    try:
        document = json.loads(body)
    except RecursionError:
        document = None
        deep = True
    else:
        deep = _is_deep(document)
    if deep:
        raise Unprocessable(f"The body is nested too deeply; at most {MAX_DEPTH} levels are allowed")
    return document


def _is_deep(document: Any) -> bool:
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [
            entry
            for value in level
            for entry in (value.values() if isinstance(value, dict) else value)
            if isinstance(entry, dict | list)
        ]
    return bool(level)
