"""Store the stats of finished episodes."""

from abc import ABC, abstractmethod
from datetime import datetime
from pathlib import Path

__all__ = ["NoopStatsWriter", "StatsWriter"]


class StatsWriter(ABC):
    """Stores episodes; `dir` is the folder of writers that write files."""

    def __init__(self, dir: Path) -> None:
        self.dir = dir

    @abstractmethod
    def record_episode(
        self,
        attributes: dict[str, str],
        agent_metrics: dict[int, dict[str, float]],
        agent_groups: dict[int, int],
        step_count: int,
        replay_url: str | None,
        created_at: datetime,
    ) -> int:
        """Store one episode and return its number.

        `attributes` is the configuration, one `config.` name per value; `agent_metrics` each agent's stats and its
        `reward`; `agent_groups` each agent's team.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the writer; called when a simulation is closed, so possibly once for each episode."""


class NoopStatsWriter(StatsWriter):
    """Keeps nothing."""

    def __init__(self, dir: Path | None = None) -> None:
        super().__init__(dir or Path())

    def record_episode(
        self,
        attributes: dict[str, str],
        agent_metrics: dict[int, dict[str, float]],
        agent_groups: dict[int, int],
        step_count: int,
        replay_url: str | None,
        created_at: datetime,
    ) -> int:
        return 0

    def close(self) -> None: ...
