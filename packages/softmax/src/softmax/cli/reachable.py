"""Find out quickly whether something listens at an address: some libraries try for minutes."""

from __future__ import annotations

import socket

__all__ = ["why_unreachable"]


def why_unreachable(address: str, *, seconds: float = 10.0) -> str | None:
    """Return why nothing can be reached at `host:port`, also after a `scheme://`; None if something listens.

    An address without a port, such as `auto`, is not checked.
    """
    host, _, port = address.partition("://")[2].rpartition(":") if "://" in address else address.rpartition(":")
    if not host or not port.isdigit():
        return None
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=seconds).close()
    except (OSError, OverflowError) as problem:
        return getattr(problem, "strerror", None) or str(problem)
    return None
