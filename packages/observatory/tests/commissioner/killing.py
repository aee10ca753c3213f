"""A league of real processes, any of which can be killed: the server, and workers that play by a formula."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import httpx

from observatory.accounts.principal import Principal
from observatory.accounts.service import create_user, mint_worker_token
from observatory.app import create_app
from observatory.database.tables.accounts import User
from observatory.seasons.repository import season as find_season
from observatory.seasons.submissions import submit
from observatory.settings import Settings
from observatory.standings.progress import start
from packages.observatory.tests.world import FREEPLAY, TEAM, World

ROOT = Path(__file__).resolve().parents[4]
KILLS = int(os.environ.get("KILLS", "5"))
MANY = KILLS > 10  # needs longer seasons
WORKERS = 2
PATIENCE_SECONDS = 180
FREE, TEAMS = "open", "teams"
RULES = {
    "game": {"mission": "arena", "num_agents": 4},
    "splits": [[2, 2], [1, 3]],
    "repetitions": 2 if MANY else 1,
    "qualifying_threshold": 0.0,
}
STAGES = [
    {"kind": "policy_eval", "policies_per_team": 1, "matches_per_combo": 1, "min_policies": 5},
    {
        "kind": "policy_eval",
        "policies_per_team": 2,
        "matches_per_combo": 1,
        "elim": {"kind": "top_k", "max_policies": 4},
    },
    {"kind": "sample_teams", "team_size": 2, "num_teams": 8 if MANY else 4, "min_per_policy": 2},
    {"kind": "team_eval", "matches_per_team": 2 if MANY else 1, "cull_fraction": 0.5},
    {"kind": "score_policies", "top_k": 3},
]
MEMBERS = ["one", "two", "three", "four", "five", "crashes"]
JOBS = 75 if MANY else 40
"""both seasons finish at least this many"""
_PLAYING = len(MEMBERS) - 1
MATCHES_OF_A_POLICY = (_PLAYING - 1) * len(RULES["splits"]) * RULES["repetitions"]  # type: ignore[arg-type, operator]


class _Account:
    def __init__(self, user: User) -> None:
        self.user_id = user.id


def prepare(data_dir: Path, database_url: str | None) -> None:
    """A data folder with two seasons that have everything to play, and a token for workers in `worker`."""
    app = create_app(Settings(data_dir=data_dir, database_url=database_url, seed_seasons=False))
    world = World(app, lambda: datetime.now(UTC))
    world.season(FREEPLAY, freeplay=RULES)
    world.season(TEAM, team={"game": RULES["game"], "stages": STAGES})
    database = app.state.database
    with database.transaction() as session:
        users = [create_user(session, email=f"{n}@example.com", name=n, now=world.clock()) for n in ("ada", "bob")]
        (data_dir / "worker").write_text(mint_worker_token(session, "workers", now=world.clock()).text)
    for number, name in enumerate(MEMBERS):
        user = users[number % 2]
        version = world.version(_Account(user), name)
        with database.transaction() as session:
            for season in (FREE, TEAMS):
                submit(session, Principal(session.get_one(User, user.id)), season, version, now=world.clock())
    with database.transaction() as session:
        start(session, find_season(session, TEAMS, None), now=world.clock())
    database.close()


class Nursery:
    """Makes processes quickly, by forking one that has everything loaded. To be used in a `with` block."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "packages.observatory.tests.commissioner.nursery"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, *words: object) -> int:
        """The id of the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Processes:
    """Servers and their workers, each a process of its own. Killed ones are started again."""

    def __init__(self, nursery: Nursery, data_dir: Path, database_url: str | None, *, servers: int = 1) -> None:
        ports = [_free_port() for _ in range(servers)]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self.url = self.urls[0]
        self._data_dir = data_dir
        self._progress = data_dir / "progress"
        self._progress.touch()
        self._env = {
            "OBSERVATORY_DATA_DIR": str(data_dir),
            "OBSERVATORY_LOCAL_WORKERS": "0",
            "OBSERVATORY_SEED_SEASONS": "false",
            "OBSERVATORY_LEASE_SECONDS": "2",
            "OBSERVATORY_LOG_LEVEL": "WARNING",
            "OBSERVATORY_ANONYMOUS_RATE": "1000000",
            "OBSERVATORY_USER_RATE": "1000000",
            "OBSERVATORY_MAX_UPLOADS_PER_DAY": "1000000",
            **({} if database_url is None else {"OBSERVATORY_DATABASE_URL": database_url}),
        }
        (data_dir / "log").touch()
        self._nursery = nursery
        self._ports = ports
        self._servers = [self._serve(port) for port in ports]
        self._workers = [self._work(number) for number in range(WORKERS)]

    @property
    def finished(self) -> int:
        """Jobs that workers have finished, or nearly: one that is killed may not have counted its last."""
        return self._progress.stat().st_size

    @property
    def log(self) -> str:
        return (self._data_dir / "log").read_text()

    def kill(self, chance: random.Random) -> None:
        """SIGKILL, for a server or one of the workers, and another one in its place."""
        number = chance.randrange(1 + 2 * WORKERS)
        if number in (0, 2 * WORKERS):
            self.kill_server(0 if number else len(self._servers) - 1)
        else:
            victim = number % WORKERS
            self.kill_worker(victim)

    def kill_worker(self, victim: int) -> None:
        kill_process(self._workers[victim])
        self._workers[victim] = self._work(victim)

    def kill_server(self, victim: int = 0) -> None:
        kill_process(self._servers[victim])
        self._servers[victim] = self._serve(self._ports[victim])

    def get(self, path: str) -> bytes | None:
        """What the server answers; None when it is not there."""
        try:
            answer = httpx.get(self.url + path, timeout=30, trust_env=False, verify=False)
        except httpx.TransportError:
            return None
        return answer.content if answer.is_success else None

    def end(self) -> None:
        for process in (*self._workers, *self._servers):
            kill_process(process)

    def _serve(self, port: int) -> int:
        environment = {**self._env, "OBSERVATORY_PORT": str(port)}
        return self._nursery.start("serve", str(self._data_dir / "log"), environment)

    def _work(self, number: int) -> int:
        words = (self.urls[number % len(self.urls)], str(self._data_dir / "worker"), f"w{number}", str(self._progress))
        return self._nursery.start("work", str(self._data_dir / "log"), self._env, *words)


def kill_process(process: int) -> None:
    """SIGKILL, and wait until the process is gone."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    while Path(f"/proc/{process}").exists():
        time.sleep(0.01)


