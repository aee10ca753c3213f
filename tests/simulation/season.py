"""One season from its entries to its table: users enter policies, workers play, readers read, faults happen."""

from __future__ import annotations

import asyncio
import functools
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from unittest import mock

from observatory.job_states import TERMINAL
from observatory.operations import sweeping
from tests.simulation import faults as fault_rules
from tests.simulation.faults import CALM, Faults
from tests.simulation.invariants import Checks, Snapshot, check_history, snapshot
from tests.simulation.network import Lost, Network, Reply
from tests.simulation.scenarios import DATABASE, SCENARIOS, Scenario, Template, ladder_settings, template, workplace
from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.servers import Cluster, Observer, Server
from tests.simulation.workers import SimulatedWorker, WorkerLog

__all__ = ["Outcome", "play_calmly", "play_season"]

_JSON = [("content-type", "application/json")]
PATIENCE_SECONDS = 900.0
QUIET_SECONDS = 7.0
"""after the end of the last job, while the servers are connected: every loop of the leader has looked at everything"""


@dataclass
class Outcome:
    """How a season ended."""

    seed: object
    scenario: str
    faults: Faults
    violations: list[str]
    digest: str
    lines: list[str] = field(repr=False)
    moves: int = 0


@functools.cache
def play_calmly(scenario: Scenario) -> Snapshot:
    """Return how a season ends without faults; played once."""
    run = _Season(template(scenario), f"calm/{scenario.name}", CALM)
    found = run.play()
    if run.checks.violations or found is None:
        raise AssertionError(f"{scenario.name} fails without faults: {run.checks.violations}")
    return found


def play_season(
    seed: int,
    *,
    plant: Callable[[], AbstractContextManager[object]] = nullcontext,
    show: Callable[[str], None] | None = None,
) -> Outcome:
    """Play the season of a seed with faults, and compare its end with the one without."""
    chance = random.Random(f"season/{seed}")
    [scenario] = chance.choices(SCENARIOS, [one.weight for one in SCENARIOS])
    expected = play_calmly(scenario)
    drawn = fault_rules.draw(chance)
    run = _Season(template(scenario), seed, drawn)
    run.scheduler.show = show
    with plant():
        found = run.play()
    if found is not None:
        run.checks.violations += expected.differences(found)
    scheduler = run.scheduler
    return Outcome(
        seed, scenario.name, drawn, run.checks.violations, scheduler.digest, scheduler.lines, len(run.cluster.moves)
    )


