"""Where a sign-in page may send a token: to a program on the user's own machine, and nowhere else."""

from __future__ import annotations

import ipaddress
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

__all__ = ["checked_callback", "is_loopback_host", "local_page", "with_parameter"]


def is_loopback_host(host: str) -> bool:
    """Return whether a host name or address is this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def checked_callback(callback: str | None) -> str | None:
    """Return a valid callback of a command line: http, a loopback address, a port, no user name.

    Raises `ValueError` with a sentence otherwise.
    """
    if not callback:
        return None
    try:
        parts = urlsplit(callback)
        port = parts.port
    except ValueError:
        raise ValueError("The callback is not a valid URL") from None
    ok = (
        callback.isascii()
        and callback.isprintable()
        and "\\" not in callback
        and parts.scheme == "http"
        and "@" not in parts.netloc
        and parts.hostname is not None
        and is_loopback_host(parts.hostname)
        and port is not None
        and not parts.fragment
    )
    if not ok:
        raise ValueError("The callback must be an address of your own machine, such as http://127.0.0.1:1234/callback")
    return callback


def with_parameter(url: str, name: str, value: str) -> str:
    """Return the address with one more query parameter, in place of one of that name."""
    parts = urlsplit(url)
    query = [(key, old) for key, old in parse_qsl(parts.query, keep_blank_values=True) if key != name]
    return urlunsplit(parts._replace(query=urlencode([*query, (name, value)])))


def local_page(path: str | None, default: str = "/observatory/home") -> str:
    """Return the page of this server to open next; anything else becomes the default."""
    if not path or not path.startswith("/") or path.startswith(("//", "/\\")) or not path.isprintable():
        return default
    return path
