"""Means of the game stats over the steps of an episode."""

from collections import defaultdict

from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["TimeAveragedStatsHandler"]


class TimeAveragedStatsHandler(SimulatorEventHandler):
    """Sums every game stat after each step; a stat counts as zero before it first appears."""

    def __init__(self) -> None:
        super().__init__()
        self._step_count = 0
        self._accumulated: defaultdict[int, float] = defaultdict(float)  # by the engine's number of the stat

    def on_episode_start(self) -> None:
        self._step_count = 0
        self._accumulated.clear()

    def on_step(self) -> None:
        self._step_count += 1
        accumulated = self._accumulated
        for stat, value in self._sim._c_sim._game_stats():
            accumulated[stat] += value

    @property
    def time_averaged_game_stats(self) -> dict[str, float]:
        """{stat: mean over the steps so far}; empty before the first step."""
        if not self._accumulated:
            return {}
        names = self._sim._c_sim.program.game_stat_names
        return {names[stat]: total / self._step_count for stat, total in self._accumulated.items()}
