"""Gymnasium's own checks of the single-agent environment, and what it promises beyond them."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mettagrid.envs.gym_env  # noqa: F401  registers it
from mettagrid.envs import MettaGridGymEnv, StatsTracker
from mettagrid.util.stats_writer import NoopStatsWriter


# Nothing to skip: an environment made by id is checked with every render mode too.
@pytest.mark.parametrize("vibes", ["none", "combined", "pair"])
@pytest.mark.parametrize("map_seed", [11, None])
def test_gymnasium_finds_nothing_wrong(room, vibes: str, map_seed: int | None) -> None:
    made = gymnasium.make("MettaGrid-v0", cfg=room(map_seed=map_seed), vibes=vibes, render_mode="ansi")
    check_env(made.unwrapped)


def test_it_is_made_by_id_without_an_import(room) -> None:
    made = gymnasium.make("mettagrid.envs.gym_env:MettaGrid-v0", cfg=room())
    assert isinstance(made.unwrapped, MettaGridGymEnv)
    made.reset(seed=1)
    assert made.step(0)[0].shape == (60, 3)


def test_without_copies_an_observation_is_the_engines_own_array(room) -> None:
    env = MettaGridGymEnv(room(), agent_id=1, copy=False)
    first, _ = env.reset(seed=1)
    assert env.step(0)[0] is first
    assert env.reset()[0] is first
    assert np.shares_memory(first, env.current_simulation._c_sim.observations()[1])


def test_with_copies_it_is_a_new_one_every_time(room) -> None:
    env = MettaGridGymEnv(room())
    first, _ = env.reset(seed=1)
    assert not np.shares_memory(first, env.step(0)[0])
    assert not np.shares_memory(first, env.current_simulation._c_sim.observations())


def test_the_others_do_nothing_unless_told(room) -> None:
    env = MettaGridGymEnv(room(), agent_id=1)
    env.reset(seed=1)
    env.step(3)
    assert env.current_simulation._c_sim.actions().tolist() == [0, 3, 0]


def test_the_others_may_be_a_policy_that_writes_flat_indices(room) -> None:
    class Policy:
        def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
            assert raw_observations.shape == (3, 60, 3)
            raw_actions[:] = [4, 1, 7]

    env = MettaGridGymEnv(room(), agent_id=1, others=Policy())
    env.reset(seed=1)
    env.step(3)
    engine = env.current_simulation._c_sim
    assert engine.actions().tolist() == [4, 3, 0]
    assert engine.vibe_actions().tolist() == [0, 0, 7]


def test_others_with_the_wrong_number_of_actions_are_refused(room) -> None:
    env = MettaGridGymEnv(room(), others=lambda observations: [0, 0])
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"Actions must have shape \[3\], not \[2\]"):
        env.step(0)


def positions(env: MettaGridGymEnv) -> list[tuple[int, int]]:
    objects = env.current_simulation.grid_objects().values()
    return [item["location"] for item in objects if "agent_id" in item]


@pytest.mark.parametrize("map_seed", [11, None])
def test_a_seed_decides_this_episode_and_the_next_ones(room, map_seed: int | None) -> None:
    def played(env: MettaGridGymEnv) -> list:
        seen = []
        for seed in (5, None, None):
            env.reset(seed=seed)
            seen.append((positions(env), env.current_simulation.seed))
            seen += [env.step(action)[:2] for action in (1, 4, 2)]
        return [(first.tolist() if isinstance(first, np.ndarray) else first, second) for first, second in seen]

    env = MettaGridGymEnv(room(map_seed=map_seed))
    once = played(env)
    assert once == played(env) == played(MettaGridGymEnv(room(map_seed=map_seed)))
    assert len({tuple(where) for where, _ in once[::4]}) == 3  # three maps


def test_a_builder_with_a_seed_starts_at_that_map_whatever_the_seed(room) -> None:
    env = MettaGridGymEnv(room(map_seed=11))
    env.reset(seed=1)
    first = positions(env)
    env.reset(seed=2)
    assert positions(env) == first
    env = MettaGridGymEnv(room(map_seed=None))
    env.reset(seed=1)
    first = positions(env)
    env.reset(seed=2)
    assert positions(env) != first


def test_handlers_follow_and_leave_their_infos(room) -> None:
    env = MettaGridGymEnv(room(max_steps=2), event_handlers=[StatsTracker(NoopStatsWriter())])
    env.reset(seed=1)
    assert env.step(0)[4] == {}
    *_, terminal, truncation, infos = env.step(0)
    assert (terminal, truncation) == (True, False)
    assert infos["attributes"]["steps"] == 2


def test_misuse_is_answered_with_a_sentence(room) -> None:
    with pytest.raises(ValueError, match="There is no agent 3; the agents are 0 to 2"):
        MettaGridGymEnv(room(), agent_id=3)
    env = MettaGridGymEnv(room())
    with pytest.raises(RuntimeError, match="No episode has started; call `reset` first"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action 5 is not from 0 to 4"):
        env.step(5)
    assert env.current_simulation.current_step == 0
