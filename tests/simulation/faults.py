"""Which faults a season has: drawn from its seed, and gone after a while, so that every season can end."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from tests.simulation.network import Network
from tests.simulation.scheduler import Scheduler
from tests.simulation.servers import Cluster, Server
from tests.simulation.workers import SimulatedWorker

__all__ = ["CALM", "Faults", "cause", "draw", "elect"]

LEADER_SECONDS = 3.0
"""how long a league is without a leader after the last one was lost"""


@dataclass(frozen=True)
class Faults:
    """Kinds and amounts of the faults of a season."""

    seconds: float = 0.0
    lost: float = 0.0
    doubled: float = 0.0
    latency: float = 0.002
    slowness: float = 0.0
    disk_failures: float = 0.0
    machine_failures: float = 0.0
    episode_seconds: float = 1.0
    server_kills: int = 0
    worker_kills: int = 0
    cuts: int = 0
    clock_jumps: int = 0
    second_leaders: int = 0


CALM = Faults()


def draw(chance: random.Random) -> Faults:
    """Draw the faults of a season: some kinds are absent, others frequent."""

    def some(most: float) -> float:
        return most * chance.random() if chance.random() < 0.6 else 0.0

    return Faults(
        seconds=6 + 8 * chance.random(),
        lost=some(0.15),
        doubled=some(0.3),
        latency=0.002 + some(1.0),
        slowness=some(0.3),
        disk_failures=some(0.2),
        machine_failures=some(0.3),
        episode_seconds=1 + some(8.0),
        server_kills=chance.randint(0, 4),
        worker_kills=chance.randint(0, 3),
        cuts=chance.randint(0, 3),
        clock_jumps=chance.randint(0, 3),
        second_leaders=chance.randint(0, 2),
    )


async def elect(scheduler: Scheduler, servers: list[Server]) -> None:
    """Let a server lead whenever none does, as an election with leases would."""
    alone_since: float | None = None
    while True:
        await asyncio.sleep(0.5)
        if any(server.leads for server in servers):
            alone_since = None
            continue
        alone_since = scheduler.now if alone_since is None else alone_since
        ready = [server for server in servers if server.is_up]
        if ready and scheduler.now - alone_since >= LEADER_SECONDS:
            scheduler.chance.choice(ready).lead()


async def cause(
    scheduler: Scheduler,
    faults: Faults,
    cluster: Cluster,
    network: Network,
    servers: list[Server],
    workers: list[SimulatedWorker],
) -> None:
    """Cause the faults, then repair everything."""
    chance = scheduler.chance
    scheduler.slowness, cluster.disk.failures = faults.slowness, faults.disk_failures
    network.lost, network.doubled, network.latency = faults.lost, faults.doubled, faults.latency
    for worker in workers:
        worker.failures, worker.seconds = faults.machine_failures, faults.episode_seconds
    async with asyncio.TaskGroup() as group:
        for count, fault in (
            (faults.server_kills, lambda: _kill_server(scheduler, chance.choice(servers))),
            (faults.worker_kills, lambda: _kill_worker(scheduler, chance.choice(workers))),
            (faults.cuts, lambda: _cut(scheduler, network, servers, workers)),
            (faults.clock_jumps, lambda: _set_clock(scheduler, chance.choice(servers))),
            (faults.second_leaders, lambda: _second_leader(scheduler, servers)),
        ):
            for _ in range(count):
                group.create_task(_at(chance.random() * faults.seconds, fault))
    await asyncio.sleep(max(0.0, faults.seconds - scheduler.now))
    _repair(scheduler, cluster, network, servers, workers)


def _repair(
    scheduler: Scheduler, cluster: Cluster, network: Network, servers: list[Server], workers: list[SimulatedWorker]
) -> None:
    scheduler.note("repair")
    scheduler.slowness = cluster.disk.failures = network.lost = network.doubled = 0.0
    network.latency = 0.002
    network.cuts.clear()
    for server in servers:
        server.skew = 0.0
        if server.process is not None:
            server.process.dies_at = None
        if not server.is_up:
            server.start()
    for worker in workers:
        worker.failures, worker.seconds = 0.0, 1.0
        if worker.process is None or not worker.process.is_alive:
            worker.start()


async def _at(seconds: float, fault: object) -> None:
    await asyncio.sleep(seconds)
    await fault()  # type: ignore[operator]


async def _kill_server(scheduler: Scheduler, server: Server) -> None:
    """Kill a server: at once, or at one of the next places where it waits or writes."""
    process = server.process
    if process is None or not process.is_alive:
        return
    if scheduler.chance.random() < 0.7:
        process.dies_at = process.points + scheduler.chance.randint(1, 60)
        for _ in range(50):
            await asyncio.sleep(0.1)
            if not process.is_alive:
                break
    if process is server.process:
        process.kill()
        await asyncio.sleep(scheduler.chance.random() * 4)
        if not server.is_up:
            server.start()


async def _kill_worker(scheduler: Scheduler, worker: SimulatedWorker) -> None:
    worker.kill()
    await asyncio.sleep(scheduler.chance.random() * 8)
    if worker.process is None or not worker.process.is_alive:
        worker.start()


async def _cut(scheduler: Scheduler, network: Network, servers: list[Server], workers: list[SimulatedWorker]) -> None:
    """Cut a worker off from one server, or from all."""
    chance = scheduler.chance
    name = chance.choice(workers).name
    far = servers if chance.random() < 0.5 else [chance.choice(servers)]
    cuts = {(name, server.name) for server in far}
    scheduler.note("cut", *sorted(map("-".join, cuts)))
    network.cuts |= cuts
    await asyncio.sleep(chance.random() * 12)
    network.cuts -= cuts
    scheduler.note("joined", *sorted(map("-".join, cuts)))


async def _set_clock(scheduler: Scheduler, server: Server) -> None:
    """Set a clock forwards or backwards, by seconds or by hours; perhaps set it right again."""
    chance = scheduler.chance
    server.skew += chance.choice((-1, 1)) * chance.choice((2.0, 10.0, 120.0, 7200.0))
    scheduler.note("clock", server.name, server.skew)
    await asyncio.sleep(chance.random() * 10)
    if chance.random() < 0.7:
        server.skew = 0.0
        scheduler.note("clock", server.name, 0)


async def _second_leader(scheduler: Scheduler, servers: list[Server]) -> None:
    """Let all servers lead for a while; the one that led before may be the one that stays."""
    for server in servers:
        server.lead()
    await asyncio.sleep(scheduler.chance.random() * 10)
    leading = [server for server in servers if server.leads]
    if len(leading) > 1:
        scheduler.chance.choice(leading).follow()
