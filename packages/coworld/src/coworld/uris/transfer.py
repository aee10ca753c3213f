"""Read and write the data that runnables get as URIs: `file://`, a plain path, http(s).

Used by the games and roles we ship, so it imports nothing but the standard library and starts fast. A file is
replaced in one step: a reader sees the old bytes or all of the new ones. An http(s) target is tried again after
0.5, 1 and 2 seconds when the connection fails or the server says 429, 500, 502, 503 or 504, and never for another
refusal. A POST is not repeated when its response is lost.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

USER_AGENT = "coworld-runnable/1"
_RETRY_AFTER = (0.5, 1.0, 2.0)
_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})


class UriError(OSError):
    """A URI that could not be read or written; the message names it (without its query) and the reason.

    Those of http(s) addresses are in `coworld.uris.errors`.
    """


class MissingUriError(UriError, FileNotFoundError):
    """The file does not exist."""


class UnsupportedUriError(UriError, ValueError):
    """The URI is neither a file nor http(s)."""


def read_uri(uri: str, *, attempts: int = len(_RETRY_AFTER) + 1, limit: int | None = None) -> bytes:
    """Read the bytes at a URI.

    Raises:
        UriError: no such file, the server refused, or an http(s) response is larger than `limit` bytes.
    """
    if _is_http(uri):
        return _request(uri, "GET", None, "", attempts, limit)
    try:
        return uri_path(uri).read_bytes()
    except UriError:
        raise
    except OSError as error:
        kind = MissingUriError if isinstance(error, FileNotFoundError) else UriError
        raise kind(f"{public_uri(uri)} could not be read: {error.strerror or error}") from error


def write_uri(
    uri: str,
    data: bytes,
    *,
    method: str = "PUT",
    content_type: str = "application/octet-stream",
    attempts: int = len(_RETRY_AFTER) + 1,
) -> None:
    """Write the bytes to a URI; a file is replaced in one step.

    Raises:
        UriError: the folder is not writable, or the server refused.
    """
    if _is_http(uri):
        if method.upper() not in ("PUT", "POST"):
            raise UriError(f"the method of {public_uri(uri)} must be PUT or POST, not {method!r}")
        _request(uri, method.upper(), data, content_type, attempts)
        return
    path = uri_path(uri)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(data)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UriError(f"{public_uri(uri)} could not be written: {error.strerror or error}") from error


def uri_path(uri: str) -> Path:
    """Return the path of a URI: `file:///a/b` and `/a/b` are the same."""
    if not uri.startswith("file:"):
        if "://" in uri:
            raise UnsupportedUriError(f"{public_uri(uri)} is neither a file nor http(s)")
        return Path(uri)
    return Path(unquote(urlsplit(uri).path))


def public_uri(uri: str) -> str:
    """Return the URI without user, query and fragment, which may hold secrets."""
    parts = urlsplit(uri)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _is_http(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def _request(
    uri: str,
    method: str,
    data: bytes | None,
    content_type: str,
    attempts: int = len(_RETRY_AFTER) + 1,
    limit: int | None = None,
) -> bytes:
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    headers = {"User-Agent": USER_AGENT} | ({"Content-Type": content_type} if data is not None else {})
    status: int | None = None
    for wait in (*_RETRY_AFTER[: max(0, attempts - 1)], None):
        try:
            with urlopen(Request(uri, data=data, method=method, headers=headers), timeout=60) as answer:
                body = bytes(answer.read() if limit is None else answer.read(limit + 1))
            if limit is not None and len(body) > limit:
                raise UriError(f"{method} {public_uri(uri)} failed: the response is larger than {limit} bytes")
            return body
        except HTTPError as error:
            status, reason, again = error.code, f"the server answered {error.code}", error.code in _TRY_AGAIN
            error.close()
        except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
            # A POST whose response is lost may have taken effect; only one that was never sent is repeated.
            status, reason, again = None, _cause(error), method != "POST" or isinstance(error, URLError)
        if wait is None or not again:
            break
        time.sleep(wait)
    from coworld.uris.errors import RefusedUriError, UnreachableUriError

    message = f"{method} {public_uri(uri)} failed: {reason}"
    if status is None:
        raise UnreachableUriError(message, reason)
    raise RefusedUriError(message, public_uri(uri), status)


def _cause(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
