"""A season of real server processes and a fleet of workers on real Ray nodes, any of which can be killed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select, text

from observatory.accounts.principal import Principal
from observatory.accounts.service import create_user, mint_worker_token
from observatory.app import create_app
from observatory.database import Database
from observatory.database.tables.accounts import User
from observatory.database.tables.episodes import Episode
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.fleet.ray_fleet import NAMESPACE, RayFleet
from observatory.fleet.scaling import Scale
from observatory.fleet.slot import SlotOptions
from observatory.job_states import JobStatus
from observatory.seasons.submissions import submit
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import ROOT, Nursery, kill_process, wait_until
from packages.observatory.tests.world import FREEPLAY, World

MEMBERS = 5
SPLITS = [[2, 2], [1, 3]]
MATCHES_PER_REPETITION = len(SPLITS) * MEMBERS * (MEMBERS - 1) // 2
WORKER = ("-m", "packages.observatory.tests.fleet.formula_worker")


def prepare(data_dir: Path, repetitions: int, changes: Mapping[str, Any]) -> int:
    """Make a data folder with a season that has everything to play, and a worker's token; return its matches."""
    app = create_app(Settings(data_dir=data_dir, seed_seasons=False, **changes))
    world = World(app, lambda: datetime.now(UTC))
    rules = {
        "game": {"mission": "arena", "num_agents": 4},
        "splits": SPLITS,
        "repetitions": repetitions,
        "qualifying_threshold": 0.0,
    }
    world.season(FREEPLAY, freeplay=rules)
    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", name="ada", now=world.clock())
        (data_dir / "worker").write_text(mint_worker_token(session, "workers", now=world.clock()).text)

    class Account:
        user_id = user.id

    for number in range(MEMBERS):
        version = world.version(Account, f"policy{number}")
        with app.state.database.transaction() as session:
            submit(session, Principal(session.get_one(User, user.id)), "open", version, now=world.clock())
    app.state.database.close()
    return MATCHES_PER_REPETITION * repetitions


class League:
    """Server processes on one database, and what they answer."""

    def __init__(self, nursery: Nursery, data_dir: Path, environment: Mapping[str, str], servers: int = 1) -> None:
        self._nursery, self._environment = nursery, dict(environment)
        self._folders = [data_dir]
        for number in range(1, servers):  # the same keys; other locks
            folder = data_dir.with_name(f"{data_dir.name}-{number}")
            shutil.copytree(data_dir, folder)
            self._folders.append(folder)
        self._ports = [_free_port() for _ in self._folders]
        self.urls = [f"http://127.0.0.1:{port}" for port in self._ports]
        self.token = (data_dir / "worker").read_text()
        for folder in self._folders:
            (folder / "log").touch()
        self._processes = [self._serve(number) for number in range(servers)]

    @property
    def log(self) -> str:
        return "\n".join((folder / "log").read_text() for folder in self._folders)

    def kill_server(self, number: int) -> None:
        """SIGKILL, and another one in its place."""
        kill_process(self._processes[number])
        self._processes[number] = self._serve(number)

    def end(self) -> None:
        for process in self._processes:
            kill_process(process)

    def get(self, path: str, server: int = 0) -> httpx.Response:
        """Return a response; errors that a client may retry are retried for a minute."""
        deadline = time.monotonic() + 60
        while True:
            try:
                response = httpx.get(self.urls[server] + path, timeout=30, trust_env=False, verify=False)
                if response.status_code < 500:
                    return response
            except httpx.TransportError:
                pass
            assert time.monotonic() < deadline, self.log[-3000:]
            time.sleep(0.1)

    def table(self, server: int = 0) -> list[dict[str, Any]]:
        response = self.get("/tournament/seasons/open/leaderboard", server)
        assert response.status_code == 200, response.text
        return list(json.loads(response.content))

    def played(self) -> int:
        """Return the matches of the season that count, half of the sum of what the policies played."""
        return sum(row["matches"] for row in self.table()) // 2

    def wait_for(self, matches: int) -> None:
        """Wait for matches that count; fail if none ends for some minutes, however long all of them take."""
        most, deadline = -1, 0.0
        while (played := self.played()) < matches:
            if played > most:
                most, deadline = played, time.monotonic() + 300
            assert time.monotonic() < deadline, f"{played} matches\n{self.log[-3000:]}"
            time.sleep(0.2)

    def _serve(self, number: int) -> int:
        environment = {
            "OBSERVATORY_DATA_DIR": str(self._folders[number]),
            "OBSERVATORY_PORT": str(self._ports[number]),
            "OBSERVATORY_LOCAL_WORKERS": "0",
            "OBSERVATORY_SEED_SEASONS": "false",
            "OBSERVATORY_LEASE_SECONDS": "4",
            "OBSERVATORY_MAX_JOB_ATTEMPTS": "20",
            "OBSERVATORY_LOG_LEVEL": "WARNING",
            "OBSERVATORY_ANONYMOUS_RATE": "1000000",
            **self._environment,
        }
        return self._nursery.start("serve", str(self._folders[number] / "log"), environment)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def league(nursery: Nursery, data_dir: Path, environment: Mapping[str, str], servers: int = 1) -> Iterator[League]:
    running = League(nursery, data_dir, environment, servers)
    try:
        yield running
    finally:
        running.end()


