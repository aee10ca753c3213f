"""The worker's loop: lease a job, play it, upload its results, finish.

The loop holds no durable state. Killed at any line it leaves a job whose lease expires, and files in a temporary
folder; the server gives the job to another worker and rejects uploads under an expired lease.
"""

from __future__ import annotations

import logging
import multiprocessing
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from observatory import games
from observatory.games import ERROR_INFO, RESULTS, GameMissing, PolicyToPlay
from observatory.job_states import COMMISSIONER, HOSTED
from observatory.jobs.schemas import ErrorInfo, Lease
from observatory.tracing import current_traceparent, span
from observatory.worker import machine, registries
from observatory.worker.backoff import Backoff
from observatory.worker.bundles import Bundles
from observatory.worker.client import Call, JobClient, LeaseLost, ServerAway, WrongServer
from observatory.worker.machine import MachineFailed

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, ForkServerProcess

__all__ = ["Stopped", "Worker"]

logger = logging.getLogger(__name__)

# Short, because a worker that waits hears no signal.
_WAIT_SECONDS = 2.0
_LONGEST_PAUSE = 10.0
_LONGEST_FAULT_PAUSE = 60.0
_TRIES = 6
_POLL_SECONDS = 0.25
UNNAMED_FAULT = "crash"
"""a fault of the machine about which the game says nothing that users may read"""


class Stopped(Exception):
    """The worker was stopped while it had a job."""


