"""Cursors: pages of a list to which rows are added while it is read."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from observatory.cursors import CursorPage
from observatory.database import Database, UtcDateTime, new_id
from observatory.errors import Unprocessable
from packages.observatory.tests.conftest import START

SECRET = b"s" * 32


class OwnBase(DeclarativeBase):
    pass


class Row(OwnBase):
    __tablename__ = "rows_of_a_test"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime())


class OtherRow(OwnBase):
    __tablename__ = "other_rows_of_a_test"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime())


@pytest.fixture
def rows(database: Database) -> Iterator[Database]:
    with database.transaction() as session:
        OwnBase.metadata.create_all(session.connection())
    yield database
    with database.transaction() as session:
        OwnBase.metadata.drop_all(session.connection())


def read(database: Database, *, limit: int, cursor: str | None = None, offset: int = 0) -> tuple[list[Row], str | None]:
    with database.read() as session:
        page = CursorPage(SECRET, limit, offset, cursor).of(session, select(Row), Row.created_at, Row.id)
        return page.rows, page.next_cursor


def insert(database: Database, seconds: list[int]) -> list[uuid.UUID]:
    ids = [new_id() for _ in seconds]
    with database.transaction() as session:
        session.add_all(
            Row(id=row_id, created_at=START + timedelta(seconds=second, microseconds=7))
            for row_id, second in zip(ids, seconds, strict=True)
        )
    return ids


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.lists(st.integers(0, 3), max_size=9).map(sorted),
    during=st.lists(st.integers(0, 2), max_size=8),
    limit=st.integers(1, 4),
)
def test_pages_hold_each_row_once_and_in_order_whatever_is_inserted_meanwhile(
    rows: Database, before: list[int], during: list[int], limit: int
) -> None:
    with rows.transaction() as session:
        session.execute(delete(Row))
    ids = insert(rows, before)
    seen: list[uuid.UUID] = []
    newest = max(before, default=0)
    cursor: str | None = None
    while True:
        page, cursor = read(rows, limit=limit, cursor=cursor)
        seen += [row.id for row in page]
        if cursor is None:
            break
        if during:
            newest += during.pop()
            insert(rows, [newest])
    assert seen == ids[::-1]


def test_an_offset_skips_rows_as_older_clients_ask_for(rows: Database) -> None:
    ids = insert(rows, [0, 1, 1, 2])
    page, cursor = read(rows, limit=2, offset=1)
    assert [row.id for row in page] == [ids[2], ids[1]]
    page, cursor = read(rows, limit=2, cursor=cursor)
    assert [row.id for row in page] == [ids[0]]
    assert cursor is None


def test_a_cursor_that_was_edited_or_belongs_to_another_list_is_refused(rows: Database) -> None:
    insert(rows, [0, 1])
    _, cursor = read(rows, limit=1)
    assert cursor is not None
    for bad in ("x" + cursor[1:], cursor[:-1], cursor.partition(".")[0], "é", "."):
        with pytest.raises(Unprocessable, match="start again without a cursor"):
            read(rows, limit=1, cursor=bad)
    with rows.read() as session, pytest.raises(Unprocessable, match="start again without a cursor"):
        CursorPage(SECRET, 1, 0, cursor).of(session, select(OtherRow), OtherRow.created_at, OtherRow.id)
