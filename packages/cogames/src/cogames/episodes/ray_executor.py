"""Play episodes on the nodes of a Ray cluster.

The plans are divided into chunks, each a Ray task that starts a process on its node and plays one episode after the
other there, as on this machine. Ray repeats the tasks of a lost node on another one; the same plan gives the same
outcome. What policies need of this machine's disk travels with the tasks: see `shipping`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogames.episodes.executors import Done
from cogames.episodes.shipping import ShippedFiles, pack, unpack
from mettagrid.runner.episode import EpisodeError, EpisodeOutcome, EpisodePlan, play_episodes
from softmax.cli.errors import CommandError
from softmax.cli.reachable import why_unreachable

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RayExecutor"]

MAX_CHUNK = 16
CHUNKS_PER_WORKER = 4
_SAME_VARIABLES = ("PYTHONHASHSEED", "OMP_NUM_THREADS", "METTAGRID_LOG_LEVEL")
"""variables that may change an outcome; nodes use the values of this machine"""


@dataclass(frozen=True)
class RayExecutor:
    """Plays on a cluster; `workers` is the most episodes at a time, by default one for each processor."""

    address: str = "auto"
    workers: int | None = None

    def play(
        self, plans: Sequence[EpisodePlan], *, on_progress: Done | None = None, in_this_process: bool = True
    ) -> list[EpisodeOutcome]:
        if not plans:
            return []
        ray = _connect(self.address)
        workers = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        plans, files = pack(plans)
        shipped = ray.put(files)
        variables = {name: os.environ.get(name) for name in _SAME_VARIABLES}
        size = max(1, min(MAX_CHUNK, len(plans) // (CHUNKS_PER_WORKER * workers)))
        chunks = [list(range(start, min(start + size, len(plans)))) for start in range(0, len(plans), size)]
        # A node may be lost at any time: Ray repeats its tasks for ever, and never those that have raised an error.
        task = ray.remote(max_retries=-1, num_cpus=1)(_play_chunk)
        outcomes: dict[int, EpisodeOutcome] = {}
        running: dict[Any, list[int]] = {}
        waiting = chunks[::-1]
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    chunk = waiting.pop()
                    # Replays are written by this process, when they have come back.
                    sent = [replace(plans[number], replay_path=None, actions_path=None) for number in chunk]
                    suffixes = [_suffix(plans[number].replay_path) for number in chunk]
                    running[task.remote(sent, suffixes, shipped, variables)] = chunk
                for done in ray.wait(list(running), num_returns=1)[0]:
                    chunk = running.pop(done)
                    for number, (outcome, replay) in zip(chunk, _result(ray, done), strict=True):
                        outcomes[number] = _with_replay(outcome, plans[number].replay_path, replay)
                        if on_progress is not None:
                            on_progress(number, outcomes[number])
        finally:
            for left in running:
                ray.cancel(left, force=True)
        return [outcomes[number] for number in range(len(plans))]


def _connect(address: str) -> Any:
    """Connect to the cluster once, and return the module. Raise `CommandError` if that is not possible."""
    try:
        import ray
    except ModuleNotFoundError:
        raise CommandError("ray is not installed", ["pip install 'cogames[cluster]'"]) from None
    if not ray.is_initialized():
        hints = ["`ray start --head` starts a cluster on this machine"]
        if (reason := why_unreachable(address)) is not None:
            raise CommandError(f"No Ray cluster can be reached at {address}: {reason}", hints)
        try:
            ray.init(address=address, log_to_driver=False, configure_logging=False)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as problem:
            reason = (str(problem).strip() or type(problem).__name__).splitlines()[0]
            raise CommandError(f"No Ray cluster can be used at {address}: {reason}", hints) from None
    return ray


def _result(ray: Any, done: Any) -> list[tuple[EpisodeOutcome, bytes | None]]:
    try:
        return list(ray.get(done))
    except ray.exceptions.RayTaskError as problem:
        cause = problem.cause
        raise cause if isinstance(cause, EpisodeError) else EpisodeError(f"A task failed: {cause}") from None


def _suffix(path: Path | None) -> str | None:
    return None if path is None else "".join(path.suffixes) or ".replay"


def _with_replay(outcome: EpisodeOutcome, path: Path | None, replay: bytes | None) -> EpisodeOutcome:
    if path is None or replay is None:
        return outcome
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(replay)
    os.replace(part, path)
    return outcome.model_copy(update={"replay_path": str(path)})


def _play_chunk(
    plans: Sequence[EpisodePlan],
    suffixes: Sequence[str | None],
    files: ShippedFiles,
    variables: Mapping[str, str | None],
) -> list[tuple[EpisodeOutcome, bytes | None]]:
    """Play some plans on a node, and return the outcomes with the bytes of their replays."""
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    plans = unpack(plans, files)
    with tempfile.TemporaryDirectory(prefix="cogames-episodes-") as folder:
        paths = [None if suffix is None else Path(folder) / f"{n}{suffix}" for n, suffix in enumerate(suffixes)]
        plans = [replace(plan, replay_path=path) for plan, path in zip(plans, paths, strict=True)]
        outcomes = play_episodes(plans, workers=1, in_this_process=False)
        replays = [None if path is None else path.read_bytes() for path in paths]
    return list(zip(outcomes, replays, strict=True))
