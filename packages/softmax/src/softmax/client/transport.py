"""HTTP calls with persistent connections, time limits, safe retries and one-sentence errors.

Redirects are not followed by default: they could send a token or a bundle to a host that the user did not name.
"""

from __future__ import annotations

import functools
import ipaddress
import logging
import random
import re
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from softmax.client.errors import BadAddress, BadAnswer, NotALeagueServer, NotFound, Refused, TokenRejected, Unreachable

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["Transport", "call", "is_loopback", "parse", "same_host", "send"]

logger = logging.getLogger(__name__)

T = TypeVar("T")
TIMEOUT = 30.0

RETRIED_METHODS = frozenset({"GET", "HEAD", "PUT"})
"""methods that may be repeated without changing the result"""
RETRIED_STATUSES = frozenset({502, 503, 504})
RETRY_DELAYS = (0.25, 1.0)
"""seconds to wait before the second and the third attempt"""
LONGEST_RETRY_AFTER = 5.0
MAX_DETAIL = 4000
"""characters of an explanation that are shown"""

RATE_LIMIT_OUTCOME = "X-RateLimit-Outcome"
REJECTED = "rejected"
"""the server refused a request before it ran, so that any method may be repeated"""
RATE_LIMIT_ATTEMPTS = 3
RATE_LIMIT_SECONDS = 30.0
"""for all attempts together"""
_SECONDS = re.compile(r"[0-9]{1,9}")


class Transport:
    """HTTP calls over connections that stay open until `close`."""

    def __init__(self) -> None:
        self._clients: dict[tuple[bool, bool], httpx.Client] = {}

    def __enter__(self) -> Transport:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        while self._clients:
            self._clients.popitem()[1].close()

    def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        resource: str = "Resource",
        **content: Any,
    ) -> httpx.Response:
        """Make a request and raise `Refused` unless it succeeds; `resource` names what a 404 did not find."""
        response = self.send(method, url, headers=headers, timeout=timeout, **content)
        if response.is_success:
            return response
        detail = _detail(response)
        if response.status_code == 401:
            raise TokenRejected(detail)
        if response.status_code == 404:
            raise NotFound(resource, detail)
        hints = []
        if response.is_redirect:
            place = urljoin(url, response.headers.get("Location", ""))
            detail = f"the server redirects to {place}, and redirects are not followed"
            hints = ["name the server itself with --server"]
        retry_after = _retry_after(response)
        if retry_after is not None:
            hints = [f"try again in {retry_after:g} seconds"]
        raise Refused(response.status_code, detail, hints=hints, retry_after=retry_after)

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        follow_redirects: bool = False,
        **content: Any,
    ) -> httpx.Response:
        """Make a request and return the response, whatever its status.

        A request that may be repeated is sent up to three times while the server closes the connection or answers
        502, 503 or 504 without asking for a long pause. Any request is repeated after a 429 that says that it did not
        run, if the server allows that soon enough.
        """
        import httpx

        delays = list(RETRY_DELAYS) if method in RETRIED_METHODS else []
        client = self._client(url, follow_redirects)
        rejections = _Rejections(content.get("content"))
        while True:
            began = time.monotonic()
            try:
                response = client.request(
                    method, url, headers=headers, timeout=timeout, follow_redirects=follow_redirects, **content
                )
                taken = 1000 * (time.monotonic() - began)
                # Without the query, which may be a signature.
                logger.info("%s %s: %d, %.0f ms", method, url.partition("?")[0], response.status_code, taken)
                if (delay := rejections.delay(response)) is not None:
                    time.sleep(delay)
                    _rewind(content.get("content"))
                    continue
                if not delays or not _is_transient(response):
                    return response
            except (httpx.InvalidURL, httpx.UnsupportedProtocol):
                raise BadAddress(f"{url!r} is not a valid URL") from None
            except httpx.TimeoutException:
                raise Unreachable(_origin(url), f"no response within {timeout:g} seconds") from None
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
                if not delays:
                    raise Unreachable(_origin(url), _reason(error, url)) from None
            except httpx.HTTPError as error:
                raise Unreachable(_origin(url), _reason(error, url)) from None
            except UnicodeError:
                raise BadAnswer(f"Cannot call {_origin(url)}: the token or the URL is not plain ASCII") from None
            time.sleep(delays.pop(0))
            _rewind(content.get("content"))

    def _client(self, url: str, follow_redirects: bool) -> httpx.Client:
        """Return the client for a URL; loading certificates takes longer than a call, so plain HTTP goes without."""
        import httpx

        key = (not is_loopback(url), follow_redirects or not url.startswith("http://"))
        if key not in self._clients:
            # Proxy settings of the environment do not apply to connections within this machine.
            trust_env, secure = key
            self._clients[key] = httpx.Client(trust_env=trust_env, verify=_certificates() if secure else False)
        return self._clients[key]


def call(method: str, url: str, **settings: Any) -> httpx.Response:
    """Make one request on a new connection; see `Transport.call`."""
    with Transport() as transport:
        return transport.call(method, url, **settings)


