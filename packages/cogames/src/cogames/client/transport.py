"""One HTTP call: headers, time limits, and errors in one sentence. Redirects are not followed: they could lead a token
or a bundle to a host that nobody named."""

from __future__ import annotations

import functools
import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from cogames.client.errors import BadAddress, BadAnswer, NotFound, Refused, TokenRejected, Unreachable

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["call", "is_loopback", "parse", "same_host", "send"]

T = TypeVar("T")
TIMEOUT = 30.0


def call(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    resource: str = "What was asked for",
    **content: Any,
) -> httpx.Response:
    """Ask once. Answers that are no success raise; `resource` is what a 404 did not find."""
    response = send(method, url, headers=headers, timeout=timeout, **content)
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
        detail = f"the server sends us to {place}, and redirects are not followed"
        hints = ["name the server itself with --server"]
    if response.headers.get("Retry-After"):
        hints = [f"try again in {response.headers['Retry-After']} seconds"]
    raise Refused(response.status_code, detail, hints=hints)


def send(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    follow_redirects: bool = False,
    **content: Any,
) -> httpx.Response:
    """Ask once and return whatever comes back."""
    import httpx

    # Reading the certificates takes longer than a call, and plain http has no use for them.
    verify = _certificates() if follow_redirects or not url.startswith("http://") else False
    try:
        # A proxy of the environment has no business between two programs on one machine.
        with httpx.Client(trust_env=not is_loopback(url), follow_redirects=follow_redirects, verify=verify) as client:
            return client.request(method, url, headers=headers, timeout=timeout, **content)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        raise BadAddress(f"{url!r} is no address that can be called") from None
    except httpx.TimeoutException:
        raise Unreachable(_origin(url), f"no answer within {timeout:g} seconds") from None
    except httpx.HTTPError as error:
        raise Unreachable(_origin(url), str(error) or type(error).__name__) from None
    except UnicodeError:
        raise BadAnswer(f"{_origin(url)} cannot be asked: the token or the address is not plain text") from None


@functools.cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


def parse(response: httpx.Response, kind: type[T]) -> T:
    """The answer as a documented type."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(response.content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        path = urlsplit(str(response.url)).path
        raise BadAnswer(
            f"{_origin(str(response.url))} answered {path} with something unexpected: {place}: {first['msg']}"
        ) from None


def is_loopback(url: str) -> bool:
    """Whether an address means this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_host(one: str, other: str) -> bool:
    """Whether two addresses mean the same host; ports do not count."""
    return urlsplit(one).hostname == urlsplit(other).hostname or (is_loopback(one) and is_loopback(other))


def _detail(response: httpx.Response) -> str | None:
    """What the server says about an error, as text."""
    try:
        document = response.json()
    except ValueError:
        return None
    detail = document.get("detail") if isinstance(document, dict) else None
    if isinstance(detail, str):
        return detail
    if isinstance(detail, dict):
        return str(detail.get("message") or "") or None
    if isinstance(detail, list):
        parts = [_validation(item) for item in detail if isinstance(item, dict)]
        return "; ".join(parts) or None
    return None


def _validation(item: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in item.get("loc", []) if part != "body")
    return f"{place}: {item.get('msg')}" if place else str(item.get("msg"))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
