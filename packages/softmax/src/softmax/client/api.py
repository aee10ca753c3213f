"""Typed calls to a server's HTTP API, with a token or without."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import quote

from softmax.client.addresses import resolve_addresses
from softmax.client.credentials import current_token
from softmax.client.errors import BadAnswer, ClientError, NotALeagueServer, Refused
from softmax.client.identity import fetch_whoami
from softmax.client.transport import Transport, parse

if TYPE_CHECKING:
    import httpx

    from softmax.wire import WhoAmIResponse

__all__ = ["ApiClient", "path_part", "query_of"]

T = TypeVar("T")
PROBE_SECONDS = 5.0


class ApiClient:
    """A client of one server. Connections stay open until `close`; a later call opens new ones."""

    def __init__(self, server_url: str, token: str | None = None) -> None:
        self.server_url = server_url.rstrip("/")
        self.token = token
        self._transport = Transport()

    @classmethod
    def from_login(cls, server_url: str | None = None, login_server: str | None = None) -> Self | None:
        """Return a client with the saved token of the active session; None when no token is saved."""
        addresses = resolve_addresses(server_url, login_server)
        token = current_token(addresses.login)
        return None if token is None else cls(addresses.api, token)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def whoami(self) -> WhoAmIResponse:
        return fetch_whoami(self.server_url, self.token or "")

    def _get(
        self, path: str, kind: type[T], resource: str, params: Mapping[str, Any] | None = None, **content: Any
    ) -> T:
        return self._parsed(self._call("GET", path, resource, params=query_of(params), **content), kind)

    def _post(self, path: str, kind: type[T], resource: str, **content: Any) -> T:
        return self._parsed(self._call("POST", path, resource, **content), kind)

    def _parsed(self, response: httpx.Response, kind: type[T]) -> T:
        """Decode a response; raise `NotALeagueServer` if another program sent it."""
        try:
            return parse(response, kind)
        except BadAnswer:
            if not self._is_league():
                reason = f"it answers {response.url.path} with other JSON"
                raise NotALeagueServer(self.server_url, reason) from None
            raise

    def _call(
        self, method: str, path: str, resource: str, headers: Mapping[str, str] | None = None, **content: Any
    ) -> httpx.Response:
        headers = {**self._headers(), **(headers or {})}
        return self._checked_call(method, path, headers=headers, resource=resource, **content)

    def _headers(self) -> dict[str, str]:
        """Return the headers that say who calls."""
        return {"X-Auth-Token": self.token} if self.token else {}

    def _anonymous(self, path: str, resource: str, params: Mapping[str, Any] | None = None) -> httpx.Response:
        return self._checked_call("GET", path, resource=resource, params=query_of(params))

    def _checked_call(self, method: str, path: str, **settings: Any) -> httpx.Response:
        """Call the server; raise `NotALeagueServer` for a refusal that a league server would not send."""
        try:
            return self._transport.call(method, f"{self.server_url}{path}", **settings)
        except Refused as error:
            if error.status < 500 and _is_foreign(error) and not self._is_league():
                reason = f"it answers {path} with status {error.status}"
                raise NotALeagueServer(self.server_url, reason) from None
            raise

    def _is_league(self) -> bool:
        """Ask for the seasons, which every league server lists; a server that does not respond may be one."""
        try:
            response = self._transport.send("GET", f"{self.server_url}/tournament/seasons", timeout=PROBE_SECONDS)
            seasons = response.json() if response.status_code < 500 else []
            return isinstance(seasons, list) and all(isinstance(row, dict) and "name" in row for row in seasons)
        except ClientError:
            return True
        except ValueError:
            return False


def _is_foreign(error: Refused) -> bool:
    """Return whether a refusal lacks the explanation that league servers send, or has that of an unknown route."""
    return error.detail in (None, "Not Found", "Method Not Allowed") and error.retry_after is None


def path_part(value: object) -> str:
    """Quote one part of a path."""
    return quote(str(value), safe=":")


def query_of(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameters that have a value, as text, booleans in lower case."""
    given = {key: value for key, value in (params or {}).items() if value is not None and value != []}
    return {key: str(value).lower() if isinstance(value, bool) else _text(value) for key, value in given.items()}


def _text(value: Any) -> Any:
    return value if isinstance(value, list) else str(value)
