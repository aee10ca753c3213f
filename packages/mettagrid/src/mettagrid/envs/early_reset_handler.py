"""Truncate the first episode early, so that environments that start together do not end together."""

import numpy as np

from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["EarlyResetHandler", "early_step"]


class EarlyResetHandler(SimulatorEventHandler):
    """Truncates the first episode only, after a number of steps drawn from the first seed.

    An episode that a reset ends before that does not count.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_new = True
        self._last_step: int | None = None

    def on_episode_start(self) -> None:
        if self._is_new:
            self._last_step = early_step(self._sim.seed, self._sim.config.game.max_steps)
            self._is_new = False

    def on_step(self) -> None:
        if self._sim.current_step == self._last_step:
            self._sim.end_episode()

    def on_episode_end(self) -> None:
        self._last_step = None


def early_step(seed: int, max_steps: int) -> int | None:
    """Return a step from 1 to `max_steps`, or None for games without a limit."""
    return int(np.random.default_rng(seed).integers(1, max_steps + 1)) if max_steps else None
