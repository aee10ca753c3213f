"""Collect the stats of an episode for environments and trainers."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mettagrid.envs._infos import episode_infos
from mettagrid.simulator.interface import SimulatorEventHandler
from mettagrid.util.stats_writer import StatsWriter

__all__ = ["StatsTracker"]


class StatsTracker(SimulatorEventHandler):
    """Fills the simulation's `_context["infos"]` at the end of an episode and passes the episode to a `StatsWriter`.

    The infos: `game` and `per_agent` stats, `agent` their means over agents, `per_label_rewards` and
    `per_label_chest_deposits` by the label of the configuration, `reward_estimates` (estimate less mean reward) where
    the game has them, `attributes`, and `timing_per_epoch` and `timing_cumulative`: steps per second (`sps`) and
    milliseconds (`msec/global`) of this episode and of all since the tracker was created.
    """

    def __init__(self, stats_writer: StatsWriter) -> None:
        super().__init__()
        self._stats_writer = stats_writer
        self._began = self._episode_began = time.perf_counter()
        self._steps = 0

    def on_episode_start(self) -> None:
        self._sim._context["infos"] = {}
        self._episode_began = time.perf_counter()

    def on_episode_end(self) -> None:
        sim = self._sim
        world, config = sim._c_sim, sim.config
        agents = sim.episode_stats["agent"]
        infos = sim._context.setdefault("infos", {})
        infos.update(episode_infos(world, config))
        infos["per_agent"] = {str(agent): stats for agent, stats in enumerate(agents)}
        self._steps += sim.current_step
        infos["timing_per_epoch"] = _timing(self._episode_began, sim.current_step)
        infos["timing_cumulative"] = _timing(self._began, self._steps)
        rewards = sim.episode_rewards.tolist()
        self._stats_writer.record_episode(
            {name: str(value) for name, value in _flat("config", config.model_dump())},
            {agent: {"reward": rewards[agent], **stats} for agent, stats in enumerate(agents)},
            {agent: settings.team_id for agent, settings in enumerate(config.game.agents)},
            sim.current_step,
            sim._context.get("replay_url"),
            datetime.now(),
        )

    def on_close(self) -> None:
        self._stats_writer.close()


def _timing(began: float, steps: int) -> dict[str, float]:
    seconds = max(time.perf_counter() - began, 1e-9)
    return {"msec/global": 1000 * seconds, "sps": steps / seconds}


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield `(path, value)` of all values in nested dictionaries; an empty dictionary is a value."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    else:
        yield name, value
