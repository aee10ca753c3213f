"""Ask a server whose token this is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softmax.client.transport import call, parse

if TYPE_CHECKING:
    from softmax.wire import WhoAmIResponse

__all__ = ["fetch_whoami"]

WHOAMI_SECONDS = 10.0


def fetch_whoami(server: str, token: str) -> WhoAmIResponse:
    """Return the user or player of a token.

    Raises:
        ClientError: the server rejects the token or cannot be reached.
    """
    from softmax.wire import WhoAmIResponse

    headers = {"Authorization": f"Bearer {token}"}
    response = call("GET", f"{server.rstrip('/')}/whoami", headers=headers, timeout=WHOAMI_SECONDS, resource="whoami")
    return parse(response, WhoAmIResponse)
