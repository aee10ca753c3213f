"""Play games of every character of the planner, alone and in batches; `sanitize.py` runs this with sanitized builds.

Agents from the fewest to the most that a mission allows, games with several teams, and windows of observation without
anything in them: the planner's memory accesses depend on all of these.
"""

import sys

import numpy as np

from cogames import missions
from cogames_agents.planner import BatchedPlanner
from mettagrid.policy.installed_policies import installed_policies
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode

GAMES = {"arena": (1, 8, 20), "machina_1": (8,), "four_score": (32,), "tutorial": (4,)}
STEPS = 250


def main() -> None:
    names = [policy.name for policy in installed_policies() if policy.module.startswith("cogames_agents.policy")]
    assert names, "the planner is not installed"
    played = 0
    for mission, sizes in GAMES.items():
        for cogs in sizes:
            for seed, name in enumerate(names):
                play(mission, cogs, name, seed)
                played += 1
        batch(mission, sizes[-1])
    print(f"planner: {played} games of {len(names)} characters")


def play(mission: str, cogs: int, name: str, seed: int) -> None:
    env = missions.load(mission, cogs=cogs, seed=seed)
    env.game.max_steps = STEPS
    plan = EpisodePlan(env, [PolicySpec(class_path=name)], [0] * cogs, seed=seed, max_action_time_ms=600_000)
    (verdict,) = play_episode(plan).verdicts
    if verdict.status != "ok":
        sys.exit(f"planner: {name} on {mission} with {cogs} cogs: {verdict.status}: {verdict.message}")


def batch(mission: str, cogs: int) -> None:
    """Step batches on arbitrary bytes: no observation may make the planner read or write outside its memory."""
    interface = PolicyEnvInterface.from_mg_cfg(missions.load(mission, cogs=cogs, seed=0))
    planner = BatchedPlanner(interface, worlds=2, threads=2)
    rng = np.random.default_rng(0)
    actions = np.zeros(planner.num_agents, np.int32)
    for step in range(STEPS):
        shape = (planner.num_agents, *interface.observation_shape)
        planner.step(rng.integers(0, 256, shape, np.uint8), actions)
        assert actions.min() >= 0 and actions.max() < len(interface.all_action_names)
        if step % 50 == 0:
            planner.reset([step // 50 % 2])


if __name__ == "__main__":
    main()
