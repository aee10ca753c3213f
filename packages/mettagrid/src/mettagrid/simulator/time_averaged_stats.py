"""Means of the game stats over the steps of an episode."""

from collections import defaultdict

from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["TimeAveragedStatsHandler"]


class TimeAveragedStatsHandler(SimulatorEventHandler):
    """Adds up every game stat after each step; a stat that appears late counts as zero before."""

    def __init__(self) -> None:
        super().__init__()
        self._step_count = 0
        self._accumulated: defaultdict[str, float] = defaultdict(float)

    def on_episode_start(self) -> None:
        self._step_count = 0
        self._accumulated.clear()

    def on_step(self) -> None:
        self._step_count += 1
        for name, value in self._sim.episode_stats["game"].items():
            self._accumulated[name] += value

    @property
    def time_averaged_game_stats(self) -> dict[str, float]:
        """{stat: mean over the steps so far}; empty before the first step."""
        return {name: total / self._step_count for name, total in self._accumulated.items()}
