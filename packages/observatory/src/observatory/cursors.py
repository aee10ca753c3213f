"""Lists in pages that stay in place while rows are added: `cursor` in, the next cursor out.

A cursor is the key `(created_at, id)` of the last row of a page, signed. Lists run from the newest row to the oldest,
so new rows come before every cursor and shift nothing. Older clients send `offset` instead.
"""

from __future__ import annotations

import base64
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Query, Request, Response
from sqlalchemy import Select, or_
from sqlalchemy.orm import InstrumentedAttribute, Session

from observatory.errors import Unprocessable
from observatory.paging import MAX_OFFSET
from observatory.signing import Signer

__all__ = ["CursorPage", "Slice", "cursor_page", "set_next_cursor"]

T = TypeVar("T")

_MAX_CURSOR_CHARACTERS = 200
_KEY = struct.Struct(">q16s")
_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Slice(Generic[T]):
    """The rows of a page, and the cursor of the next one; None on the last page."""

    rows: list[T]
    next_cursor: str | None


@dataclass(frozen=True)
class CursorPage:
    """Which part of a list is wanted."""

    secret: bytes = field(repr=False)
    limit: int = 50
    offset: int = 0
    cursor: str | None = None

    def of(
        self,
        session: Session,
        statement: Select[T],
        created_at: InstrumentedAttribute[datetime],
        row_id: InstrumentedAttribute[uuid.UUID],
    ) -> Slice[T]:
        """Return this page of a statement without an order: the newest rows first, then by id.

        Both columns belong to the table that the statement selects. A cursor is valid for lists of that table only.
        """
        signer = Signer(self.secret, f"cursor of {row_id.class_.__tablename__}")
        if self.cursor:
            last_created_at, last_id = _read(signer, self.cursor)
            statement = statement.where(
                created_at <= last_created_at, or_(created_at < last_created_at, row_id < last_id)
            )
        statement = statement.order_by(created_at.desc(), row_id.desc()).offset(self.offset).limit(self.limit + 1)
        rows = list(session.scalars(statement))
        if len(rows) <= self.limit:
            return Slice(rows, None)
        last: Any = rows[self.limit - 1]
        return Slice(rows[: self.limit], _write(signer, getattr(last, created_at.key), getattr(last, row_id.key)))


def cursor_page(limit: int = 50, *, max_limit: int = 200) -> Callable[..., CursorPage]:
    """Return the dependency of a list: `page: Annotated[CursorPage, Depends(cursor_page(25))]`."""

    def page(
        request: Request,
        limit: int = Query(limit, ge=1, le=max_limit),  # in an annotation FastAPI would not find `max_limit`
        offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
        cursor: Annotated[str | None, Query(max_length=_MAX_CURSOR_CHARACTERS)] = None,
    ) -> CursorPage:
        return CursorPage(request.app.state.keys.secret, limit, offset, cursor)

    return page


def set_next_cursor(response: Response, cursor: str | None) -> None:
    """Put the next cursor of a bare list into the header `X-Next-Cursor`."""
    if cursor is not None:
        response.headers["X-Next-Cursor"] = cursor


def _write(signer: Signer, created_at: datetime, row_id: uuid.UUID) -> str:
    key = _KEY.pack((created_at - _EPOCH) // _MICROSECOND, row_id.bytes)
    body = base64.urlsafe_b64encode(key).rstrip(b"=").decode()
    return f"{body}.{signer.mac(body)}"


def _read(signer: Signer, cursor: str) -> tuple[datetime, uuid.UUID]:
    body, _, mac = cursor.partition(".")
    if not signer.verifies(body, mac):
        raise Unprocessable("This cursor is not one of this list; start again without a cursor")
    microseconds, row_id = _KEY.unpack(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return _EPOCH + microseconds * _MICROSECOND, uuid.UUID(bytes=row_id)
