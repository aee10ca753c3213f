"""Leagues that play: a server with its commissioner at work, and workers over HTTP."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from packages.observatory.tests.commissioner import scripted
from packages.observatory.tests.conftest import Account
from packages.observatory.tests.world import World

PATIENCE_SECONDS = 120


@dataclass
class PlayingLeague:
    """A running server, with an administrator."""

    url: str
    app: FastAPI
    world: World
    admin: Account
    http: httpx.Client

    def get(self, path: str, **options: Any) -> Any:
        answer = self.http.get(path, **options)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    def user(self, name: str) -> Account:
        with self.app.state.database.transaction() as session:
            user = create_user(session, email=f"{name}@example.com", name=name, now=self.world.clock())
            return Account(user.id, user.email, mint_user_token(session, user, now=self.world.clock()), False)

    def submit(self, account: Account, season: str, version: uuid.UUID | str) -> None:
        body = {"policy_version_id": str(version)}
        answer = self.http.post(f"/tournament/seasons/{season}/submissions", json=body, headers=account.headers)
        assert answer.is_success, answer.text

    def start(self, season: str) -> None:
        answer = self.http.post(f"/tournament/seasons/{season}/start", headers=self.admin.headers)
        assert answer.is_success, answer.text

    def worker_token(self) -> str:
        with self.app.state.database.transaction() as session:
            return mint_worker_token(session, "test", now=self.world.clock()).text

    def wait_for(self, condition: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, {
                name: last.why for name, last in self.app.state.commissioner.last.items()
            }
            time.sleep(0.1)

    def is_complete(self, season: str) -> bool:
        return bool(self.get(f"/tournament/seasons/{season}")["status"] == "complete")

    @contextmanager
    def scripted_workers(self, count: int = 2) -> Iterator[None]:
        """Workers that play by a formula, until the block ends."""
        stop = threading.Event()
        token = self.worker_token()
        threads = [
            threading.Thread(
                target=scripted.run,
                args=(self.url, token, f"scripted-{number}"),
                kwargs={"stopping": stop.is_set, "done": lambda: None},
            )
            for number in range(count)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()


@pytest.fixture
def playing(make_app: Callable[..., FastAPI], clock: Any) -> Iterator[Callable[..., PlayingLeague]]:
    """Starts servers that play, each with an empty database; they end with the test."""
    running: list[tuple[uvicorn.Server, threading.Thread, httpx.Client]] = []

    def start(**settings: Any) -> PlayingLeague:
        app = make_app(anonymous_rate=1e6, **settings)
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="on"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive() and time.monotonic() < deadline
            time.sleep(0.01)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        http = httpx.Client(base_url=url, timeout=60, trust_env=False)
        running.append((server, thread, http))
        with app.state.database.transaction() as session:
            root = create_user(session, email="root@example.com", name="root", now=clock(), is_admin=True)
            admin = Account(root.id, root.email, mint_user_token(session, root, now=clock()), True)
        return PlayingLeague(url, app, World(app, clock), admin, http)

    yield start
    for server, thread, http in running:
        http.close()
        server.should_exit = True
        thread.join(20)
