"""The caller's address behind a proxy: `X-Forwarded-For` counts when a proxy that the operator named sends it."""

from __future__ import annotations

import ipaddress

from starlette.types import ASGIApp, Receive, Scope, Send

from observatory.operations.connections import Networks

__all__ = ["ForwardedMiddleware"]


class ForwardedMiddleware:
    """Replaces the address of a trusted proxy by the last address in `X-Forwarded-For` that is not one itself.

    Everything to the left of that address was written by the caller. Without the header, or with one that is not a
    list of addresses, the caller is the proxy.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._trusted: tuple[list[str], Networks] = [], Networks([])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            trusted = self._networks(scope["app"].state.settings.trusted_proxies)
            client = scope.get("client")
            if client is not None and client[0] in trusted:
                caller = _caller(scope, trusted)
                if caller is not None:
                    scope = {**scope, "client": (caller, 0)}
        await self._app(scope, receive, send)

    def _networks(self, names: list[str]) -> Networks:
        if names != self._trusted[0]:
            self._trusted = list(names), Networks(names)
        return self._trusted[1]


def _caller(scope: Scope, trusted: Networks) -> str | None:
    header = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")
    for text in reversed([part.strip() for part in header.split(",") if part.strip()]):
        try:
            address = str(ipaddress.ip_address(text.strip("[]")))
        except ValueError:
            return None
        if address not in trusted:
            return address
    return None
