"""End an episode when a game stat reaches a threshold (`game.end_episode_on_game_stats`)."""

from collections.abc import Mapping

from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["GameStatEndEpisodeHandler"]


class GameStatEndEpisodeHandler(SimulatorEventHandler):
    """Truncates the episode after a step in which a stat in `thresholds` is at or above its minimum.

    The first such stat goes into the simulation's context under `termination`. A stat that has not been written counts
    as absent, not as zero. Later steps do not trigger again.
    """

    def __init__(self, thresholds: Mapping[str, float]) -> None:
        super().__init__()
        self._thresholds = dict(thresholds)
        self._triggered = False

    def on_episode_start(self) -> None:
        self._triggered = False

    def on_step(self) -> None:
        if self._triggered:
            return
        game_stat = self._sim._c_sim.get_game_stat
        for stat, threshold in self._thresholds.items():
            value = game_stat(stat)
            if value is not None and value >= threshold:
                self._end(stat, float(threshold), float(value))
                return

    def _end(self, stat: str, threshold: float, value: float) -> None:
        self._triggered = True
        reason = {"reason": "game_stat_threshold", "stat": stat, "threshold": threshold, "value": value}
        self._sim._context.setdefault("termination", {}).update(reason)
        self._sim.end_episode()