@contextmanager
def processes(nursery: Nursery, data_dir: Path, database_url: str | None, *, servers: int = 1) -> Iterator[Processes]:
    running = Processes(nursery, data_dir, database_url, servers=servers)
    try:
        yield running
    finally:
        running.end()


def wait_until(condition: Callable[[], bool], log: Callable[[], str], *, every_seconds: float = 0.02) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, log()[-3000:]
        time.sleep(every_seconds)


def play_to_the_end(league: Processes) -> dict[str, bytes]:
    """Wait until both seasons have nothing left to play; all their tables, as they are sent."""

    def state() -> tuple[list[Any], str | None]:
        """Return how many matches each policy has in the first season, and the status of the second."""
        table = json.loads(league.get(f"/tournament/seasons/{FREE}/leaderboard") or b"[]")
        teams = json.loads(league.get(f"/tournament/seasons/{TEAMS}") or b"{}")
        return [row["matches"] for row in table], teams.get("status")

    def is_over() -> bool:
        return league.finished >= JOBS and state() == ([MATCHES_OF_A_POLICY] * _PLAYING, "complete")

    wait_until(is_over, lambda: f"{league.log}\n{league.finished} jobs, {state()}", every_seconds=0.2)
    pools = [(FREE, "qualifying"), (FREE, "competition"), (TEAMS, "stage-1"), (TEAMS, "stage-2")]
    paths = [f"/tournament/seasons/{season}/leaderboard/policy/{pool}" for season, pool in pools]
    paths += [f"/tournament/seasons/{TEAMS}/score-policies-leaderboard", f"/tournament/seasons/{FREE}/leaderboard"]
    return {path: league.get(path) or b"" for path in paths}
