"""Lists in pages: `limit` and `offset` in, the total in the header `X-Total-Count`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query, Response
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

__all__ = ["MAX_IDS", "MAX_LIMIT", "Page", "PageDep", "count", "count_up_to", "set_total"]

MAX_LIMIT = 1000
MAX_OFFSET = 2**31 - 1
MAX_COUNTED = 10_000
MAX_IDS = 200
"""in one query: servers reject a URL of more than 64 KB"""


@dataclass(frozen=True)
class Page:
    """Which part of a list is wanted."""

    limit: int
    offset: int


def _page(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 50,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
) -> Page:
    return Page(limit, offset)


PageDep = Annotated[Page, Depends(_page)]


def count(session: Session, statement: Select[Any]) -> int:
    """Return how many rows a statement gives without its limit."""
    return session.scalar(select(func.count()).select_from(statement.order_by(None).subquery())) or 0


def count_up_to(session: Session, statement: Select[Any], limit: int = MAX_COUNTED) -> int:
    """Count like `count`, but stop at `most`: counting a very long list takes too long."""
    return session.scalar(select(func.count()).select_from(statement.order_by(None).limit(limit).subquery())) or 0


def set_total(response: Response, total: int) -> None:
    response.headers["X-Total-Count"] = str(total)
