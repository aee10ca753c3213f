"""Many steps in one call, new episodes on demand: the same results as with single steps."""

import numpy as np
import pytest

from mettagrid.batch import Batch

THREADS = pytest.mark.parametrize("threads", [1, 2, 4])


@THREADS
def test_a_run_of_given_actions_is_so_many_steps(worlds, stream, shown, threads):
    actions, vibe_actions = stream(1, 21, 20), stream(2, 21, 20)
    stepped, ran = Batch(worlds(5), next_seed="next"), Batch(worlds(5), next_seed="next", threads=threads)
    sums = np.zeros(20, np.float32)
    for row, vibe_row in zip(actions, vibe_actions, strict=True):
        stepped.actions[:], stepped.vibe_actions[:] = row, vibe_row
        stepped.step()
        sums += stepped.rewards
    assert ran.run(21, actions=actions, vibe_actions=vibe_actions).tolist() == sums.tolist()
    assert sums.any()
    assert shown(ran) == shown(stepped)


def test_a_run_without_vibe_actions_changes_no_vibes(worlds, stream, shown):
    actions = stream(1, 6, 8)
    first, second = Batch(worlds(2)), Batch(worlds(2))
    first.run(6, actions=actions)
    second.run(6, actions=actions, vibe_actions=np.zeros_like(actions))
    assert shown(first) == shown(second)


def test_a_run_leaves_the_arrays_of_actions_alone(worlds, stream):
    batch = Batch(worlds(2))
    batch.actions[:] = 4
    batch.run(3, seed=1)
    batch.run(3, actions=stream(1, 3, 8))
    assert batch.actions.tolist() == [4] * 8
    assert batch.vibe_actions.tolist() == [0] * 8
    before = [world.get_agent_stat(0, "action.move.success") or 0 for world in batch.worlds]
    batch.actions[:] = 0
    batch.step()
    assert [world.get_agent_stat(0, "action.move.success") or 0 for world in batch.worlds] == before


@THREADS
def test_a_random_run_is_the_same_in_one_piece_and_in_many(worlds, shown, threads):
    whole, cut = Batch(worlds(5)), Batch(worlds(5), threads=threads)
    sums = whole.run(30, seed=9)
    assert sums.any()
    parts = [cut.run(steps, seed=9) for steps in (1, 0, 7, 8, 14)]
    assert np.allclose(np.sum(parts, axis=0), sums)
    assert shown(cut) == shown(whole)


def test_a_random_run_is_about_its_seed_and_its_worlds(worlds):
    first, second = Batch(worlds(2)), Batch(worlds(2))
    first.run(4, seed=1)
    second.run(4, seed=2)
    assert not np.array_equal(first.observations, second.observations)
    assert not np.array_equal(first.observations[:4], first.observations[4:])


def test_random_actions_are_spread_evenly_over_all_there_are(worlds):
    batch = Batch(worlds(50, max_steps=0))
    seen = set()
    for _ in range(20):
        batch.run(5, seed=3)
        for world in batch.worlds:
            seen |= {thing["vibe"] for thing in world.grid_objects(ignore_types=["wall", "box"]).values()}
    names = batch.worlds[0].action_names
    moves = sum(name.startswith("move_") for name in names)
    vibes = sum(name.startswith("change_vibe_") for name in names)

    def count(*stats):
        return sum(
            world.get_agent_stat(agent, stat) or 0 for world in batch.worlds for agent in range(4) for stat in stats
        )

    total = 50 * 4 * 100
    # The first stream has noop and the moves, the second no change (a noop that is not counted) and the vibes.
    assert count("action.noop.success") == pytest.approx(total / (1 + moves), rel=0.05)
    assert count("action.move.success", "action.move.failed") == pytest.approx(total * moves / (1 + moves), rel=0.05)
    assert count("action.change_vibe.success") == pytest.approx(total * vibes / (1 + vibes), rel=0.05)
    assert count("action.invalid_index") == 0
    assert len(seen) == vibes


def test_a_reset_with_seeds_starts_over_as_a_new_batch(worlds, shown):
    fresh, used = Batch(worlds(4)), Batch(worlds(4))
    used.run(13, seed=5)
    used.reset(seeds=range(4))
    assert shown(used) == shown(fresh)
    fresh.run(11, seed=6)
    used.run(11, seed=6)
    assert shown(used) == shown(fresh)


def test_a_reset_without_seeds_goes_on_to_the_next_episode(worlds):
    batch = Batch(worlds(3), next_seed="next")
    batch.run(3, seed=1)
    batch.reset()
    assert batch.episodes.tolist() == [1, 1, 1]
    assert [world.seed for world in batch.worlds] == [1, 2, 3]
    assert [world.current_step for world in batch.worlds] == [0, 0, 0]
    assert not batch.rewards.any()


def test_a_reset_of_some_worlds_leaves_the_others_alone(worlds):
    batch = Batch(worlds(3))
    batch.run(3, seed=1)
    before = batch.observations.copy()
    batch.reset(seeds=[77], worlds=[1])
    assert [world.current_step for world in batch.worlds] == [3, 0, 3]
    assert [world.seed for world in batch.worlds] == [0, 77, 2]
    same = (batch.observations == before).all(axis=(1, 2)).tolist()
    assert same[:4] == same[8:] == [True] * 4
    assert same[4:8] != [True] * 4


def test_a_run_of_no_steps_does_nothing(worlds, shown):
    batch = Batch(worlds(2))
    before = shown(batch)
    assert not batch.run(0, seed=1).any()
    assert not batch.run(0, actions=np.zeros((0, 8), np.int32)).any()
    assert shown(batch) == before
