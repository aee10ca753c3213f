"""The infos of a finished episode."""

import time
from collections import defaultdict
from typing import Any

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.types import StatsDict

CHEST_DEPOSITS = "chest.heart.deposited"


def episode_infos(world: MettaGrid, config: MettaGridConfig) -> dict[str, Any]:
    """Return game stats, means of agent stats, rewards by label, errors of the reward estimates, attributes."""
    stats = world.get_episode_stats()
    mean_reward = world.get_episode_rewards().mean()
    infos: dict[str, Any] = {"game": stats["game"], "agent": agent_means(stats["agent"])}
    estimates = config.game.reward_estimates or {}
    differences = {
        name.replace("_reward", "_diff"): estimates[name] - mean_reward
        for name in ("best_case_optimal_reward", "worst_case_optimal_reward")
        if name in estimates
    }
    if differences:
        infos["reward_estimates"] = differences
    infos["per_label_rewards"] = {config.label: mean_reward}
    infos["per_label_chest_deposits"] = {config.label: stats["game"].get(CHEST_DEPOSITS, 0.0)}
    infos["attributes"] = attributes(world) | {"completion_time": time.time()}
    return infos


def agent_means(agents: list[StatsDict]) -> StatsDict:
    """Return the mean of each stat over the agents; agents without the stat count as zero."""
    sums: defaultdict[str, float] = defaultdict(float)
    for stats in agents:
        for name, value in stats.items():
            sums[name] += value
    return {name: total / len(agents) for name, total in sums.items()}


def attributes(world: MettaGrid) -> dict[str, Any]:
    """Return seed and size of a world, steps taken and the step limit."""
    return {
        "seed": world.seed,
        "map_w": world.map_width,
        "map_h": world.map_height,
        "steps": world.current_step,
        "max_steps": world.max_steps,
    }
