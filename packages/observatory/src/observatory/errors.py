"""Everything the server refuses, with its status.

    ObservatoryError
    ├── BadRequest            400   the wrong kind of season, pool or artifact; something is missing
    ├── Unauthorized          401   no token, or one that is not good any more
    ├── Forbidden             403   not yours
    ├── NotFound              404   not there, or not for you to see
    ├── Conflict              409   there already, or not possible in this state
    ├── Gone                  410   it was there, and works no more
    ├── TooLarge              413
    ├── Unprocessable         422   malformed beyond what the schema says
    ├── TooManyRequests       429   with Retry-After
    ├── NotConfigured         501
    └── Unavailable           503   the database or the store does not answer now; with Retry-After

Services raise them; `install` turns them into `{"detail": "..."}`. Nothing else decides a status.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

__all__ = [
    "BadRequest",
    "Conflict",
    "Forbidden",
    "Gone",
    "NotConfigured",
    "NotFound",
    "ObservatoryError",
    "TooLarge",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "Unprocessable",
    "errors",
    "install",
]

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 2


class ObservatoryError(Exception):
    """A refusal. The message is one sentence for the person at the other end."""

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
    """The body of every refusal."""

    detail: str


class Problem(BaseModel):
    """What is wrong with a part of a request."""

    type: str
    loc: list[str | int]
    msg: str


class MalformedDetail(BaseModel):
    """The body when a request does not have the form that the document asks for, or what it says is refused."""

    detail: str | list[Problem]


_MEANINGS = {
    400: "Not possible for this kind of thing",
    401: "Not signed in",
    403: "Not yours",
    404: "Not there",
    409: "Conflicts with what is there",
    410: "Used already, or too old",
    413: "Too large",
    422: "Malformed",
    429: "Too many requests",
    501: "Not configured",
    503: "Not available now",
}


def errors(*kinds: type[ObservatoryError] | int) -> dict[int | str, dict[str, Any]]:
    """What a route may answer besides its result, for `responses=`; 422, 429 and 503 are always there."""
    statuses = sorted({kind if isinstance(kind, int) else kind.status for kind in kinds} | {422, 429, 503})
    return {
        status: {"model": MalformedDetail if status == 422 else Detail, "description": _MEANINGS[status]}
        for status in statuses
    }


def install(app: FastAPI) -> None:
    """Answer refusals, malformed requests and failures of the database with `{"detail": ...}`."""

    @app.exception_handler(ObservatoryError)
    async def refused(request: Request, error: ObservatoryError) -> Response:
        return _answer(error)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 400 and error.__cause__ is not None:
            return _answer(Unprocessable("The body cannot be read: it is no text in UTF-8, or nested too deeply"))
        return JSONResponse({"detail": str(error.detail)}, error.status_code, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        # Without the input: it may hold a secret.
        return JSONResponse({"detail": _problems(error.errors())}, 422)

    @app.exception_handler(RecursionError)
    async def too_deep(request: Request, error: RecursionError) -> Response:
        return _answer(Unprocessable("The request is nested too deeply"))

    @app.exception_handler(DataError)
    async def unstorable(request: Request, error: DataError) -> Response:
        # PostgreSQL keeps no zero bytes in texts. What else it may refuse is checked before.
        return _answer(Unprocessable("The request holds a character that cannot be stored, such as a zero byte"))

    @app.exception_handler(SQLAlchemyError)
    async def database_failed(request: Request, error: SQLAlchemyError) -> Response:
        sentence = database_sentence(error)
        if sentence is None:
            raise error
        logger.error("%s: %s", sentence, error)
        return _answer(Unavailable(sentence))

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        return JSONResponse({"detail": "The server failed on this request; its log says why"}, 500)


def database_sentence(error: SQLAlchemyError) -> str | None:
    """What to say when the database cannot be used now; None for an error that is a fault of the program."""
    if isinstance(error, PoolTimeout):
        return "All connections to the database are in use; try again in a moment"
    if not isinstance(error, DBAPIError):
        return None
    text = str(error.orig).lower()
    for signs, sentence in _DATABASE_SENTENCES:
        if any(sign in text for sign in signs):
            return sentence
    if error.connection_invalidated or type(error.orig).__name__ in ("OperationalError", "InterfaceError"):
        return "The database does not answer; try again in a moment"
    return None


_DATABASE_SENTENCES: Sequence[tuple[Sequence[str], str]] = (
    (("database or disk is full", "no space left"), "The disk of the database is full; nothing was changed"),
    (("database is locked", "lock timeout"), "The database is busy; try again in a moment"),
    (("readonly database", "read-only"), "The database cannot be written to; nothing was changed"),
    (("unable to open database", "disk i/o error"), "The database file cannot be read; nothing was changed"),
    (("malformed", "not a database"), "The database file is damaged; restore a backup with `observatory restore`"),
)


def _answer(error: ObservatoryError) -> Response:
    return JSONResponse({"detail": error.message}, error.status, headers=error.headers)


def _problems(found: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"type": entry["type"], "loc": list(entry["loc"]), "msg": entry["msg"]} for entry in found]
