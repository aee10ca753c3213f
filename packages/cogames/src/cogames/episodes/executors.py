"""Where episodes are played: in processes of this machine, or on the nodes of a Ray cluster.

    executor = make_executor("ray", address="auto")
    outcomes = executor.play(plans, on_progress=print)

An executor returns the same outcomes as every other one: they depend on the plans alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from mettagrid.runner.episode.outcome import EpisodeOutcome
    from mettagrid.runner.episode.plan import EpisodePlan

__all__ = ["Executor", "ExecutorName", "LocalExecutor", "make_executor"]

ExecutorName = Literal["local", "ray"]
Done = Callable[[int, "EpisodeOutcome"], None]
"""called with the number of a plan and its outcome when its episode has ended, in any order"""


class Executor(Protocol):
    """Plays episodes."""

    def play(
        self, plans: Sequence[EpisodePlan], *, on_progress: Done | None = None, in_this_process: bool = True
    ) -> list[EpisodeOutcome]:
        """Play all plans and return their outcomes in the same order. Replays are written to the paths of the plans.

        With `in_this_process=False`, no policy runs in the process of the caller.
        """


@dataclass(frozen=True)
class LocalExecutor:
    """Plays in processes of this machine; `workers` None chooses a suitable number."""

    workers: int | None = None

    def play(
        self, plans: Sequence[EpisodePlan], *, on_progress: Done | None = None, in_this_process: bool = True
    ) -> list[EpisodeOutcome]:
        from mettagrid.runner.episode import play_episodes

        return play_episodes(plans, workers=self.workers, on_progress=on_progress, in_this_process=in_this_process)


def make_executor(name: ExecutorName, *, address: str = "auto", workers: int | None = None) -> Executor:
    """Return an executor by its name. `address` is that of the Ray cluster; `workers` the most episodes at a time."""
    if name == "local":
        return LocalExecutor(workers)
    from cogames.episodes.ray_executor import RayExecutor

    return RayExecutor(address, workers)
