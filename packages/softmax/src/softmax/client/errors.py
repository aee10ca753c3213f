"""Exceptions of calls to a server.

    ClientError
    ├── NotAuthenticated    a call needs a token and none is saved
    ├── BadAddress          the server is not a valid address
    ├── BadCredentials      a file with tokens cannot be read
    ├── Unreachable         the server did not respond
    ├── NotALeagueServer    the address answers, but not as a league server
    ├── BadAnswer           the response does not match the documented type
    ├── Refused             the server responded with an error: `status`, `detail`
    │   ├── TokenRejected   401
    │   └── NotFound        404
    └── LoginFailed         a sign-in ended without a token

Each message is one sentence; `hints` are commands that may help.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "BadAddress",
    "BadAnswer",
    "BadCredentials",
    "ClientError",
    "LoginFailed",
    "NotALeagueServer",
    "NotAuthenticated",
    "NotFound",
    "Refused",
    "TokenRejected",
    "Unreachable",
]


class ClientError(Exception):
    """An error with a one-sentence message and hints."""

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = list(hints)


class NotAuthenticated(ClientError):
    def __init__(self, message: str = "Not authenticated.", hints: Sequence[str] = ("cogames auth login",)) -> None:
        super().__init__(message, hints)


class BadAddress(ClientError): ...


class BadCredentials(ClientError): ...


class Unreachable(ClientError):
    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"Failed to reach server: {address}: {reason}",
            [
                "check that it is running; `observatory serve` starts a server on this machine",
                "to use another server, pass --server URL or set COGAMES_API_URL",
            ],
        )


class NotALeagueServer(ClientError):
    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"{address} is not a league server: {reason}",
            ["check the address and the port; `cogames auth list` shows the servers with names"],
        )


class BadAnswer(ClientError): ...


class Refused(ClientError):
    """The server responded with an error."""

    def __init__(
        self,
        status: int,
        detail: str | None,
        message: str | None = None,
        hints: Sequence[str] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message or f"Request failed: {detail or f'status {status}'}", hints)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after
        """seconds after which the same request may succeed, if the server says so"""


class TokenRejected(Refused):
    def __init__(self, detail: str | None = None) -> None:
        super().__init__(
            401, detail, "Authentication failed (token expired or invalid).", ["cogames auth login --force"]
        )


class NotFound(Refused):
    def __init__(self, resource: str, detail: str | None = None) -> None:
        super().__init__(404, detail, f"{resource} not found")


class LoginFailed(ClientError): ...
