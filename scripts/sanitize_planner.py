"""Play games of the planner's characters and of the batched starter; `sanitize.py` runs this with sanitized builds.

Agents from the fewest to the most that a mission allows, games with several teams, small windows, and observations of
arbitrary bytes: the players' memory accesses depend on all of these.
"""

import sys

import numpy as np

from cogames import missions
from cogames_agents.planner import BatchedPlanner
from cogames_agents.planner.roster import ROLES
from cogames_agents.starter import BatchedStarter
from mettagrid.batch import Batch
from mettagrid.compiler import compile
from mettagrid.policy.batched import BatchedPolicy
from mettagrid.policy.installed_policies import installed_policies
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode

GAMES = {"arena": (1, 8, 20), "machina_1": (8,), "four_score": (32,), "tutorial": (4,)}
WINDOWS = ((3, 3), (5, 11), (15, 15))
STEPS, BYTE_STEPS = 250, 120


def main() -> None:
    names = [policy.name for policy in installed_policies() if policy.module.startswith("cogames_agents.policy")]
    assert names, "the planner is not installed"
    played = 0
    for mission, sizes in GAMES.items():
        for cogs in sizes:
            for seed, name in enumerate(names):
                play(mission, cogs, name, seed)
                played += 1
            play_starter(mission, cogs)
        show_bytes(mission, sizes[-1])
    for window in WINDOWS:
        show_bytes("arena", 8, window)
    print(f"planner: {played} games of {len(names)} characters, and of the batched starter")


def play(mission: str, cogs: int, name: str, seed: int) -> None:
    env = missions.load(mission, cogs=cogs, seed=seed)
    env.game.max_steps = STEPS
    plan = EpisodePlan(env, [PolicySpec(class_path=name)], [0] * cogs, seed=seed, max_action_time_ms=600_000)
    (verdict,) = play_episode(plan).verdicts
    if verdict.status != "ok":
        sys.exit(f"planner: {name} on {mission} with {cogs} cogs: {verdict.status}: {verdict.message}")


def play_starter(mission: str, cogs: int) -> None:
    """Play worlds with the batched starter, mixed roles and each single role in a batch."""
    env = missions.load(mission, cogs=cogs, seed=0)
    interface, program = PolicyEnvInterface.from_mg_cfg(env), compile(env)
    grid = program.map(env.game.map_builder.create().build_for_num_agents(cogs).grid)
    for role in (None, *ROLES):
        batch = Batch([program.world(grid, seed) for seed in range(2)], auto_reset=False)
        starter = BatchedStarter(interface, worlds=2, threads=2, role=role)
        for _ in range(STEPS):
            starter.step(batch.observations, batch.actions)
            batch.step()


def show_bytes(mission: str, cogs: int, window: tuple[int, int] = (13, 13)) -> None:
    """Step batches on arbitrary bytes: no observation may make a player read or write outside its memory."""
    env = missions.load(mission, cogs=cogs, seed=0)
    env.game.obs.height, env.game.obs.width = window
    interface = PolicyEnvInterface.from_mg_cfg(env)
    players: list[BatchedPolicy] = [BatchedPlanner(interface, worlds=2, threads=2)]
    players += [BatchedStarter(interface, worlds=2, threads=2, role=role) for role in (None, *ROLES)]
    rng = np.random.default_rng(0)
    actions = np.zeros(2 * cogs, np.int32)
    features = [feature.id for feature in interface.obs_features]
    positions = [feature.id for feature in interface.obs_features if feature.name.startswith(("lp:", "last_action"))]
    for step in range(BYTE_STEPS):
        rows = rng.integers(0, 256, (2 * cogs, *interface.observation_shape), np.uint8)
        rows[:cogs, :, 0] %= 254  # in one of the worlds no row ends early, and all features are the game's
        rows[:cogs, :, 1] = rng.choice(features, rows[:cogs, :, 1].shape)
        rows[:cogs, -8:, 0] = 254
        rows[:cogs, -8:, 1] = rng.choice(positions, (cogs, 8))
        for player in players:
            player.step(rows, actions)
            assert actions.min() >= 0 and actions.max() < len(interface.all_action_names)
            if step % 50 == 0:
                player.reset([step // 50 % 2])


if __name__ == "__main__":
    main()
