"""Errors of http(s) URIs that are also `urllib` errors, which programs for the published package catch."""

from __future__ import annotations

from email.message import Message
from io import BytesIO
from urllib.error import HTTPError, URLError

from coworld.uris.transfer import UriError

__all__ = ["RefusedUriError", "UnreachableUriError"]


class RefusedUriError(UriError, HTTPError):
    """The server refused; `code` is the http status, `url` has no query. The body of the response is dropped."""

    def __init__(self, message: str, url: str, status: int) -> None:
        HTTPError.__init__(self, url, status, message, Message(), BytesIO())
        self.close()  # newer Pythons warn about an open one
        self._message = message

    def __str__(self) -> str:
        return self._message

    def read(self, size: int = -1, /) -> bytes:
        """Return the empty body."""
        return b""


class UnreachableUriError(UriError, URLError):
    """No response: the connection failed or ended early; `reason` says why."""

    def __init__(self, message: str, reason: str) -> None:
        URLError.__init__(self, reason)
        self._message = message

    def __str__(self) -> str:
        return self._message
