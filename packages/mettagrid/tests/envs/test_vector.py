"""The Gymnasium vector environment: arrays, ends of episodes, seeds, and equality with worlds played alone."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mettagrid.config.handler_config import Handler
from mettagrid.config.mutation.stats_mutation import logStatToGame
from mettagrid.envs import MettaGridVectorEnv
from mettagrid.envs.early_reset_handler import early_step
from mettagrid.simulator import Buffers, Simulation


def test_every_agent_is_an_environment(room) -> None:
    env = MettaGridVectorEnv(room(), 12)
    assert env.num_envs == 12 and len(env.batch.worlds) == 4
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.single_observation_space.shape == (60, 3) and env.observation_space.shape == (12, 60, 3)
    assert env.single_action_space.n == 5 and env.action_space.shape == (12,)
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations) and infos == {}
    observations, rewards, terminals, truncations, _ = env.step(env.action_space.sample())
    assert env.observation_space.contains(observations)
    assert (rewards.shape, rewards.dtype) == ((12,), np.float32)
    assert terminals.shape == truncations.shape == (12,) and terminals.dtype == truncations.dtype == np.bool_


@pytest.mark.parametrize("vibes", ["combined", "pair"])
def test_sampled_actions_with_vibes_are_taken(room, vibes: str) -> None:
    env = MettaGridVectorEnv(room(), 6, vibes=vibes)
    env.reset(seed=1)
    env.action_space.seed(2)
    env.step(env.action_space.sample())
    assert env.batch.vibe_actions.any() and env.batch.vibe_actions.max() < 5 + 152


def test_the_arrays_are_the_engines_own_and_always_the_same(room) -> None:
    env = MettaGridVectorEnv(room(max_steps=2), 6)
    first, _ = env.reset(seed=1)
    assert first is env.batch.observations
    once = env.step(np.zeros(6, np.int64))
    for _ in range(5):
        again = env.step(np.zeros(6, np.int64))
        assert all(a is b for a, b in zip(again[:4], once[:4], strict=True))
    assert again[0] is first and again[1] is env.batch.rewards and again[2] is env.batch.terminals
    for number, world in enumerate(env.batch.worlds):
        assert np.shares_memory(world.observations(), first[env.batch.agents_of(number)])
    assert env.reset()[0] is first


def test_with_copy_it_gives_new_arrays(room) -> None:
    env = MettaGridVectorEnv(room(), 6, copy=True)
    first, _ = env.reset(seed=1)
    outputs = env.step(np.zeros(6, np.int64))[:4]
    assert not any(np.shares_memory(output, array) for output in outputs for array in vars(env.batch).values())
    assert not np.shares_memory(first, outputs[0])


def play_alone(config, seed: int, actions: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(observations, rewards) of one world, before the first step and after each."""
    n, tokens = config.game.num_agents, config.game.obs.num_tokens
    buffers = Buffers(
        observations=np.zeros((n, tokens, 3), np.uint8),
        terminals=np.zeros(n, bool),
        truncations=np.zeros(n, bool),
        rewards=np.zeros(n, np.float32),
        masks=np.ones(n, bool),
        actions=np.zeros(n, np.int32),
        teacher_actions=np.zeros(n, np.int32),
    )
    sim = Simulation(config, seed=seed, buffers=buffers)
    seen = [(buffers.observations.copy(), buffers.rewards.copy())]
    for row in actions:
        buffers.actions[:] = row
        sim.step()
        seen.append((buffers.observations.copy(), buffers.rewards.copy()))
    return seen


def test_episodes_are_those_of_worlds_played_alone_with_a_step_between_that_only_begins(room) -> None:
    steps, worlds, agents = 4, 2, 3
    env = MettaGridVectorEnv(room(max_steps=steps), worlds * agents, num_maps=6, next_seed="next", seed=20)
    actions = np.random.default_rng(0).integers(5, size=(3, steps, worlds * agents))
    observations, _ = env.reset()
    for episode in range(3):
        for world in range(worlds):
            part = slice(agents * world, agents * world + agents)
            config = room(max_steps=steps, map_seed=11 + (world + episode * worlds) % 6)
            alone = play_alone(config, 20 + world + episode, actions[episode][:, part])
            if world == 0:
                expected = alone
            else:
                expected = [tuple(map(np.concatenate, zip(a, b, strict=True))) for a, b in zip(expected, alone)]
        assert np.array_equal(observations, expected[0][0])
        for step in range(steps):
            observations, rewards, terminals, _, infos = env.step(actions[episode][step])
            assert np.array_equal(observations, expected[step + 1][0])
            assert np.array_equal(rewards, expected[step + 1][1])
            assert terminals.all() == (step == steps - 1)
        assert infos["_episode_reward"].all() and (infos["episode_steps"] == steps).all()
        assert np.allclose(infos["episode_reward"], sum(rewards for _, rewards in expected[1:]))
        # Whatever is done now is ignored.
        observations, rewards, terminals, truncations, infos = env.step(actions[0][0])
        assert not rewards.any() and not terminals.any() and not truncations.any() and infos == {}


