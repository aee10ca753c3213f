"""Play many episodes in several processes.

A worker is a process that plays one episode after another; code and compiled games stay loaded in it. The episode of a
worker that dies is lost and is played again in a new worker.
"""

from __future__ import annotations

import contextlib
import logging
import mmap
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import fields
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from mettagrid.runner.episode.errors import EpisodeError, EpisodeWorkerError
from mettagrid.runner.episode.outcome import EpisodeOutcome, Verdict
from mettagrid.runner.episode.plan import EpisodePlan
from mettagrid.runner.episode.play import NO_POLICY, play_episode

if TYPE_CHECKING:
    from mettagrid.replay import BackgroundWriter

__all__ = ["play_episodes"]

logger = logging.getLogger("mettagrid.runner.episode")

Progress = Callable[[int, EpisodeOutcome], None]

# A worker takes about this long to start; shorter episodes are played in this process.
WORTH_WORKERS_SECONDS = 2.0
MARK = 4  # bytes of shared memory that hold the index of the policy whose code is running


def play_episodes(
    plans: Sequence[EpisodePlan],
    *,
    workers: int | None = None,
    on_progress: Progress | None = None,
    in_this_process: bool = True,
) -> list[EpisodeOutcome]:
    """Play all episodes and return their outcomes in the order of the plans.

    With `workers=1` they are played in this process, one after the other; with more, in that many processes; with None,
    in this process as long as that is fast, and then on all cores. With `in_this_process=False` always in other
    processes: a policy that ends its process gets a verdict, and sets have the same order on any number of workers.
    `on_progress(number, outcome)` is called as episodes end, in any order.

    If a worker dies, a warning is logged and its episode is played again; if the second worker dies too, the policy
    whose code was running is barred from the episode. Raises `PolicyLoadError` for a policy that cannot be loaded
    (unless its plan makes that a verdict) and `EpisodeWorkerError` if workers die and no policy is at fault.
    """
    outcomes: dict[int, EpisodeOutcome] = {}

    def done(number: int, outcome: EpisodeOutcome) -> None:
        outcomes[number] = outcome
        if on_progress is not None:
            on_progress(number, outcome)

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    waiting = deque(range(len(plans)))
    processes = min(cores if workers is None else workers, len(plans))
    if in_this_process and (processes <= 1 or workers is None):
        _play_here(plans, waiting, done, until_worth_workers=processes > 1)
    if waiting:
        _Crew(plans, done).play(waiting, min(processes, len(waiting)))
    return [outcomes[number] for number in range(len(plans))]


def _play_here(plans: Sequence[EpisodePlan], waiting: deque[int], done: Progress, *, until_worth_workers: bool) -> None:
    warned: set[str] = set()
    with replay_writer(plans) as background:
        while waiting:
            number = waiting.popleft()
            outcome = play_episode(plans[number], warned=warned, background=background)
            done(number, outcome)
            # The set-up of the first episode includes compiling the game.
            playing_ms = outcome.timings.total_ms - outcome.timings.setup_ms
            if until_worth_workers and playing_ms * len(waiting) > 1000 * WORTH_WORKERS_SECONDS:
                break


def replay_writer(plans: Sequence[EpisodePlan]) -> AbstractContextManager[BackgroundWriter | None]:
    """Return a writer for replays that runs alongside the next episode, or None if no plan has a replay."""
    if all(plan.replay_path is None for plan in plans):
        return nullcontext()
    from mettagrid.replay import BackgroundWriter

    return BackgroundWriter()