class Worker:
    """Plays jobs one after the other.

    `stopping` is polled; when it returns True, the current job goes back to the server. When `draining` returns True,
    the current job is finished and no more are leased. `minimum` is the weakest isolation in which a policy may run.
    """

    def __init__(
        self,
        client: JobClient,
        name: str,
        *,
        stopping: Callable[[], bool] = lambda: False,
        draining: Callable[[], bool] = lambda: False,
        minimum: str = "landlock",
    ) -> None:
        self._client = client
        self._name = name
        self._stopping, self._draining = stopping, draining
        self._bundles = Bundles()
        self._faults_in_a_row = 0
        self._minimum = minimum
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        # Episodes start from a process that has the engine loaded.
        self._context.set_forkserver_preload(["observatory.worker.preload"])

    def run(self, *, once: bool = False) -> None:
        """Run jobs until stopped; with `once`, return after the first job, or when there is none."""
        try:
            self._run(once=once)
        finally:
            self._bundles.clear()

    def _run(self, *, once: bool) -> None:
        away, failed = Backoff(), Backoff(longest=_LONGEST_FAULT_PAUSE)
        while not self._is_leaving():
            if (missing := machine.missing_room()) is not None:
                if once:
                    raise MachineFailed(missing)
                self._decline(missing, _LONGEST_PAUSE)
                continue
            call = Call(unpacked=self._bundles.versions)
            try:
                lease = self._client.lease(self._name, wait_seconds=0 if once else _WAIT_SECONDS, call=call)
            except ServerAway as problem:
                if once:
                    raise
                pause = away.pause()
                logger.warning("%s; trying again in %.1f seconds", problem, pause)
                self._sleep(pause)
                continue
            away.reset()
            if lease is None:
                self._sleep(0 if once else self._client.pause_seconds)
            elif self.work(lease):
                self._faults_in_a_row = 0
                failed.reset()
            elif not once:  # another worker may have a machine that works
                self._faults_in_a_row += 1
                self._decline(f"This machine has failed {self._faults_in_a_row} jobs in a row", failed.pause())
            if once:
                return

    def _is_leaving(self) -> bool:
        return self._stopping() or self._draining()

    def _decline(self, reason: str, seconds: float) -> None:
        """Take no job for some seconds, and tell the server why."""
        logger.error("No job is taken for %.1f seconds: %s", seconds, reason)
        with suppress(ServerAway):
            self._client.lease(self._name, wait_seconds=0, call=Call(unable=reason))
        self._sleep(seconds)

    def work(self, lease: Lease) -> bool:
        """Play one job from its lease to its end; return False if this machine failed and the job went back."""
        with span("work on job", parent=lease.traceparent, job=str(lease.job_id), worker=self._name):
            return self._work(lease)

    def _work(self, lease: Lease) -> bool:
        folder: Path | None = None
        about = {"job_id": str(lease.job_id), "worker": self._name}
        logger.info("Leased a job, attempt %d", lease.attempt, extra=about)
        started = time.monotonic()
        try:
            folder = Path(tempfile.mkdtemp(prefix="observatory-job-"))
            if lease.spec.get("kind") == COMMISSIONER:
                self._commission(lease, folder)
                return True
            is_hosted = lease.spec.get("kind") == HOSTED
            error = self._host(lease, folder) if is_hosted else self._play(lease, folder)
            with span("send files"):
                self._send(lease, folder)
            with span("finish job"):
                self._retry(lease, lambda: self._client.finish(lease, "failed" if error else "completed", error))
            logger.info("Finished a job in %.1f seconds", time.monotonic() - started, extra=about)
        except LeaseLost as problem:
            logger.warning("The lease of the job was lost: %s", problem, extra=about)
        except (ServerAway, WrongServer) as problem:
            logger.warning("The job is given up: %s", problem, extra=about)
        except (MachineFailed, OSError) as problem:
            logger.error("This machine failed, and the job goes back: %s", problem, extra=about)
            with suppress(LeaseLost, ServerAway):
                self._client.release(lease, str(problem), getattr(problem, "error_type", None))
            return False
        except Stopped:
            with suppress(LeaseLost, ServerAway):
                self._client.release(lease)
            logger.info("Gave the job back", extra=about)
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        return True

    def _play(self, lease: Lease, folder: Path) -> ErrorInfo | None:
        """Play the episode in a child while the lease is kept alive; the error, when there is one.

        Raises `MachineFailed` when it says nothing about a policy or the job.
        """
        try:
            game = games.find(games.engine_of(lease.spec))
        except GameMissing as problem:  # another worker may have it
            raise MachineFailed(problem.message) from None
        try:
            with span("fetch policies"):
                policies = self._fetch(lease, folder)
        except ValueError as problem:
            return ErrorInfo(error_type="policy_error", message=str(problem))
        from observatory.worker.episode import play_in_child
        from observatory.worker.live import LiveSender

        live = None if not lease.live else LiveSender.of_lease(lease, self._client.server, self._client.ca_file)
        arguments = (folder, lease.spec, policies, self._minimum, lease.time_limit_seconds, live)
        with span("run episode"):
            is_over = self._run_child(lease, play_in_child, *arguments, current_traceparent())
        if not is_over:
            # A policy that had exceeded its own share of the time would have been stopped before.
            raise MachineFailed(f"The episode was not over after {lease.time_limit_seconds:g} seconds")
        if (folder / ERROR_INFO).exists():
            error = ErrorInfo.model_validate_json((folder / ERROR_INFO).read_bytes())
            if error.error_type in game.machine_errors:
                raise MachineFailed(error.message, None if error.error_type == UNNAMED_FAULT else error.error_type)
            return error
        if not (folder / RESULTS).exists():
            raise MachineFailed("The episode's process left no results")
        return None

    def _commission(self, lease: Lease, folder: Path) -> None:
        """Run a commissioner in a child while the lease is kept alive. The server ends its job."""
        from observatory.worker.commissioner import commission_in_child

        self._fetch(lease, folder)
        if not self._run_child(
            lease, commission_in_child, folder, self._client.server, self._client.ca_file, lease, self._minimum
        ):
            raise Stopped  # a round may take longer than a program may run: another program continues it
        if (folder / ERROR_INFO).exists():
            error = ErrorInfo.model_validate_json((folder / ERROR_INFO).read_bytes())
            raise MachineFailed(error.message, error.error_type)

    def _host(self, lease: Lease, folder: Path) -> ErrorInfo | None:
        """Run a game for people in a child while the lease is kept alive; the error, when there is one."""
        from observatory.worker.hosting import host_in_child

        try:
            game = games.find(games.engine_of(lease.spec))
            policies = self._fetch(lease, folder)
        except GameMissing as problem:
            raise MachineFailed(problem.message) from None
        except ValueError as problem:
            return ErrorInfo(error_type="policy_error", message=str(problem))
        if not self._run_child(
            lease, host_in_child, folder, self._client.server, self._client.ca_file, lease, policies, self._minimum
        ):
            return ErrorInfo(error_type="episode_timeout", message="The game ran for as long as a job may")
        if not (folder / ERROR_INFO).exists():
            return None
        error = ErrorInfo.model_validate_json((folder / ERROR_INFO).read_bytes())
        if error.error_type in game.machine_errors:
            raise MachineFailed(error.message, None if error.error_type == UNNAMED_FAULT else error.error_type)
        return error

    def _run_child(self, lease: Lease, target: Callable[..., None], *arguments: object) -> bool:
        """Run a function in a child until it has ended; return False if it took too long.

        Its first argument is a connection that breaks when this process ends.
        """
        parent_end, child_end = self._context.Pipe()
        child = self._context.Process(target=target, args=(child_end, *arguments), daemon=False)
        child.start()
        child_end.close()
        try:
            in_time = self._wait(lease, child)
        finally:
            if child.is_alive():
                child.kill()
            child.join()
            parent_end.close()
        if in_time and child.exitcode != 0:  # then a file may be there and end in the middle
            raise MachineFailed(f"The episode's process ended with status {child.exitcode}")
        return in_time

    def _fetch(self, lease: Lease, folder: Path) -> list[PolicyToPlay]:
        """Download the bundles and files of the job, and fetch the secrets of policies that have some."""
        secrets: dict[int, dict[str, str]] = {}
        if any(policy.has_secrets for policy in lease.policies):
            secrets = self._client.secrets(lease)
        for name, address in lease.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            self._retry(lease, lambda url=address, path=target: self._client.download(url, path))  # type: ignore[misc]
        if lease.registry is not None:
            registries.write_login(folder, lease.registry)
        policies = []
        for index, policy in enumerate(lease.policies):
            uri = policy.policy or ""
            if policy.bundle_url is not None:
                path = folder / f"policy-{index}.zip"
                self._fetch_bundle(lease, policy.bundle_url, policy.version_id, path)
                uri = path.as_uri()
            policies.append(
                PolicyToPlay(
                    policy.name,
                    uri,
                    tuple(policy.egress),
                    secrets.get(index, {}),
                    may_use_index=policy.package_index,
                    image=policy.image,
                    program=policy.program,
                )
            )
        return policies

    def _fetch_bundle(self, lease: Lease, url: str, version: uuid.UUID | None, path: Path) -> None:
        def download(target: Path) -> None:
            self._retry(lease, lambda: self._client.download(url, target))

        if version is None:
            download(path)
        else:
            self._bundles.fetch(version, path, download)

    def _wait(self, lease: Lease, child: ForkServerProcess) -> bool:
        """Wait until the child has exited; return False on a timeout. Renew the lease three times per lease period."""
        deadline = time.monotonic() + lease.time_limit_seconds
        next_beat, last_beat = time.monotonic(), time.monotonic()
        is_commissioner = lease.spec.get("kind") == COMMISSIONER  # another worker continues its round
        while True:
            if self._stopping() or (is_commissioner and self._draining()):
                raise Stopped
            now = time.monotonic()
            if now >= next_beat:
                try:
                    self._client.heartbeat(lease, "running")
                    last_beat = now
                except ServerAway as problem:
                    logger.warning("%s", problem, extra={"job_id": str(lease.job_id)})
                    if now - last_beat > lease.lease_seconds:
                        raise
                next_beat = now + lease.lease_seconds / 3
            child.join(_POLL_SECONDS)
            if not child.is_alive():
                return True
            if now > deadline:
                return False
            if machine.memory_of(child.pid or 0) > machine.MAX_EPISODE_MEMORY:
                raise MachineFailed(
                    f"The episode's process used more than {machine.MAX_EPISODE_MEMORY >> 20} MB of memory"
                )

    def _send(self, lease: Lease, folder: Path) -> None:
        """Upload every file that the lease has a URL for."""
        for name in lease.outputs:
            path = folder / name
            if path.exists():
                self._retry(lease, lambda name=name, path=path: self._client.upload(lease, name, path))  # type: ignore[misc]

    def _retry(self, lease: Lease, call: Callable[[], None]) -> None:
        """Retry a call a few times until the server responds, and renew the lease meanwhile."""
        away = Backoff()
        for attempt in range(_TRIES):
            if self._stopping():
                raise Stopped
            try:
                call()
            except ServerAway:
                if attempt == _TRIES - 1:
                    raise
                self._sleep(away.pause())
                with suppress(ServerAway):
                    self._client.heartbeat(lease, "running")
            else:
                return

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._stopping() and (left := end - time.monotonic()) > 0:
            time.sleep(min(0.1, left))
