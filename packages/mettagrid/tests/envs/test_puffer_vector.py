"""Many worlds in PufferLib's style: one set of arrays, equal to worlds played one by one."""

import numpy as np
import pytest

from mettagrid.envs import MettaGridPufferEnv, MettaGridPufferVectorEnv
from mettagrid.simulator import Simulator


def test_worlds_lie_side_by_side_in_the_callers_buffers(room, make_buffers) -> None:
    buf = make_buffers(12)
    env = MettaGridPufferVectorEnv(room(max_steps=2), 4, threads=2, buf=buf)
    assert (env.num_envs, env.num_agents) == (4, 12)
    assert all(getattr(env, name) is array for name, array in buf.items())
    assert env.batch.observations is buf["observations"] and env.batch.actions is buf["actions"]
    assert env.reset(seed=1)[0] is buf["observations"]
    names = ("observations", "rewards", "terminals", "truncations")
    for _ in range(5):
        buf["actions"][:] = 7
        outputs = env.step(buf["actions"])
        assert all(output is buf[name] for output, name in zip(outputs, names, strict=False))
        assert not buf["actions"].any() and (env.vibe_actions == 7).all()
    for number, world in enumerate(env.batch.worlds):
        assert np.shares_memory(world.observations(), buf["observations"][3 * number : 3 * number + 3])


def test_each_world_plays_as_it_would_alone(room) -> None:
    """With one map, one seed for all episodes of a world, and the world's number added to it."""
    many = MettaGridPufferVectorEnv(room(), 3, num_maps=1, next_seed="same", seed=40, threads=2)
    alone = [MettaGridPufferEnv(Simulator(maps_cache_size=1), room(), seed=40 + world) for world in range(3)]
    rng = np.random.default_rng(2)
    assert np.array_equal(many.reset()[0], np.concatenate([env.reset()[0] for env in alone]))
    for _ in range(20):
        actions = rng.integers(765, size=9)
        outputs = many.step(actions)[:4]
        expected = [env.step(actions[3 * i : 3 * i + 3])[:4] for i, env in enumerate(alone)]
        for output, parts in zip(outputs, zip(*expected, strict=True), strict=True):
            assert np.array_equal(output, np.concatenate(parts))
        assert np.array_equal(many.get_episode_rewards(), np.concatenate([e.get_episode_rewards() for e in alone]))


def test_an_info_tells_of_every_episode_that_ended(room) -> None:
    env = MettaGridPufferVectorEnv(room(max_steps=3), 2, seed=9)
    env.reset()
    infos = [env.step(np.ones(6, np.int64))[4] for _ in range(6)]
    assert [len(ended) for ended in infos] == [0, 0, 2, 0, 0, 2]
    first, last = infos[2][0], infos[5][1]
    assert (first["attributes"]["world"], first["attributes"]["episode"], first["attributes"]["seed"]) == (0, 0, 9)
    assert (last["attributes"]["world"], last["attributes"]["episode"], last["attributes"]["seed"]) == (1, 1, 11)
    assert first["attributes"]["steps"] == 3
    assert set(first) == {"game", "agent", "per_label_rewards", "per_label_chest_deposits", "attributes"}
    moves = first["agent"].get("action.move.success", 0) + first["agent"].get("action.move.failed", 0)
    assert moves == 3


def test_several_configurations_are_dealt_in_turn(room) -> None:
    short, long = room(num_agents=2, max_steps=2), room(num_agents=3, max_steps=4)
    env = MettaGridPufferVectorEnv([short, long], 3)
    assert env.num_agents == 2 + 3 + 2 and env.env_cfg is short
    texts = [env._worlds.text(world) for world in range(3)]
    assert texts[0] != texts[2]  # the second world of a configuration has its second map
    env.reset()
    ended = [[info["attributes"]["world"] for info in env.step(np.zeros(7, np.int64))[4]] for _ in range(4)]
    assert ended == [[], [0, 2], [], [0, 1, 2]]


def test_configurations_must_be_alike_in_what_an_agent_sees_and_does(room) -> None:
    other = room()
    other.game.obs.num_tokens = 50
    with pytest.raises(ValueError, match="60 and 50 observation tokens"):
        MettaGridPufferVectorEnv([room(), other], 2)
    other = room()
    other.game.actions.change_vibe.enabled = False
    with pytest.raises(ValueError, match="different actions"):
        MettaGridPufferVectorEnv([room(), other], 2)
    with pytest.raises(ValueError, match="num_maps needs one configuration"):
        MettaGridPufferVectorEnv([room(), room()], 2, num_maps=4)
    with pytest.raises(ValueError, match="at least 1 world, not 0"):
        MettaGridPufferVectorEnv(room(), 0)
    with pytest.raises(ValueError, match="at least one configuration"):
        MettaGridPufferVectorEnv([], 1)


def test_a_supervisor_labels_all_worlds_at_once(room, teacher) -> None:
    env = MettaGridPufferVectorEnv(room(), 2, supervisor=teacher)
    env.reset(seed=1)
    env.step(np.ones(6, np.int64))
    assert all(seen is env.observations for seen in teacher.asked)
    assert env.teacher_actions.tolist() == [2, 8, 9] * 2 and env.vibe_actions.tolist() == [0, 8, 9] * 2


def test_a_reset_without_a_seed_goes_on_and_with_one_starts_over(room) -> None:
    env = MettaGridPufferVectorEnv(room(), 2, num_maps=8, seed=5)
    first = env.reset()[0].copy()
    assert env.batch.episodes.tolist() == [0, 0]
    second = env.reset()[0].copy()
    assert env.batch.episodes.tolist() == [1, 1] and not np.array_equal(first, second)
    assert np.array_equal(env.reset(seed=5)[0], first)
    assert env.batch.episodes.tolist() == [0, 0]


def test_threads_change_nothing(room) -> None:
    def played(threads: int) -> list[bytes]:
        env = MettaGridPufferVectorEnv(room(), 7, threads=threads, num_maps=9, desync=True, seed=3)
        rng = np.random.default_rng(4)
        env.reset()
        rows = []
        for _ in range(25):
            observations, rewards, terminals, truncations, _ = env.step(rng.integers(765, size=21))
            rows.append(b"".join(array.tobytes() for array in (observations, rewards, terminals, truncations)))
        return rows

    assert played(1) == played(2) == played(8)


def test_rendering_and_closing(room) -> None:
    env = MettaGridPufferVectorEnv(room(), 2)
    assert "🟦" in env.render()
    env.close()
    env.close()
    with pytest.raises(RuntimeError, match="The batch is closed"):
        env.step(np.zeros(6, np.int64))
