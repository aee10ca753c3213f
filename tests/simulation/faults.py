"""Which faults a season has: drawn from its seed, and gone after a while, so that every season can end."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from tests.simulation.group import NOTICE_SECONDS, Group
from tests.simulation.network import Network
from tests.simulation.scheduler import Scheduler
from tests.simulation.servers import Cluster, Server
from tests.simulation.workers import SimulatedWorker

__all__ = ["CALM", "Faults", "cause", "draw"]


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
    restarts: int = 0
    disconnects: int = 0
    """of a server from the group"""
    notice_latency: float = 0.002
    """of notifications between servers"""
    webhook_failures: float = 0.0
    sweep_seconds: float = 3600.0
    """between two sweeps of a server"""


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
        restarts=chance.randint(0, 1),
        disconnects=chance.randint(0, 3),
        notice_latency=0.002 + some(0.5),
        webhook_failures=some(0.4),
        sweep_seconds=2 + 4 * chance.random() if chance.random() < 0.4 else 3600.0,
    )


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
    cluster.group.latency, cluster.sockets.latency = faults.notice_latency, faults.latency
    cluster.webhooks.failures = faults.webhook_failures
    for worker in workers:
        worker.failures, worker.seconds = faults.machine_failures, faults.episode_seconds
    async with asyncio.TaskGroup() as group:
        for count, fault in (
            (faults.server_kills, lambda: _kill_server(scheduler, chance.choice(servers))),
            (faults.worker_kills, lambda: _kill_worker(scheduler, chance.choice(workers))),
            (faults.cuts, lambda: _cut(scheduler, network, servers, workers)),
            (faults.clock_jumps, lambda: _set_clock(scheduler, chance.choice(servers))),
            (faults.restarts, lambda: _restart(scheduler, chance.choice(servers))),
            (faults.disconnects, lambda: _disconnect(scheduler, cluster.group, chance.choice(servers))),
        ):
            for _ in range(count):
                group.create_task(_at(chance.random() * faults.seconds, fault))
    await asyncio.sleep(max(0.0, faults.seconds - scheduler.now))
    _repair(scheduler, cluster, network, servers, workers)


def _repair(
    scheduler: Scheduler, cluster: Cluster, network: Network, servers: list[Server], workers: list[SimulatedWorker]
) -> None:
    scheduler.note("repair")
    scheduler.slowness = cluster.disk.failures = cluster.webhooks.failures = network.lost = network.doubled = 0.0
    network.latency = cluster.group.latency = cluster.sockets.latency = 0.002
    cluster.group.unreachable.clear()
    network.cuts.clear()
    for server in servers:
        server.skew = 0.0
        if server.process is not None:
            server.process.dies_at = None
        if not server.is_running:
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
        if not server.is_running:
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


async def _restart(scheduler: Scheduler, server: Server) -> None:
    """Stop a server as an operator does, and start it again."""
    process = server.process
    if not server.is_up or process is None:
        return
    scheduler.note("stop", server.name)
    server.stop()
    while process.is_alive:
        await asyncio.sleep(0.1)
    await asyncio.sleep(scheduler.chance.random())
    if not server.is_running:
        server.start()


async def _disconnect(scheduler: Scheduler, group: Group, server: Server) -> None:
    """Break the connection of a server to the others: both ends see it at once, or each of them some time later."""
    chance = scheduler.chance
    is_reset = chance.random() < 0.4
    here, there = (0.0, 0.0) if is_reset else (chance.random() * NOTICE_SECONDS, chance.random() * NOTICE_SECONDS)
    if chance.random() < 0.5:
        group.unreachable.add(server.name)
    group.disconnect(server.name, noticed_here=here, noticed_there=there)
    await asyncio.sleep(chance.random() * 6)
    group.unreachable.discard(server.name)
