"""Worlds of other programs take places in a batch, and begin new episodes there."""

import numpy as np
import pytest

from mettagrid.batch import Batch
from mettagrid.mettagrid_c import MettaGrid

SMALL = "#@b.@b#"


@pytest.fixture
def small(program):
    return program(SMALL, max_steps=5)


@pytest.fixture
def small_rows(cells):
    return cells(SMALL)


def play(batch, steps, seed=0):
    draws = np.random.default_rng(seed)
    for _ in range(steps):
        batch.actions[:] = draws.integers(0, 5, len(batch.actions))
        batch.step()


def state(world):
    return world.state_hash(), world.observations().tolist(), world.rewards().tolist()


def test_a_world_begins_again_as_a_new_one(program, rows):
    game = program()
    used, fresh = MettaGrid(game, rows, 3), MettaGrid(game, rows, 9)
    for _ in range(4):
        used.actions()[:] = 2
        used.step()
    used.begin(rows, 9)
    fresh.set_buffers(**fresh._arrays)
    assert state(used) == state(fresh)
    assert used.get_episode_stats() == fresh.get_episode_stats()


def test_a_world_of_another_program_takes_a_place(program, small, rows, small_rows):
    game = program()
    batch = Batch([MettaGrid(game, rows, seed) for seed in range(3)], auto_reset=False)
    play(batch, 2)
    old, others = batch.worlds[1], [state(batch.worlds[0]), state(batch.worlds[2])]
    new, alone = MettaGrid(small, small_rows, 7), MettaGrid(small, small_rows, 7)
    batch.replace(1, new)

    assert [state(batch.worlds[0]), state(batch.worlds[2])] == others
    place = batch.agents_of(1)
    assert (batch.observations[place][2:] == 255).all()
    batch.actions[place] = [4, 3, 0, 0]
    alone.actions()[:] = [4, 3]
    batch.step()
    alone.step()
    assert np.array_equal(batch.observations[place][:2], alone.observations())
    assert np.array_equal(batch.rewards[place], [*alone.rewards(), 0, 0])
    assert (batch.observations[place][2:] == 255).all()
    old.step()  # is free, with arrays of its own
    assert np.array_equal(batch.observations[place][:2], alone.observations())
    batch.replace(1, old)
    assert batch.worlds[1] is old and np.array_equal(batch.observations[place], old.observations())


def test_rooms_leave_rows_for_larger_worlds(program, small, rows, small_rows):
    batch = Batch([MettaGrid(small, small_rows, seed) for seed in range(2)], rooms=[4, 2], auto_reset=False)
    assert batch.num_agents == 6 and batch.agents_of(0) == slice(0, 4) and batch.agents_of(1) == slice(4, 6)
    assert (batch.observations[2:4] == 255).all() and (batch.observations[[0, 1, 4, 5], 0, 0] != 255).all()
    large = MettaGrid(program(), rows, 1)
    batch.replace(0, large)
    play(batch, 3)
    assert np.array_equal(batch.observations[:4], large.observations())
    with pytest.raises(ValueError, match="2 rows; the world has 4 agents"):
        batch.replace(1, MettaGrid(program(), rows, 2))


def test_wrong_places_are_refused(small, small_rows):
    worlds = [MettaGrid(small, small_rows, seed) for seed in range(2)]
    for rooms, message in (([1, 2], "needs as many rows"), ([2], "one room for each")):
        with pytest.raises(ValueError, match=message):
            Batch(worlds, rooms=rooms)
    batch = Batch(worlds)
    with pytest.raises(ValueError, match="already in a batch"):
        batch.replace(0, worlds[1])
    with pytest.raises(IndexError, match="no world 2"):
        batch.replace(2, MettaGrid(small, small_rows, 5))
