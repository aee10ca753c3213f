"""Worlds in a batch play as they do alone, across the ends of their episodes."""

import numpy as np
import pytest

from mettagrid.batch import Batch
from mettagrid.mettagrid_c import MettaGrid

THREADS = pytest.mark.parametrize("threads", [1, 2, 4])
SMALL = "#@b.@b#"


class Alone:
    """A world played without a batch: a new one, with arrays set, after the end of each episode."""

    def __init__(self, program, rows, seed, seed_step):
        self.arguments = program, rows
        self.seed, self.seed_step = seed, seed_step
        self.episodes = 0
        self.begin()

    def begin(self):
        self.world = MettaGrid(*self.arguments, self.seed)
        n = self.world.num_agents
        self.world.set_buffers(
            np.zeros((n, 500, 3), np.uint8),
            np.zeros(n, np.bool_),
            np.zeros(n, np.bool_),
            np.zeros(n, np.float32),
            np.zeros(n, np.int32),
            np.zeros(n, np.int32),
        )

    def step(self, actions, vibe_actions):
        if self.world.terminals().all() or self.world.truncations().all():
            self.seed += self.seed_step
            self.episodes += 1
            self.begin()
        self.world.actions()[:] = actions
        self.world.vibe_actions()[:] = vibe_actions
        self.world.step()


def assert_equal(batch, number, alone):
    world, agents = batch.worlds[number], batch.agents_of(number)
    for name in ("observations", "terminals", "truncations", "rewards"):
        expected = getattr(alone.world, name)()
        assert np.array_equal(getattr(batch, name)[agents], expected), (number, name)
        assert np.array_equal(getattr(world, name)(), expected), (number, name)
    assert world.get_episode_stats() == alone.world.get_episode_stats()
    assert world.get_episode_rewards().tolist() == alone.world.get_episode_rewards().tolist()
    assert world.action_success() == alone.world.action_success()
    assert batch.episodes[number] == alone.episodes


@THREADS
@pytest.mark.parametrize("next_seed", ["same", "next"])
def test_64_worlds_in_a_batch_play_as_64_worlds_alone(program, rows, stream, threads, next_seed):
    made = program()
    batch = Batch([made.world(rows, seed) for seed in range(64)], threads=threads, next_seed=next_seed)
    alone = [Alone(made, rows, seed, int(next_seed == "next")) for seed in range(64)]
    ends = 0
    for actions, vibe_actions in zip(stream(1, 28, 256), stream(2, 28, 256), strict=True):
        batch.actions[:], batch.vibe_actions[:] = actions, vibe_actions
        batch.step()
        ends += int(batch.terminals.all())
        for number, single in enumerate(alone):
            single.step(actions[batch.agents_of(number)], vibe_actions[batch.agents_of(number)])
            assert_equal(batch, number, single)
    assert ends == 3
    assert batch.episodes.tolist() == [3] * 64


@THREADS
def test_worlds_of_different_games_share_a_batch(program, rows, cells, stream, threads):
    games = [
        (program(max_steps=5), rows),
        (program(SMALL, max_steps=3), cells(SMALL)),
        (program(max_steps=0, resource_names=["ore", "iron", "gold"]), rows),
    ]
    batch = Batch([made.world(rows, 7) for made, rows in games], threads=threads)
    alone = [Alone(made, rows, 7, 0) for made, rows in games]
    assert batch.observations.shape == (10, 500, 3)
    assert [batch.agents_of(i) for i in range(3)] == [slice(0, 4), slice(4, 6), slice(6, 10)]
    for actions in stream(3, 20, 10):
        batch.actions[:] = actions
        batch.step()
        for number, single in enumerate(alone):
            single.step(actions[batch.agents_of(number)], 0)
            assert_equal(batch, number, single)
    assert batch.episodes.tolist() == [3, 6, 0]


def test_the_last_observation_of_an_episode_is_seen_and_the_next_step_is_the_first_of_a_new_one(worlds):
    batch = Batch(worlds(2, max_steps=3))
    for _ in range(3):
        batch.step()
    assert batch.terminals.all()
    assert [world.current_step for world in batch.worlds] == [3, 3]
    assert batch.episodes.tolist() == [0, 0]
    batch.step()
    assert not batch.terminals.any()
    assert [world.current_step for world in batch.worlds] == [1, 1]
    assert batch.episodes.tolist() == [1, 1]


def test_an_episode_with_the_same_seed_is_the_same_episode(worlds, stream, shown):
    batch = Batch(worlds(3))
    seen = []
    for _ in range(3):
        for actions in stream(4, 8, 12):
            batch.actions[:] = actions
            batch.step()
        seen.append(shown(batch)[:4] + shown(batch)[5:])
    assert seen[0] == seen[1] == seen[2]


def test_without_auto_reset_a_world_is_stepped_beyond_its_end(worlds):
    batch = Batch(worlds(2, max_steps=3), auto_reset=False)
    for _ in range(5):
        batch.step()
    assert [world.current_step for world in batch.worlds] == [5, 5]
    assert batch.terminals.all()
    assert batch.episodes.tolist() == [0, 0]


def test_truncating_all_agents_of_a_world_ends_its_episode(worlds):
    batch = Batch(worlds(3))
    batch.step()
    batch.truncations[batch.agents_of(1)] = True
    batch.step()
    assert [world.current_step for world in batch.worlds] == [2, 1, 2]
    assert not batch.truncations.any()
    assert batch.episodes.tolist() == [0, 1, 0]


def test_truncating_some_agents_ends_nothing(worlds):
    batch = Batch(worlds(2))
    batch.step()
    batch.truncations[:3] = True
    batch.terminals[3] = True
    batch.step()
    assert [world.current_step for world in batch.worlds] == [2, 2]
    assert batch.truncations.tolist() == [True] * 3 + [False] * 5


def test_a_world_of_a_batch_can_be_asked_changed_and_stepped(worlds):
    batch = Batch(worlds(2))
    world = batch.worlds[1]
    world.set_inventory(0, {0: 3})
    world.actions()[:] = 4
    assert batch.actions.tolist() == [0] * 4 + [4] * 4
    world.step()
    batch.step()
    assert [world.current_step for world in batch.worlds] == [1, 2]
    assert world.get_episode_rewards()[0] == batch.worlds[0].get_episode_rewards()[0] + 3
    agents = [seen for seen in world.grid_objects().values() if "agent_id" in seen]
    assert agents[0]["inventory"] == {0: 3}
