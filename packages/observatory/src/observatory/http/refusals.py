"""Error responses: `{"detail": ...}` with the status of the error."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from observatory.errors import ObservatoryError, Unavailable, Unprocessable

__all__ = ["database_sentence", "install"]

logger = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Answer refusals, malformed requests and failures of the database with `{"detail": ...}`."""

    @app.exception_handler(ObservatoryError)
    async def refused(request: Request, error: ObservatoryError) -> Response:
        return _answer(error)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        cause = error.__cause__
        if isinstance(cause, ObservatoryError):  # raised while the body was read
            return _answer(cause)
        if isinstance(cause, RequestValidationError):  # likewise, for the fields of a form
            return JSONResponse({"detail": _problems(cause.errors())}, 422)
        if error.status_code == 400 and cause is not None:
            return _answer(Unprocessable("The body cannot be decoded: it is not text in UTF-8, or it was cut off"))
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
        # PostgreSQL stores no zero bytes in texts. Other invalid values are rejected before.
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
    """Return the message for a temporary database failure; None for a programming error."""
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


def _problems(errors: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"type": entry["type"], "loc": list(entry["loc"]), "msg": entry["msg"]} for entry in errors]
