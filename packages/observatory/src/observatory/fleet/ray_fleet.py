"""A fleet of workers under Ray: one detached, named actor for each worker.

The actors are the state of the fleet. They outlive this program, which finds them by their names when it starts again,
and Ray restarts those of a lost node on another one. Ray's own autoscaler adds nodes for actors that do not fit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from observatory.fleet.scaling import Scale, Scaling
from observatory.fleet.slot import SlotOptions, WorkerSlot
from softmax.cli.reachable import why_unreachable

__all__ = ["NAMESPACE", "FleetError", "RayFleet", "connected"]

logger = logging.getLogger(__name__)

NAMESPACE = "observatory"
_PREFIX = "worker-"


class FleetError(Exception):
    """The cluster cannot be used; the message says why."""


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect this process to a Ray cluster. Raise `FleetError` if it cannot be reached or does not fit."""
    import ray

    if (reason := why_unreachable(address)) is not None:
        raise FleetError(f"No Ray cluster can be reached at {address}: {reason}")
    try:
        ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as problem:
        reason = str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
        raise FleetError(f"No Ray cluster can be used at {address}: {reason}") from None
    try:
        yield
    finally:
        ray.shutdown()


class RayFleet:
    """The workers of one server on a Ray cluster. `name` distinguishes fleets on one cluster."""

    def __init__(
        self, options: SlotOptions, scale: Scale, *, name: str = "fleet", cpus: float = 1.0, gpus: float = 0.0
    ) -> None:
        self._options, self._scaling, self._scale = options, Scaling(scale), scale
        self._prefix = f"{_PREFIX}{name}-"
        self._resources = {"num_cpus": cpus, "num_gpus": gpus}
        self._leaving: dict[str, Any] = {}

    def run(self, jobs: Callable[[], int | None], *, stopping: Callable[[], bool], every_seconds: float = 5.0) -> None:
        """Follow the queue until stopped. `jobs` returns the jobs that wait or are in work; None if it is unknown."""
        while not stopping():
            number = jobs()
            if number is not None:
                self.set_size(self._scaling.wanted(number, time.monotonic()))
            self._remove_finished()
            end = time.monotonic() + every_seconds
            while not stopping() and time.monotonic() < end:
                time.sleep(0.1)

    def slots(self) -> dict[str, Any]:
        """Return the actors of the fleet by name, wherever they were started."""
        import ray
        from ray.util import list_named_actors

        found: dict[str, Any] = {}
        for entry in list_named_actors(all_namespaces=True):
            name = entry["name"]
            if entry["namespace"] == NAMESPACE and name.startswith(self._prefix):
                with suppress(ValueError):  # it has ended meanwhile
                    found[name] = ray.get_actor(name, NAMESPACE)
        return found

    def set_size(self, wanted: int) -> None:
        """Start missing workers, and drain those that are too many, the last first."""
        slots = self.slots()
        taken = {int(name.removeprefix(self._prefix)) for name in slots}
        active = sorted(number for number in taken if self._slot_name(number) not in self._leaving)
        for number in active[wanted:]:
            name = self._slot_name(number)
            logger.info("Drain %s", name)
            self._leaving[name] = slots[name]
            slots[name].drain.remote()
        free = (number for number in range(self._scale.maximum + len(taken)) if number not in taken)
        for _ in range(wanted - len(active)):
            self._start(self._slot_name(next(free)))

    def drain(self, *, seconds: float | None = None) -> bool:
        """Let all workers finish their jobs and end; return whether all have ended in time."""
        deadline = None if seconds is None else time.monotonic() + seconds
        self.set_size(0)
        while self._leaving:
            self._remove_finished()
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True

    def _slot_name(self, number: int) -> str:
        return f"{self._prefix}{number}"

    def _start(self, name: str) -> None:
        import ray

        logger.info("Start %s", name)
        actor: Any = ray.remote(WorkerSlot)
        actor.options(
            name=name,
            namespace=NAMESPACE,
            lifetime="detached",
            max_restarts=-1,
            scheduling_strategy="SPREAD",  # a lost node takes as few workers with it as possible
            get_if_exists=True,
            **self._resources,
        ).remote(name.removeprefix(_PREFIX), self._options)

    def _remove_finished(self) -> None:
        """Remove drained actors whose workers have ended. One that cannot be asked is asked again later."""
        import ray
        from ray.exceptions import RayActorError, RayError

        for name, slot in list(self._leaving.items()):
            try:
                is_running = ray.get(slot.is_running.remote(), timeout=1)
            except RayActorError:
                is_running = False
            except (RayError, TimeoutError):
                continue
            if not is_running:
                with suppress(RayError, ValueError):
                    ray.kill(slot, no_restart=True)
                del self._leaving[name]
                logger.info("Removed %s", name)