@contextmanager
def cluster(nodes: int) -> Iterator[Any]:
    """Start Ray nodes on this machine; the head runs no workers."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_health_check_period_ms", "500")
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(nodes):
            started.add_node(num_cpus=2)
        ray.init(address=started.address, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
        yield started
    finally:
        ray.shutdown()
        started.shutdown()


def make_fleets(running: League, workers: int) -> list[RayFleet]:
    """Return a fleet for each server, which shares the workers with the others."""
    share = max(1, workers // len(running.urls))
    return [
        RayFleet(SlotOptions(url, running.token, program=WORKER), Scale(1, share), name=f"of{number}", cpus=0.5)
        for number, url in enumerate(running.urls)
    ]


@contextmanager
def played_by_hand(running: League, workers: int) -> Iterator[None]:
    """Play with threads of this process, which nothing disturbs."""
    from packages.observatory.tests.commissioner.scripted import run

    over = threading.Event()
    arguments = [(running.urls[0], running.token, f"thread-{number}") for number in range(workers)]
    threads = [
        threading.Thread(target=run, args=each, kwargs={"stopping": over.is_set, "done": lambda: None})
        for each in arguments
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def node_of(fleet: RayFleet) -> dict[str, str]:
    """Return the node of each worker, without those that are between two nodes."""
    import ray
    from ray.exceptions import RayError

    nodes = {}
    for name, slot in fleet.slots().items():
        try:
            nodes[name] = ray.get(slot.node.remote(), timeout=20)
        except (RayError, TimeoutError):
            continue
    return nodes


def wait_for_workers(fleet: RayFleet, count: int, log: Callable[[], str], *, without: str = "") -> None:
    """Wait until a fleet has workers, none of them on a lost node."""

    def are_there() -> bool:
        nodes = node_of(fleet).values()
        return len(nodes) == count and without not in nodes

    wait_until(are_there, log, every_seconds=0.2)


def break_connections(database_url: str) -> int:
    """End all connections to a PostgreSQL database; return how many."""
    database = Database(database_url.replace("postgresql://", "postgresql+psycopg://"))
    query = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid != pg_backend_pid()"
    )
    with database.engine.connect() as connection:
        ended = len(connection.execute(text(query)).all())
    database.close()
    return ended


def check_nothing_counts_twice(settings: Settings, matches: int) -> None:
    """Each match has one job, one episode and one result."""
    database = Database(settings.sqlalchemy_url())
    with database.read() as session:
        games = (Match.pool_id, Match.combination, Match.sample)
        counts = session.scalars(select(func.count()).where(Match.status == "completed").group_by(*games)).all()
        assert set(counts) == {1}
        assert len(counts) >= matches
        assert session.scalar(select(func.count()).select_from(Episode)) == len(counts)
        jobs = session.scalar(select(func.count()).select_from(Job).where(Job.status == JobStatus.COMPLETED))
        assert jobs == len(counts)
    database.close()