class _Season:
    """A season that is being played."""

    def __init__(self, prepared: Template, seed: object, faults: Faults) -> None:
        self.template, self.faults = prepared, faults
        self.folder = workplace()
        self.scheduler = Scheduler(seed)
        self.cluster = Cluster(self.scheduler, self.folder)
        kind = prepared.scenario.kind
        self.servers = [Server(self.cluster, number, kind) for number in range(2)]
        self.witness = Server(self.cluster, 2)
        self.network = Network(self.scheduler, self.servers)
        self.worker_log = WorkerLog()
        self.workers = [
            SimulatedWorker(f"w{number}", self.scheduler, self.network, prepared.worker_token, self.worker_log)
            for number in range(2)
        ]
        self.users = Process("users", self.scheduler)
        self.checks = Checks(self.cluster, prepared, faults.notice_latency)
        self.entered_at = 0.0
        """when all policies were entered and all faults had ended"""

    def play(self) -> Snapshot | None:
        """Play to the end; return what is there then, or None if the season does not end."""
        self.template.install(self.folder)
        asyncio.set_event_loop(self.scheduler)
        folder, tempfile.tempdir = tempfile.tempdir, str(self.folder)
        try:
            with self._installed():
                try:
                    return self.scheduler.run_until_complete(self._run())
                finally:
                    self._end()
        finally:
            tempfile.tempdir = folder
            asyncio.set_event_loop(None)

    @contextmanager
    def _installed(self) -> Iterator[None]:
        """Replace the operating system, PostgreSQL and the webhooks while the block runs."""
        every = mock.patch.object(sweeping, "EVERY_SECONDS", self.faults.sweep_seconds)
        with (
            self.scheduler.installed(),
            self.cluster.group.installed(),
            self.cluster.webhooks.installed(),
            self.cluster.sockets.installed(),
            Observer(self.cluster),
            every,
        ):
            yield

    async def _run(self) -> Snapshot | None:
        for server in self.servers:
            server.start()
        for worker in self.workers:
            worker.start()
        users = self.users
        causing = users.spawn(
            fault_rules.cause(self.scheduler, self.faults, self.cluster, self.network, self.servers, self.workers)
        )
        entering = users.spawn(self._enter_all(users))
        if self.faults is not CALM:
            users.spawn(self._read())
        await asyncio.gather(causing, entering)
        self.entered_at = self.scheduler.now
        while not self._is_over():
            if self.scheduler.now > PATIENCE_SECONDS:
                self.checks.violate("the season does not end")
                return None
            await asyncio.sleep(1.0)
        check_history(self.checks, self.worker_log.finished)
        self.witness.start()
        return await snapshot(self.checks, self.servers, self.witness)

    def _end(self) -> None:
        for thing in (*self.servers, self.witness, *self.workers, self.users):
            thing.kill()
        scheduler = self.scheduler
        end = scheduler.now + 5.0
        while (left := asyncio.all_tasks(scheduler)) and scheduler.now < end:
            scheduler.run_until_complete(asyncio.sleep(0.02))
        assert not left, left
        scheduler.run_until_complete(scheduler.shutdown_asyncgens())
        scheduler.close()

    def _is_over(self) -> bool:
        """Return whether everything was played and nothing has changed for a while."""
        scheduler, group = self.scheduler, self.cluster.group
        if not self.cluster.moves or not group.is_whole(len(self.servers)) or self._has_work():
            return False
        return scheduler.now - max(self.cluster.committed_at, self.entered_at, group.changed_at) >= QUIET_SECONDS

    def _has_work(self) -> bool:
        """Return whether a job waits or is being played; only the database knows of one that no worker has taken."""
        with closing(sqlite3.connect(self.folder / DATABASE)) as database:
            states = {state for (state,) in database.execute("SELECT DISTINCT status FROM jobs")}
        return not states <= TERMINAL

    async def _enter_all(self, users: Process) -> None:
        """Enter every policy, each by its owner, then start what has to be started."""
        kind, owner = self.template.scenario.kind, self.template.users["owner"]
        if kind != "league":
            await asyncio.gather(*(users.spawn(self._enter(name)) for name in self.template.versions))
        if kind == "team":
            await self._insist("owner", "POST", f"/tournament/seasons/{self.template.reference}/start", owner.pairs)
        elif kind == "league":
            await asyncio.sleep(self.scheduler.chance.random() * self.faults.seconds / 2)
            path = f"/v2/leagues/{self.template.reference}/settings"
            await self._insist("owner", "POST", path, owner.pairs, ladder_settings())

    async def _enter(self, name: str) -> None:
        user, version = self.template.users[name], self.template.versions[name]
        await asyncio.sleep(self.scheduler.chance.random() * self.faults.seconds / 2)
        season = f"/tournament/seasons/{self.template.reference}"
        if self.faults is not CALM:
            await self._read_everywhere(f"{season}/policies")
        body = {"policy_version_id": version}
        reply = await self._insist(name, "POST", f"{season}/submissions", user.pairs, json.dumps(body).encode())
        self.checks.entered(version)
        server = reply.server
        is_its_own = reply.status != 409  # else another server has accepted it, and the answer was lost
        if is_its_own and server.is_up and server.life == reply.life:  # a server shows at once what it has accepted
            try:
                listed = await server.handle("GET", f"{season}/policies", [], b"")
            except ConnectionError:
                return
            if listed.status == 200 and version not in listed.body.decode():
                self.checks.violate(f"{server.name} does not list {name}, which it has just accepted")

    async def _read_everywhere(self, path: str) -> None:
        """Read from each server that is up, so that each has cached a response from before the next write."""
        for server in self.servers:
            if server.is_up:
                with suppress(ConnectionError):
                    await server.handle("GET", path, [], b"")

    async def _insist(
        self, name: str, method: str, path: str, headers: list[tuple[str, str]], body: bytes = b""
    ) -> Reply:
        """Repeat a request until a server has accepted it; "it was done before" is an acceptance, too."""
        while True:
            try:
                reply = await self.network.call(name, method, path, [*headers, *_JSON], body)
            except Lost:
                reply = None
            if reply is not None and (reply.status < 300 or reply.status == 409):
                return reply
            if reply is not None and reply.status not in (408, 429, 503):
                self.checks.violate(f"{method} {path} answers {reply.status}: {reply.body[:200]!r}")
                return reply
            await asyncio.sleep(0.5 + self.scheduler.chance.random())

    async def _read(self) -> None:
        """Read tables while the season is played, from any server, and compare them with what was committed."""
        while True:
            await asyncio.sleep(0.5 + 3 * self.scheduler.chance.random())
            path = self.scheduler.chance.choice(self.checks.read_paths)
            asked_at = self.scheduler.now
            try:
                reply = await self.network.call("reader", "GET", path)
            except Lost:
                continue
            self.checks.check_read(path, reply, asked_at)
