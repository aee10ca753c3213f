"""The database for endpoints. A request is one transaction, committed before its response is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from observatory.database.engine import Database

__all__ = ["DatabaseDep", "SessionDep", "own_transactions"]

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

_READS = ("GET", "HEAD", "OPTIONS")


def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def own_transactions(endpoint: Endpoint) -> Endpoint:
    """Mark an endpoint that does slow things and calls `Database.write` itself: its `SessionDep` only reads.

    That session still authenticates the caller. Place it below `@router.post(...)`.
    """
    endpoint.__dict__[_OWN] = True
    return endpoint


_OWN = "_observatory_own_transactions"


async def _session(request: Request) -> AsyncIterator[Session]:
    only_reads = request.method in _READS or getattr(request.scope.get("endpoint"), _OWN, False)
    async with _database(request).session_for_request(writes=not only_reads) as session:
        yield session


SessionDep = Annotated[Session, Depends(_session, scope="function")]
"""the transaction of the request: GET reads, everything else writes. Services flush, never commit."""

DatabaseDep = Annotated[Database, Depends(_database)]
"""for endpoints that do slow things between two transactions"""
