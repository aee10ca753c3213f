"""Nothing is lost: however often server and workers are killed, every acknowledged request is played once.

`REQUEST_KILLS` is the number of kills (2); `make soak` asks for 50 on each database.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.app import create_app
from observatory.database import Database
from observatory.database.tables.episodes import Episode
from observatory.database.tables.requests import EpisodeRequest, ExperienceRequest
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery, Processes, processes, wait_until
from packages.observatory.tests.commissioner.scripted import CRASHES, coworld_scores
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World

pytestmark = pytest.mark.any_database

KILLS = int(os.environ.get("REQUEST_KILLS", "2"))
SEED = int(os.environ.get("KILLS_SEED", "7"))
EPISODES = 3
"""of a request; one is made before each kill"""
ENDED = {"completed", "failed"}


def prepare(data_dir: Path, database_url: str | None) -> tuple[str, str]:
    """Make a data folder with Paint Arena and two policies of ada; (her token, the id of the game)."""
    app = create_app(Settings(data_dir=data_dir, database_url=database_url, seed_seasons=False))
    world = World(app, lambda: datetime.now(UTC))
    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", name="ada", now=world.clock())
        token = mint_user_token(session, user, now=world.clock())
        (data_dir / "worker").write_text(mint_worker_token(session, "workers", now=world.clock()).text)
    arena, ada = Arena(world, TestClient(app)), SimpleNamespace(user_id=user.id)
    game = arena.coworld(ada)
    arena.policy(ada, "steady")
    arena.policy(ada, CRASHES)
    app.state.database.close()
    return token, game


class Reader:
    """Asks for episodes and follows the feed, as a client does: a request without an answer is not counted."""

    def __init__(self, running: Processes, token: str, game: str) -> None:
        self._http = httpx.Client(base_url=running.url, headers={"X-Auth-Token": token}, trust_env=False, timeout=10)
        self._game = game
        self.requests: list[str] = []
        self.statuses: dict[str, str] = {}
        self._cursors: dict[str, str] = {}

    def close(self) -> None:
        self._http.close()

    def ask(self, policy: str) -> bool:
        roster = [{"player": {"policy_ref": policy}}, {"player": {"game_player": "sweep"}}]
        body = {"coworld_id": self._game, "roster": roster, "num_episodes": EPISODES, "variant_id": "quick"}
        answer = self._call("POST", "/v2/experience-requests", json=body)
        if answer is None:
            return False
        self.requests.append(answer["id"])
        return True

    def read(self) -> bool:
        """Read what has changed; True when every episode of every request has ended."""
        for request in self.requests:
            query = {"ids": request, **({"cursor": self._cursors[request]} if request in self._cursors else {})}
            page = self._call("GET", "/v2/episode-requests/changes", params=query)
            if page is None:
                return False
            self._cursors[request] = page["next_cursor"]
            self.statuses |= {entry["id"]: entry["episode"]["status"] for entry in page["entries"]}
        return len(self.statuses) == EPISODES * len(self.requests) and set(self.statuses.values()) <= ENDED

    def episodes(self) -> list[dict[str, Any]]:
        found = [self._call("GET", f"/v2/experience-requests/{request}") for request in self.requests]
        assert all(request is not None and request["status"] == "completed" for request in found)
        return [row for request in found if request is not None for row in request["episodes"]]

    def _call(self, method: str, path: str, **options: Any) -> Any:
        """The answer; None when the server did not give one."""
        try:
            answer = self._http.request(method, path, **options)
        except httpx.TransportError:
            return None
        assert answer.status_code in (200, 503), answer.text
        return answer.json() if answer.status_code == 200 else None


def test_every_acknowledged_episode_is_played_once_whatever_is_killed(
    tmp_path: Path, database_kind: str, new_database_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBSERVATORY_MAX_JOB_ATTEMPTS", "1000")  # no machine is at fault, however often it is killed
    url = None if database_kind == "sqlite" else new_database_url()
    token, game = prepare(tmp_path, url)
    chance = random.Random(SEED)
    with (
        Nursery() as nursery,
        processes(nursery, tmp_path, url) as running,
        closing(Reader(running, token, game)) as reader,
    ):
        for kill in range(KILLS):
            policy = CRASHES if kill % 2 else "steady"
            wait_until(lambda policy=policy: reader.ask(policy), lambda: running.log)  # type: ignore[misc]
            reader.read()
            time.sleep(chance.random() / 5)  # anywhere in what is done then
            running.kill(chance)
        wait_until(reader.read, lambda: running.log, every_seconds=0.1)
        rows = reader.episodes()
        assert "Traceback" not in running.log
    assert {row["id"]: row["status"] for row in rows} == reader.statuses
    for row in rows:
        names = [f"{seat['policy_name']}:v{seat['version']}" for seat in row["participants"]]
        is_broken = CRASHES in names[0]
        assert row["status"] == ("failed" if is_broken else "completed")
        names[1] = row["participants"][1]["policy_name"]
        expected = [] if is_broken else [coworld_scores(row["id"], names)[0]]
        assert [score["score"] for score in row["scores"]] == pytest.approx(expected)
        assert row["failed_policy_index"] == (0 if is_broken else None)
    _check_nothing_counts_twice(Settings(data_dir=tmp_path, database_url=url), rows)


def _check_nothing_counts_twice(settings: Settings, rows: list[dict[str, Any]]) -> None:
    database = Database(settings.sqlalchemy_url())
    with database.read() as session:
        completed = [row["episode_id"] for row in rows if row["status"] == "completed"]
        assert session.scalar(select(func.count()).select_from(Episode)) == len(set(completed))
        revisions = session.scalars(select(EpisodeRequest.revision)).all()
        assert len(set(revisions)) == len(revisions)
        # Requests without an answer may exist, but each has all its episodes.
        requests = session.scalar(select(func.count()).select_from(ExperienceRequest))
        assert len(revisions) == EPISODES * (requests or 0) >= len(rows)
    database.close()