class _Crew:
    def __init__(self, plans: Sequence[EpisodePlan], done: Progress) -> None:
        self._plans = list(plans)
        self._done = done
        self._deaths = [0] * len(plans)
        self._workers: list[_Worker] = []
        self._environments: dict[int, bytes] = {}

    def play(self, waiting: deque[int], processes: int) -> None:
        try:
            while waiting or any(worker.number is not None for worker in self._workers):
                while waiting and len(self._workers) < processes:
                    self._workers.append(_Worker())
                for worker in self._workers:
                    if waiting and worker.number is None:
                        self._hand_out(worker, waiting.popleft())
                for connection in wait([worker.connection for worker in self._workers]):
                    worker = next(worker for worker in self._workers if worker.connection is connection)
                    self._hear(worker, waiting)
            for worker in self._workers:
                worker.finish()
        finally:
            for worker in self._workers:
                worker.end()

    def _hand_out(self, worker: _Worker, number: int) -> None:
        plan = self._plans[number]
        key = id(plan.env)  # plans stay alive, so ids are not reused
        if key not in self._environments:
            self._environments[key] = pickle.dumps(plan.env)
        settings = {field.name: getattr(plan, field.name) for field in fields(plan) if field.name != "env"}
        try:
            settings_bytes = pickle.dumps(settings)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise EpisodeError(
                f"A plan cannot be sent to a worker ({error}); use policy specs or sources of module-level classes, "
                "or workers=1"
            ) from error
        worker.play(number, key, self._environments[key], settings_bytes)

    def _hear(self, worker: _Worker, waiting: deque[int]) -> None:
        try:
            answer: EpisodeOutcome | EpisodeError = pickle.loads(worker.connection.recv_bytes())
        except (EOFError, OSError):
            self._workers.remove(worker)
            self._bury(worker, waiting)
            return
        number, worker.number = worker.number, None
        if isinstance(answer, EpisodeError):
            raise answer
        assert number is not None
        worker.played.append(number)
        self._done(number, answer)

    def _bury(self, worker: _Worker, waiting: deque[int]) -> None:
        """Replay the episode of a dead worker; after two deaths, without the policy whose code was running."""
        number, guilty, how = worker.number, worker.guilty, worker.end()
        # It may have died before it wrote the replays of earlier episodes.
        waiting.extendleft(played for played in worker.played if _lacks_replay(self._plans[played]))
        if number is None:
            raise EpisodeWorkerError(f"A worker process {how} before it played anything")
        plan = self._plans[number]
        running = "no policy's code was running" if guilty == NO_POLICY else f"{plan.names[guilty]} was running"
        self._deaths[number] += 1
        logger.warning(
            "The process that played episode %d %s while %s; the episode is played again", number, how, running
        )
        waiting.appendleft(number)
        if self._deaths[number] < 2:
            return
        if guilty == NO_POLICY or guilty in plan.barred:
            raise EpisodeWorkerError(f"Two processes that played episode {number} {how}, and no policy is at fault")
        self._deaths[number] = 0
        self._plans[number] = plan.bar(guilty, Verdict(status="killed", message=f"its process {how}"))


def _lacks_replay(plan: EpisodePlan) -> bool:
    return plan.replay_path is not None and not plan.replay_path.exists()


class _Worker:
    """A worker process; `number` is the current episode, `played` the earlier ones."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.played: list[int] = []
        self._known: set[int] = set()
        with tempfile.TemporaryFile() as shared:
            shared.truncate(MARK)
            self._mark = mmap.mmap(shared.fileno(), MARK)
            self._mark[:MARK] = NO_POLICY.to_bytes(MARK, "little", signed=True)
            ours, theirs = socket.socketpair()
            with theirs, contextlib.ExitStack() as undo:
                undo.enter_context(ours)
                numbers = (theirs.fileno(), shared.fileno())
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "mettagrid.runner.episode.worker", *map(str, numbers)],
                    stdin=subprocess.DEVNULL,
                    stdout=2,  # keep the policies' output out of the results
                    pass_fds=numbers,
                    start_new_session=True,  # only the parent handles interrupts; it ends the workers
                    # The iteration order of sets must be the same in all workers.
                    env={**os.environ, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")},
                )
                undo.pop_all()
        self.connection = Connection(ours.detach())
        self._send(sys.path)

    def play(self, number: int, key: int, environment: bytes, settings: bytes) -> None:
        self.number = number
        self._send((key, None if key in self._known else environment, settings))
        self._known.add(key)

    def finish(self) -> None:
        """Wait until the worker has written its pending replays."""
        self._send(None)
        try:
            answer = pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError):
            raise EpisodeWorkerError(f"A worker process {self.end()} while it wrote replays") from None
        if isinstance(answer, EpisodeError):
            raise answer

    @property
    def guilty(self) -> int:
        """Return the policy whose code was running last, or `NO_POLICY`."""
        return int.from_bytes(self._mark[:MARK], "little", signed=True)

    def end(self) -> str:
        """End the process if it still runs, and return how it ended."""
        self.connection.close()
        if self.number is not None and self._process.poll() is None:
            self._process.terminate()
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._mark.close()
        if status < 0:
            return f"was ended by signal {-status} ({signal.Signals(-status).name})"
        return f"ended with status {status}"

    def _send(self, message: Any) -> None:
        with suppress(OSError):  # the worker is dead; the wait for its answer will notice
            self.connection.send_bytes(pickle.dumps(message))
