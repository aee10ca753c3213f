"""Two servers on one PostgreSQL database, in one process: each with its own connection, caches and event loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text

from observatory.accounts.service import create_user, mint_user_token
from observatory.database import Database
from observatory.database.link import Link
from observatory.database.tables.servers import ServerProcess
from packages.observatory.tests.conftest import Account
from packages.observatory.tests.world import World

PATIENCE_SECONDS = 60


def wait_for(condition: Callable[[], Any]) -> Any:
    """Return the result of a condition once it is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (result := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return result


@dataclass
class Member:
    """A server of the pair, without the tasks that run in the background."""

    app: FastAPI
    client: TestClient

    @property
    def database(self) -> Database:
        database: Database = self.app.state.database
        return database

    @property
    def link(self) -> Link:
        link: Link = self.app.state.link
        return link

    def disconnect(self) -> None:
        """Break the connection to the other servers, as a network does."""
        with self.database.engine.connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN server_processes s ON s.number = l.objid "
                    "WHERE l.locktype = 'advisory' AND s.id = :id"
                ),
                {"id": self.database.server_id},
            )


@dataclass
class Pair:
    first: Member
    second: Member
    world: World
    """of the first server"""


@pytest.fixture
def pair(make_app: Callable[..., FastAPI], tmp_path: Path, clock: Any, migrated_database_url: Any) -> Iterator[Pair]:
    url = migrated_database_url()
    with ExitStack() as stack:
        members = []
        for _ in range(2):
            app = make_app(data_dir=tmp_path / "shared", database_url=url, anonymous_rate=120.0)
            app.state.link.start()
            stack.callback(app.state.link.stop)
            client = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
            stack.callback(client.close)
            members.append(Member(app, client))
        wait_for(lambda: members[0].database.is_leader)
        yield Pair(members[0], members[1], World(members[0].app, clock))


@pytest.fixture
def urls(pair: Pair, serve: Callable[..., Any]) -> list[str]:
    """The addresses of both servers, which listen."""
    found = []
    for member in (pair.first, pair.second):
        found.append(serve(member.app).url)
        member.app.state.peers.url = found[-1]
        with member.database.transaction() as session:
            session.get_one(ServerProcess, member.database.server_id).url = found[-1]
    return found


def person(pair: Pair, name: str, clock: Any, *, admin: bool = False) -> Account:
    with pair.first.database.transaction() as session:
        user = create_user(session, email=f"{name}@example.com", name=name, now=clock(), is_admin=admin)
        return Account(user.id, user.email, mint_user_token(session, user, now=clock()), admin)
