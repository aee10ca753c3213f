"""The errors of the server, with their HTTP status.

    ObservatoryError
    ├── BadRequest            400   the wrong kind of season, pool or artifact; something is missing
    ├── Unauthorized          401   no token, or one that is not valid
    ├── Forbidden             403   not yours
    ├── NotFound              404   does not exist, or the caller may not see it
    ├── Conflict              409   exists already, or not possible in this state
    ├── Gone                  410   existed, and was used or has expired
    ├── PreconditionFailed    412   not the version that the header If-Match names
    ├── TooLarge              413
    ├── Unprocessable         422   malformed beyond what the schema says
    ├── TooManyRequests       429   with Retry-After
    ├── NotConfigured         501
    └── Unavailable           503   the database or the store does not answer now; with Retry-After

Services raise them; `refusals` turns them into `{"detail": "..."}`. Nothing else decides a status.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

__all__ = [
    "BadRequest",
    "Conflict",
    "Forbidden",
    "Gone",
    "NotConfigured",
    "NotFound",
    "ObservatoryError",
    "PreconditionFailed",
    "TooLarge",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "Unprocessable",
    "errors",
]

RETRY_AFTER_SECONDS = 2


class ObservatoryError(Exception):
    """An error response. The message is one sentence for the caller."""

    status = 500

    def __init__(self, message: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = headers or {}


class BadRequest(ObservatoryError):
    status = 400


class Unauthorized(ObservatoryError):
    status = 401

    def __init__(self, message: str = "Sign in first, for example with `cogames auth login`") -> None:
        super().__init__(message, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(ObservatoryError):
    status = 403


class NotFound(ObservatoryError):
    status = 404


class Conflict(ObservatoryError):
    status = 409


class Gone(ObservatoryError):
    status = 410


class PreconditionFailed(ObservatoryError):
    status = 412


class TooLarge(ObservatoryError):
    status = 413


class Unprocessable(ObservatoryError):
    status = 422


class TooManyRequests(ObservatoryError):
    status = 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message, headers={"Retry-After": str(max(1, retry_after))})


class NotConfigured(ObservatoryError):
    status = 501


class Unavailable(ObservatoryError):
    status = 503

    def __init__(self, message: str, *, retry_after: int = RETRY_AFTER_SECONDS) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after)})


class Detail(BaseModel):
    """The body of every error response."""

    detail: str


class Problem(BaseModel):
    """What is wrong with a part of a request."""

    type: str
    loc: list[str | int]
    msg: str


class MalformedDetail(BaseModel):
    """The body of a 422 response: the request does not match the schema, or a value is not allowed."""

    detail: str | list[Problem]


_MEANINGS = {
    400: "Not possible for this kind of season, pool or artifact",
    401: "Not signed in",
    403: "Not yours",
    404: "Not there",
    409: "Conflicts with the current state",
    410: "Used already, or expired",
    412: "Not the expected version",
    413: "Too large",
    422: "Malformed",
    429: "Too many requests",
    501: "Not configured",
    503: "Not available now",
}


def errors(*kinds: type[ObservatoryError] | int) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of a route for `responses=`; 422, 429 and 503 are always included."""
    statuses = sorted({kind if isinstance(kind, int) else kind.status for kind in kinds} | {422, 429, 503})
    return {
        status: {"model": MalformedDetail if status == 422 else Detail, "description": _MEANINGS[status]}
        for status in statuses
    }