def test_worlds_end_each_at_its_own_time(room) -> None:
    env = MettaGridVectorEnv(room(max_steps=9), 12, desync=True, seed=30)
    env.reset()
    ends = [early_step(30 + world, 9) for world in range(4)]
    assert len(set(ends)) > 1
    seen: list[list[int]] = [[], [], [], []]
    for step in range(1, 40):
        _, _, terminals, truncations, infos = env.step(np.zeros(12, np.int64))
        over = (terminals | truncations).reshape(4, 3)
        assert (over.all(1) == over.any(1)).all()
        for world in np.flatnonzero(over.all(1)):
            seen[world].append(step)
            assert infos["_episode_steps"].reshape(4, 3)[world].all()
    # The first is cut short, the others last nine steps, and one step more begins each.
    assert seen == [[*range(end, 40, 10)] for end in ends]


def test_a_game_stat_ends_an_episode(room) -> None:
    config = room(max_steps=9)
    config.game.on_tick = Handler(mutations=[logStatToGame("ticks")])
    config.game.end_episode_on_game_stats = {"ticks": 3}
    env = MettaGridVectorEnv(config, 6)
    env.reset(seed=1)
    ended = [env.step(np.zeros(6, np.int64))[3].all() for _ in range(8)]
    assert ended == [False, False, True, False, False, False, True, False]


def played(env: MettaGridVectorEnv, **seeds) -> np.ndarray:
    rng = np.random.default_rng(5)
    env.reset(**seeds)
    rows = []
    for _ in range(20):
        observations, rewards, *_ = env.step(rng.integers(5, size=env.num_envs))
        rows.append(np.concatenate([observations.ravel(), rewards.view(np.uint8)]))
    return np.stack(rows)


def test_a_seed_decides_everything_and_threads_nothing(room) -> None:
    env = MettaGridVectorEnv(room(map_seed=None), 24, num_maps=12)
    once = played(env, seed=3)
    assert np.array_equal(once, played(env, seed=3))
    assert np.array_equal(once, played(env, seed=[*range(3, 11)]))
    assert not np.array_equal(once, played(env, seed=4))
    for threads in (2, 5):
        other = MettaGridVectorEnv(room(map_seed=None), 24, num_maps=12, threads=threads)
        assert np.array_equal(once, played(other, seed=3))


def test_gymnasium_makes_one_and_wraps_it(room) -> None:
    import mettagrid.envs.gym_env  # noqa: F401  registers it

    env = gymnasium.make_vec("MettaGrid-v0", num_envs=6, vectorization_mode="vector_entry_point", cfg=room(max_steps=3))
    assert isinstance(env.unwrapped, MettaGridVectorEnv)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    env.reset(seed=1)
    for _ in range(3):
        *_, infos = env.step(np.ones(6, np.int64))
    assert (infos["episode"]["l"] == 3).all()
    assert np.allclose(infos["episode"]["r"], infos["episode_reward"])
    env.close()


def test_rendering_shows_every_world(room) -> None:
    assert MettaGridVectorEnv(room(), 6).render() is None
    texts = MettaGridVectorEnv(room(), 6, render_mode="ansi").render()
    assert len(texts) == 2 and texts[0] != texts[1] and all("🟩" in text for text in texts)


@pytest.mark.parametrize("num_envs", [0, 4])
def test_a_world_is_taken_whole_or_not_at_all(room, num_envs: int) -> None:
    with pytest.raises(ValueError, match=f"must be a multiple of the game's 3, not {num_envs}"):
        MettaGridVectorEnv(room(), num_envs)


def test_wrong_actions_are_refused_and_nothing_happens(room) -> None:
    env = MettaGridVectorEnv(room(), 6)
    env.reset(seed=1)
    for wrong in ([0, 0, 0, 0, 0, 5], [0] * 5, [[0, 0]] * 6):
        with pytest.raises(ValueError, match="Actions must"):
            env.step(np.array(wrong))
    assert [world.current_step for world in env.batch.worlds] == [0, 0]


def test_closing_twice_is_closing(room) -> None:
    env = MettaGridVectorEnv(room(), 6)
    env.close()
    env.close()
    with pytest.raises(RuntimeError, match="The batch is closed"):
        env.step(np.zeros(6, np.int64))
