"""The connection to a league server: sign-in, headers, pages of lists, files behind signed addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urljoin

from coworld.server.pages import Rows
from softmax.client.addresses import resolve_addresses
from softmax.client.api import ApiClient, query_of
from softmax.client.credentials import current_token
from softmax.client.errors import ClientError, NotAuthenticated
from softmax.client.transport import parse

__all__ = ["SLOW_SECONDS", "LeagueConnection", "api_base"]

Document = TypeVar("Document")
AnyPage = TypeVar("AnyPage", bound="Rows[Any]")

NEXT_CURSOR = "X-Next-Cursor"
SLOW_SECONDS = 120.0
"""for calls that create many rows"""


class LeagueConnection(ApiClient):
    """Sign in to one server and call it. Errors are those of `softmax.client.errors`."""

    _elevated: ClassVar[bool] = False

    def __init__(self, *, server_url: str, token: str | None = None) -> None:
        super().__init__(server_url, token)

    @classmethod
    def set_elevated(cls, elevated: bool) -> None:
        """Let calls of all clients ask for an administrator's rights, or not."""
        cls._elevated = elevated

    @classmethod
    def from_login(cls, server_url: str | None = None, login_server: str | None = None) -> Self:
        """Return a client with the saved token of the active session.

        Raises:
            NotAuthenticated: no token is saved for this server.
        """
        client = cls.maybe_signed_in(server_url, login_server)
        if client.token is None:
            raise NotAuthenticated(
                f"You are not signed in to {client.server_url}.", [f"softmax login --server {client.server_url}"]
            )
        return client

    @classmethod
    def maybe_signed_in(cls, server_url: str | None = None, login_server: str | None = None) -> Self:
        """Return a client with the saved token, or without one if none is saved: public rows can be read."""
        addresses = resolve_addresses(server_url, login_server)
        return cls(server_url=api_base(addresses.api), token=current_token(addresses.login))

    def _headers(self) -> dict[str, str]:
        if self._elevated and (self.token or "").startswith("ply_"):
            raise ClientError(
                "--elevated needs your own account, and the active session is a player's", ["coworld player unset"]
            )
        token = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {**token, **({"X-Use-Elevated-Privileges": "true"} if self._elevated else {})}

    def _rows(self, path: str, page: type[AnyPage], params: Mapping[str, Any], resource: str) -> AnyPage:
        """Return a bare list and the cursor in its header as a page."""
        response = self._call("GET", path, resource, params=query_of(params))
        kind: Any = page.model_fields["entries"].annotation
        rows = parse(response, kind)
        return page(entries=rows, next_cursor=response.headers.get(NEXT_CURSOR))

    def _get_optional(
        self, path: str, kind: type[Document], resource: str, params: Mapping[str, Any] | None = None
    ) -> Document | None:
        """Return a document, or None where the server sends `null`."""
        response = self._call("GET", path, resource, params=query_of(params))
        return None if response.content.strip() == b"null" else parse(response, kind)

    def get_bytes(self, path: str, **content: Any) -> bytes:
        return self._call("GET", path, "File", follow_redirects=True, **content).content

    def get_text(self, path: str, *, timeout: float | None = None) -> str:
        content: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
        return self._call("GET", path, "File", **content).text

    def fetch_signed(self, url: str, *, etag: str | None = None, size: int | None = None) -> bytes:
        """Return the bytes at a signed address, without the token; `ValueError` if there are more or fewer of them."""
        headers = {} if etag is None else {"If-Match": etag}
        address = urljoin(f"{self.server_url}/", url)
        response = self._transport.call("GET", address, headers=headers, resource="File", timeout=SLOW_SECONDS)
        if size is not None and len(response.content) != size:
            raise ValueError(f"the server sent {len(response.content)} bytes of {size}")
        return response.content


def api_base(server: str) -> str:
    """Return where the API of a server is: an address that ends in `/api` stands for `/api/observatory`."""
    return f"{server}/observatory" if server.endswith("/api") else server