def send(method: str, url: str, **settings: Any) -> httpx.Response:
    """Make one request on a new connection; see `Transport.send`."""
    with Transport() as transport:
        return transport.send(method, url, **settings)


class _Rejections:
    """Counts how often the server has rejected a request because of its rate limit, without running it."""

    def __init__(self, content: Any) -> None:
        self._left = RATE_LIMIT_ATTEMPTS - 1 if _is_replayable(content) else 0
        self._deadline = time.monotonic() + RATE_LIMIT_SECONDS

    def delay(self, response: httpx.Response) -> float | None:
        """Return the seconds after which to repeat the request; None if it should not be repeated."""
        if response.status_code != 429 or response.headers.get(RATE_LIMIT_OUTCOME) != REJECTED or self._left == 0:
            return None
        retry_after = response.headers.get("Retry-After", "")
        if _SECONDS.fullmatch(retry_after) is None:
            return None
        delay = int(retry_after) + random.uniform(0.0, 0.25)
        if time.monotonic() + delay > self._deadline:
            return None
        self._left -= 1
        return delay


def _is_replayable(content: Any) -> bool:
    """Return whether a body can be sent again; an iterator cannot."""
    return content is None or isinstance(content, bytes | str) or hasattr(content, "seek")


def _is_transient(response: httpx.Response) -> bool:
    """Return whether the same request may succeed in a moment."""
    return response.status_code in RETRIED_STATUSES and (_retry_after(response) or 0) <= LONGEST_RETRY_AFTER


def _retry_after(response: httpx.Response) -> float | None:
    """Return how many seconds the server asks to wait, if it says so as a number."""
    try:
        return float(response.headers["Retry-After"])
    except (KeyError, ValueError):
        return None


def _rewind(content: Any) -> None:
    """Send a file from its beginning again."""
    if hasattr(content, "seek"):
        content.seek(0)


@functools.cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


def parse(response: httpx.Response, kind: type[T]) -> T:
    """Decode a response as a documented type."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(response.content)
    except ValidationError as error:
        first = error.errors()[0]
        origin, path = _origin(str(response.url)), urlsplit(str(response.url)).path
        if first["type"] == "json_invalid":
            raise NotALeagueServer(origin, f"it answers {path} with {content_kind(response)}") from None
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise BadAnswer(
            f"{origin} sent an unexpected response to {path}: {place}: {first['msg']}",
            ["the address may belong to another program, or to a league server of another version"],
        ) from None


def content_kind(response: httpx.Response) -> str:
    """Return what a response is, for messages: `an HTML page`, `JSON`, ..."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    known = {"text/html": "an HTML page", "text/plain": "plain text", "application/json": "JSON"}
    if not response.content:
        return "an empty response"
    return known.get(kind, _printable(kind) if kind else "data of no declared type")


def is_loopback(url: str) -> bool:
    """Return whether an address means this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_host(url: str, other: str) -> bool:
    """Return whether two URLs have the same host; ports do not matter."""
    return urlsplit(url).hostname == urlsplit(other).hostname or (is_loopback(url) and is_loopback(other))


def _detail(response: httpx.Response) -> str | None:
    """Return the server's explanation of an error."""
    try:
        document = response.json()
    except ValueError:
        return None
    detail = document.get("detail") if isinstance(document, dict) else None
    if isinstance(detail, str):
        return _printable(detail)
    if isinstance(detail, dict):
        return _printable(str(detail.get("message") or "")) or None
    if isinstance(detail, list):
        parts = [_validation(item) for item in detail if isinstance(item, dict)]
        return _printable("; ".join(parts)) or None
    return None


def _printable(text: str) -> str:
    """Return an explanation without control characters, which could change a terminal, and not too long."""
    letters = "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)
    return letters if len(letters) <= MAX_DETAIL else f"{letters[:MAX_DETAIL]}..."


def _validation(item: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in item.get("loc", []) if part != "body")
    return f"{place}: {item.get('msg')}" if place else str(item.get("msg"))


def _reason(error: Exception, url: str) -> str:
    """Explain why there was no response, in words where the cause is known."""
    text = str(error) or type(error).__name__
    if "Connection refused" in text:
        return "connection refused, so no server listens there"
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER_FAILURE" in text or "PACKET_LENGTH_TOO_LONG" in text:
        return f"the port does not use TLS; try http://{urlsplit(url).netloc}"
    if "CERTIFICATE_VERIFY_FAILED" in text:
        why = re.search(r"verify failed: (.*?) \(", text)
        return f"its TLS certificate is not trusted{f': {why[1]}' if why else ''}"
    if "Name or service not known" in text or "No address associated" in text or "name resolution" in text:
        return f"the host name {urlsplit(url).hostname} is unknown"
    if "Server disconnected" in text:
        return "it closed the connection without a response, so it may not speak HTTP"
    if type(error).__name__ == "RemoteProtocolError":
        return f"the response is not HTTP ({text})"
    return text


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
