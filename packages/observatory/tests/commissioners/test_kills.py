"""Kill the server, the workers and the commissioner in every phase: the league ends as if nothing had happened.

There is one kill in each phase. With `COMMISSIONER_KILLS` (0), each of the three is killed in each phase, and so many
kills at any time follow; `make soak` asks for 60 in 20 rounds, on each database.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.app import create_app
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery, Processes, kill_process, wait_until
from packages.observatory.tests.commissioner.scripted import coworld_scores
from packages.observatory.tests.commissioners.conversing import Commissioned, make_commissioned
from packages.observatory.tests.commissioners.script import ROUNDS
from packages.observatory.tests.world import World

pytestmark = pytest.mark.any_database

KILLS = int(os.environ.get("COMMISSIONER_KILLS", "0"))
SEED = int(os.environ.get("KILLS_SEED", "11"))
PHASES = ("migration", "scheduling", "round", "review")


class League(Processes):
    """A server, workers for episodes, and one for commissioners."""

    def __init__(self, nursery: Nursery, data_dir: Path, database_url: str | None, token: str, league: str) -> None:
        super().__init__(nursery, data_dir, database_url)
        self._headers, self._league = {"X-Auth-Token": token}, league
        self._lane = self._commission()

    def kill_commissioner(self) -> None:
        """SIGKILL for the program and its worker, which are one process here."""
        kill_process(self._lane)
        self._lane = self._commission()

    def end(self) -> None:
        kill_process(self._lane)
        super().end()

    def read(self, path: str) -> Any:
        """What the server answers to the owner; None when it is not there."""
        try:
            answer = httpx.get(self.url + path, headers=self._headers, timeout=30, trust_env=False, verify=False)
        except httpx.TransportError:
            return None
        return answer.json() if answer.is_success else None

    def configure(self, seed: str, overrides: dict[str, Any]) -> None:
        """Change the configuration of the commissioner."""

        def is_changed() -> bool:
            body, path = {"overrides": overrides}, f"{self.url}/v2/coworld-league-seeds/{seed}"
            with suppress(httpx.TransportError):
                return httpx.patch(path, json=body, headers=self._headers, timeout=30, trust_env=False).is_success
            return False

        wait_until(is_changed, lambda: self.log)

    @property
    def state(self) -> str:
        """Return what is known when a test fails."""
        return f"{self.read(f'/v2/leagues/{self._league}/commissioner')}\n{self.log}"

    @property
    def phase(self) -> str | None:
        """The phase that a connected program is in; the newest, if several."""
        status = self.read(f"/v2/leagues/{self._league}/commissioner") or {"conversations": []}
        talking = [row for row in status["conversations"] if row["status"] == "running" and row["connections"]]
        return talking[0]["phase"] if talking else None

    @property
    def is_over(self) -> bool:
        rounds = self.read(f"/v2/rounds?league_id={self._league}") or {"entries": []}
        completed = [row for row in rounds["entries"] if row["status"] == "completed"]
        status = self.read(f"/v2/leagues/{self._league}/commissioner") or {"conversations": [{"status": "running"}]}
        return len(completed) == ROUNDS and all(row["status"] != "running" for row in status["conversations"])

    def _commission(self) -> int:
        words = (self.url, str(self._data_dir / "worker"), "lane")
        return self._nursery.start("commission", str(self._data_dir / "log"), self._env, *words)


def prepare(data_dir: Path, database_url: str | None) -> tuple[str, Commissioned]:
    """Make a data folder with a league; the token of its owner, and the league without a server."""
    app = create_app(Settings(data_dir=data_dir, database_url=database_url, seed_seasons=False))
    world = World(app, lambda: datetime.now(UTC))
    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", name="ada", now=world.clock())
        token = mint_user_token(session, user, now=world.clock())
        worker = mint_worker_token(session, "workers", now=world.clock()).text
    (data_dir / "worker").write_text(worker)
    owner = SimpleNamespace(user_id=user.id, headers={"X-Auth-Token": token})
    return token, make_commissioned(world, TestClient(app), owner, worker)


@contextmanager
def league_of(nursery: Nursery, data_dir: Path, url: str | None, token: str, league: str) -> Iterator[League]:
    running = League(nursery, data_dir, url, token, league)
    try:
        yield running
    finally:
        running.end()


def expected() -> list[tuple[int, str, Any]]:
    """Return the results of each round, by the formula of the scripted workers."""
    played, swapped = (
        coworld_scores("0000", [f"{name}:v1" for name in names]) for names in (("ann", "ben"), ("ben", "ann"))
    )
    scores = {"ann": (played[0] + swapped[1]) / 2, "ben": (played[1] + swapped[0]) / 2, "zed": 0.0}
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(rank, name, pytest.approx(score)) for rank, (name, score) in enumerate(ranked, 1)]


def test_kills_in_every_phase_change_nothing(
    tmp_path: Path, database_kind: str, new_database_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBSERVATORY_MAX_JOB_ATTEMPTS", "1000")  # no machine is at fault, however often it is killed
    monkeypatch.setenv("OBSERVATORY_COMMISSIONER_TICK_SECONDS", "0")
    url = None if database_kind == "sqlite" else new_database_url()
    token, league = prepare(tmp_path, url)
    chance = random.Random(SEED)
    with Nursery() as nursery, league_of(nursery, tmp_path, url, token, league.league) as running:
        victims = [running.kill_server, running.kill_commissioner, lambda: running.kill_worker(chance.randrange(2))]
        pairs = list(itertools.product(PHASES, victims)) if KILLS else list(zip(PHASES, itertools.cycle(victims)))
        for number, (phase, kill) in enumerate(pairs):
            again = itertools.count(1)

            def is_reached(phase: str = phase, number: int = number, again: Iterator[int] = again) -> bool:
                if KILLS and number and phase == "migration" and next(again) % 100 == 1:
                    # Another configuration is another commissioner, which migrates; a short one may be missed.
                    running.configure(league.seed, {"number": random.random()})
                return running.phase == phase

            wait_until(is_reached, lambda phase=phase: f"no {phase}: {running.state}")  # type: ignore[misc]
            time.sleep(chance.random() / 10)  # anywhere in what is done then
            kill()
        for _ in range(KILLS):
            time.sleep(2 * chance.random())
            chance.choice(victims)()
        wait_until(lambda: running.is_over, lambda: running.log, every_seconds=0.1)
        assert "Traceback" not in running.log
    outcome = league.outcome()
    league.world.database.close()
    assert [row["results"] for row in outcome["rounds"]] == [expected()] * ROUNDS
    assert {row["status"] for row in outcome["rounds"]} == {"completed"}
    assert [len(value) for value in outcome["state"]["commissioner"].values()] == [ROUNDS]
    assert outcome["members"]["zed"] == ("Premier", "disqualified", False)
    assert outcome["members"]["eve"] == ("Waiting", "qualifying", False)
    assert [row[1:] for row in outcome["tables"]["Premier"]] == [(*row[1:], ROUNDS) for row in expected()]
