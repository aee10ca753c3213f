"""Check the addresses that webhooks may call: the server must not become a way into its own network.

The host name is resolved once, every address of it is checked, and the connection goes to a checked address. A name
that resolves to another address later has no effect, and redirects are not followed.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from observatory.errors import Unprocessable

__all__ = ["ForbiddenAddress", "Target", "is_public", "parse_target", "resolve"]

MAX_URL_CHARACTERS = 1000
_PORTS = {"http": 80, "https": 443}


class ForbiddenAddress(OSError):
    """The host is on a network that webhooks may not call."""


@dataclass(frozen=True)
class Target:
    """A parsed address of a webhook."""

    is_secure: bool
    host: str
    port: int
    path: str
    """with the query"""


def parse_target(url: str) -> Target:
    """Parse the address of a webhook; `Unprocessable` with what is wrong."""
    if len(url) > MAX_URL_CHARACTERS or not url.isascii() or any(letter <= " " for letter in url):
        raise Unprocessable("The address of a webhook has at most 1000 ASCII characters, without spaces")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Unprocessable("This is not the address of a webhook; it looks like https://example.com/hook") from None
    if parts.scheme not in _PORTS or not host:
        raise Unprocessable("The address of a webhook begins with https:// or http:// and the name of a host")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise Unprocessable("The address of a webhook has no user name, password or fragment")
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme == "https", host, port or _PORTS[parts.scheme], (parts.path or "/") + query)


def resolve(target: Target, *, allow_private: bool) -> tuple[str, int]:
    """Return an address of the host to connect to; `ForbiddenAddress` if any of its addresses is not public."""
    rows = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(row[4][0]) for row in rows]
    if not addresses:
        raise ForbiddenAddress(f"{target.host} has no address")
    if not allow_private:
        for address in addresses:
            if not is_public(address):
                raise ForbiddenAddress(f"{target.host} is on a private network, which webhooks may not call")
    return addresses[0], target.port


def is_public(text: str) -> bool:
    """Return whether an address is one of the public internet, also behind the translation of IPv4 into IPv6."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or _translated(address)
        if inner is not None:
            return is_public(str(inner))
    return address.is_global and not address.is_multicast and not address.is_reserved


def _translated(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address in one of NAT64 (64:ff9b::/96 and 64:ff9b:1::/48), or in the obsolete ::/96."""
    number = int(address)
    if (number >> 96 == 0 and number > 1) or number >> 32 == 0x0064FF9B << 64 or number >> 80 == 0x0064FF9B0001:
        return ipaddress.IPv4Address(number & 0xFFFFFFFF)
    return None
