"""Write an episode to the log."""

import logging

from mettagrid.renderer.renderer import Renderer

__all__ = ["LogRenderer"]

logger = logging.getLogger(__name__)


class LogRenderer(Renderer):
    """Writes rewards after every step, and all stats at the end, at level INFO."""

    def on_episode_start(self) -> None:
        super().on_episode_start()
        logger.info("=== Episode Start ===")
        logger.info("Num agents: %d", self._sim.num_agents)
        logger.info("Max steps: %d", self._sim.config.game.max_steps)

    def on_step(self) -> None:
        logger.info("--------------------------------")
        logger.info("Step %d", self._sim.current_step)
        logger.info("Episode rewards: %s", self._sim.episode_rewards)
        logger.info("Done: %s", self._sim.is_done())

    def render(self) -> None: ...

    def on_episode_end(self) -> None:
        logger.info("================================")
        logger.info("=== Episode End ===")
        logger.info("Total steps: %d", self._sim.current_step)
        logger.info("Total rewards: %s", self._sim.episode_rewards)
        logger.info("Total stats: %s", self._sim.episode_stats)
        logger.info("Done: %s", self._sim.is_done())
