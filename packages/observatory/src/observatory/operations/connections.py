"""Which connections are kept when there are too many: those with a request in progress.

A connection waits while it has not sent a complete request. Beyond the limit of its address, or of the server, the
connection that has waited longest without a byte is closed for the new one. A client that opens thousands of
connections therefore takes them from itself, and the server still answers others from the same address.
"""

from __future__ import annotations

import ipaddress
import resource
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Protocol

from observatory.settings import Settings

__all__ = ["Connection", "Connections", "Networks", "connection_budget", "raise_file_limit"]

_RESERVED_FILES = 512
"""for the database, the store and logs, and for connections that were accepted and are not counted yet"""
_MIN_CONNECTIONS = 64
_TARGET_FILES = 65_536


class Connection(Protocol):
    """A connection as far as it is counted."""

    address: str

    def evict(self) -> None: ...


class Networks:
    """Addresses and networks: `10.0.0.5`, `192.168.0.0/16`, `::1`."""

    def __init__(self, names: Sequence[str]) -> None:
        self._networks = [ipaddress.ip_network(name, strict=False) for name in names]

    def __contains__(self, address: object) -> bool:
        if not self._networks:
            return False
        try:
            parsed = ipaddress.ip_address(str(address))
        except ValueError:
            return False
        if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        return any(parsed in network for network in self._networks)


class Connections:
    """The open connections of a server; used from its event loop alone."""

    def __init__(self, *, per_address: int, total: int, trusted: Networks) -> None:
        self._per_address = per_address
        self._total = total
        self._trusted = trusted
        self._open: Counter[str] = Counter()
        self._waiting: dict[str, OrderedDict[Connection, None]] = {}
        self._all_waiting: OrderedDict[Connection, None] = OrderedDict()

    @classmethod
    def of(cls, settings: Settings) -> Connections:
        total = connection_budget() if settings.max_connections is None else settings.max_connections
        per_address = min(settings.max_connections_per_address, total)
        return cls(per_address=per_address, total=total, trusted=Networks(settings.trusted_proxies))

    def admit(self, connection: Connection) -> bool:
        """Count a new connection, which waits; False when there is no room for it."""
        address = connection.address
        # A trusted proxy carries the connections of all clients.
        if self._open[address] >= self._per_address and address not in self._trusted:
            if not self._evict_one(self._waiting.get(address)):
                return False
        elif self._open.total() >= self._total and not self._evict_one(self._all_waiting):
            return False
        self._open[address] += 1
        self.waits(connection)
        return True

    def waits(self, connection: Connection) -> None:
        """Note that a connection is idle or sent a part of a request just now: it is the last one to be closed."""
        for queue in (self._waiting.setdefault(connection.address, OrderedDict()), self._all_waiting):
            queue[connection] = None
            queue.move_to_end(connection)

    def works(self, connection: Connection) -> None:
        """Note that a connection has a whole request, which is being answered: it is not closed."""
        self._all_waiting.pop(connection, None)
        queue = self._waiting.get(connection.address)
        if queue is not None:
            queue.pop(connection, None)
            if not queue:
                del self._waiting[connection.address]

    def forget(self, connection: Connection) -> None:
        """Stop counting a connection that was admitted."""
        self.works(connection)
        self._open[connection.address] -= 1
        if self._open[connection.address] <= 0:
            del self._open[connection.address]

    def _evict_one(self, queue: OrderedDict[Connection, None] | None) -> bool:
        if not queue:
            return False
        oldest = next(iter(queue))
        oldest.evict()
        return True


def connection_budget() -> int:
    """Return how many connections the process may hold with its limit of open files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        soft = _TARGET_FILES
    return max(_MIN_CONNECTIONS, soft - _RESERVED_FILES)


def raise_file_limit() -> None:
    """Raise the soft limit of open files towards the hard one; shells give 1,024, which is few for a server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = _TARGET_FILES if hard == resource.RLIM_INFINITY else min(hard, _TARGET_FILES)
    if soft != resource.RLIM_INFINITY and soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
