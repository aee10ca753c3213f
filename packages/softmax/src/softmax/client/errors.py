"""What can go wrong between this machine and a server.

    ClientError
    ├── NotAuthenticated    a call needs a token and none is saved
    ├── BadAddress          what was given as a server is no address
    ├── BadCredentials      a file with tokens cannot be read
    ├── Unreachable         nobody answered
    ├── BadAnswer           what came back is not what the call is documented to return
    ├── Refused             the server said no: `status`, `detail`
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
    "NotAuthenticated",
    "NotFound",
    "Refused",
    "TokenRejected",
    "Unreachable",
]


class ClientError(Exception):
    """One sentence, and what may help."""

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
                "is it running? `observatory serve` starts one on this machine",
                "another one: --server URL, or COGAMES_API_URL",
            ],
        )


class BadAnswer(ClientError): ...


class Refused(ClientError):
    """The server answered with an error."""

    def __init__(self, status: int, detail: str | None, message: str | None = None, hints: Sequence[str] = ()) -> None:
        super().__init__(message or f"Request failed: {detail or f'status {status}'}", hints)
        self.status = status
        self.detail = detail


class TokenRejected(Refused):
    def __init__(self, detail: str | None = None) -> None:
        super().__init__(
            401, detail, "Authentication failed (token expired or invalid).", ["cogames auth login --force"]
        )


class NotFound(Refused):
    def __init__(self, resource: str, detail: str | None = None) -> None:
        super().__init__(404, detail, f"{resource} not found")


class LoginFailed(ClientError): ...
