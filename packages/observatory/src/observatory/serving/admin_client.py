"""How `observatory admin` reaches the server: over HTTP when it runs, else the same application in this process.

Either way the requests are the same, and only a server opens the database.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import anyio
import httpx

from observatory.accounts.operator import operator_token
from observatory.errors import ObservatoryError
from observatory.serving.running import hold_folder, running_url
from observatory.settings import Settings

__all__ = ["AdminClient", "Refused", "admin_client"]


class Refused(Exception):
    """The server rejected the request; the message is its sentence."""


class AdminClient:
    """Calls of an administrator."""

    def __init__(self, base_url: str, token: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = {"X-Auth-Token": token, "X-Use-Elevated-Privileges": "true"}
        self._transport = transport

    def call(self, method: str, path: str, body: Any = None, *, timeout: float = 60) -> Any:
        """Return the JSON of a successful response; raise `Refused` otherwise."""
        try:
            response = anyio.run(self._send, method, path, body, timeout)
        except httpx.TransportError as problem:
            raise Refused(f"The server at {self._base_url} does not answer: {problem}") from None
        if not response.is_success:
            raise Refused(_sentence(response))
        return response.json()

    async def _send(self, method: str, path: str, body: Any, timeout: float) -> httpx.Response:
        async with httpx.AsyncClient(transport=self._transport, timeout=timeout, trust_env=False) as client:
            return await client.request(method, self._base_url + path, json=body, headers=self._headers)


@contextlib.contextmanager
def admin_client(settings: Settings, *, server: str | None = None, token: str | None = None) -> Iterator[AdminClient]:
    """A client for the named server, else for the one of the data folder."""
    from observatory.keys import load_keys

    if server is not None:
        if token is None:
            raise Refused("Another server needs the token of an administrator: --token-file FILE")
        yield AdminClient(server, token)
        return
    url = running_url(settings.data_dir)
    if url is not None:
        yield AdminClient(url, operator_token(load_keys(settings).secret))
        return
    from observatory.accounts.bootstrap import bootstrap
    from observatory.app import create_app

    try:
        with hold_folder(settings.data_dir, shared=not settings.uses_sqlite):
            app = create_app(settings)
            try:
                bootstrap(app.state.database, settings, app.state.clock())
                transport = httpx.ASGITransport(app)
                yield AdminClient(settings.base_url(), operator_token(app.state.keys.secret), transport)
            finally:
                app.state.database.close()
    except ObservatoryError as refusal:
        raise Refused(refusal.message) from None


def _sentence(response: httpx.Response) -> str:
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return f"The server answered {response.status_code}"
    return detail if isinstance(detail, str) else "; ".join(_problem(entry) for entry in detail)


def _problem(entry: dict[str, Any]) -> str:
    """Return what is wrong with a value of a request, and which value it is."""
    place = ".".join(str(part) for part in entry.get("loc", ())[1:])
    text = str(entry.get("msg", entry))
    return f"{place}: {text}" if place else text
