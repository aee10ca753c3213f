"""Serve third-party pages: game pages, replay pages and reports in HTML.

Such a page must not act as the viewer. Every response has a policy of the browser that puts the page into an opaque
origin, in a frame and at the top level alike: it reads no cookie and no storage of this site, opens no window, leaves
its frame nowhere, sends no form and registers no service worker. It loads files and opens sockets below its own folder
only, so that it reaches neither the API nor the viewer's network.

A route for such pages
- takes its credential from the path (a signed text or a random token), because a page in an opaque origin sends no
  cookies: cookies and `Authorization` are never read, and never passed on;
- calls `check_frame_request` first, and adds `frame_headers(request, folder)` to every response;
- passes on only those headers of a third-party response that `passed_headers` returns;
- links to the page with `frame_url`. The pages of this site show it with `gameFrame` (`parts/game-frame.ts`).

With the setting `games_url` these pages come from a host of their own, to which browsers send no cookie at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from observatory.errors import BadRequest, Forbidden, NotFound
from observatory.settings import Settings

__all__ = ["check_frame_request", "frame_headers", "frame_sources", "frame_url", "is_games_host", "passed_headers"]

SANDBOX = "allow-scripts allow-pointer-lock"
"""the rights of a third-party page; `allow-same-origin` is not among them"""

_HOST = re.compile(r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")
_PASSED = frozenset({"content-type", "content-encoding", "content-language", "etag", "last-modified"})
_NO_FEATURES = ", ".join(
    f"{feature}=()"
    for feature in (
        "bluetooth camera clipboard-read display-capture geolocation hid microphone midi payment "
        "publickey-credentials-get screen-wake-lock serial usb web-share"
    ).split()
)


def frame_url(settings: Settings, path: str) -> str:
    """Return the address of a third-party page: on the host for games if there is one, else the path itself."""
    return path if settings.games_url is None else settings.games_url.rstrip("/") + path


def frame_sources(settings: Settings) -> str:
    """Return the sources of frames for the content security policy of this site's own pages."""
    return "'self'" if settings.games_url is None else f"'self' {_origin(settings.games_url)}"


def is_games_host(settings: Settings, host: str) -> bool:
    """Return whether a host name is reserved for third-party pages."""
    return settings.games_url is not None and urlsplit(settings.games_url).netloc.lower() == host.lower()


def check_frame_request(request: HTTPConnection) -> None:
    """Refuse service workers, a host name that cannot be one, and this site's own host when games have another."""
    settings: Settings = request.app.state.settings
    host = _host(request)
    if settings.games_url is not None and not is_games_host(settings, host):
        raise NotFound("Games have another address on this server")
    if "service-worker" in request.headers:
        raise Forbidden("A game cannot register a service worker")


def frame_headers(request: HTTPConnection, folder: str, *, scripts: bool = True) -> dict[str, str]:
    """Return the headers of every response below a folder of third-party files, such as `/observatory/games/x/`.

    Without `scripts` it is a document that runs nothing and loads nothing, such as a report.
    """
    settings: Settings = request.app.state.settings
    if not re.fullmatch(r"/(?:[\w.~-]+/)+", folder):
        raise ValueError(f"{folder!r} is not a folder")
    host = _host(request)
    # The scheme is unknown behind a proxy. A path in a source ends with a slash and covers everything below.
    own = " ".join(f"{scheme}://{host}{folder}" for scheme in ("http", "https", "ws", "wss"))
    ancestors = "'self'" if settings.games_url is None else _origin(settings.base_url())
    rights = f"sandbox {SANDBOX}; default-src {own} data: blob: 'unsafe-inline' 'unsafe-eval'; base-uri {own}"
    if not scripts:
        rights = (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'"
        )
    policy = f"{rights}; frame-src 'none'; object-src 'none'; form-action 'none'; frame-ancestors {ancestors}"
    return {
        "Content-Security-Policy": policy,
        "Permissions-Policy": _NO_FEATURES,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        # An opaque origin is foreign to its own files; the path is their credential, and no cookie goes with it.
        "Access-Control-Allow-Origin": "*",
    }


def passed_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers of a third-party response that browsers may see: what the content is, and nothing that acts.

    Cookies, redirects, policies and everything unknown are left out; values with control characters too.
    """
    return {
        name.lower(): value
        for name, value in headers
        if name.lower() in _PASSED and len(value) <= 1000 and value.isascii() and value.isprintable()
    }


def _host(request: HTTPConnection) -> str:
    hosts = request.headers.getlist("host")
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        raise BadRequest("The header Host is not the name of a host")
    return hosts[0]


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
