"""The arrays of a batch, and invalid arguments, each with its own message."""

import gc
import weakref

import numpy as np
import pytest

from mettagrid.batch import Batch, MapPool
from mettagrid.config.mettagrid_config import ObsConfig

TYPES = {
    "observations": np.uint8,
    "terminals": np.bool_,
    "truncations": np.bool_,
    "rewards": np.float32,
    "actions": np.int32,
    "vibe_actions": np.int32,
}


def make_arrays(agents=8, tokens=120):
    return {name: np.ones((agents, tokens, 3) if name == "observations" else agents, TYPES[name]) for name in TYPES}


def read_only(array):
    array.setflags(write=False)
    return array


def test_given_arrays_are_used_as_they_are(worlds):
    arrays = make_arrays()
    arrays["actions"][:] = 4
    batch = Batch(worlds(2), **arrays)
    for name, array in arrays.items():
        assert getattr(batch, name) is array
    assert not arrays["terminals"].any()
    assert not arrays["rewards"].any()
    assert arrays["observations"][:, 0].tolist() == [[254, 1, 0]] * 8
    assert arrays["actions"].tolist() == [4] * 8
    batch.step()
    assert arrays["observations"][:, 1].tolist() == [[254, 2, move] for move in (4, 0, 4, 0) * 2]


def test_each_world_works_in_its_slices(worlds):
    batch = Batch(worlds(2))
    for number, world in enumerate(batch.worlds):
        for name in TYPES:
            part = getattr(world, name)()
            assert part.base is getattr(batch, name), name
            assert np.shares_memory(part, getattr(batch, name)[batch.agents_of(number)]), name


def test_arrays_that_are_not_given_are_made(worlds):
    rewards = np.zeros(8, np.float32)
    batch = Batch(worlds(2), rewards=rewards)
    assert batch.rewards is rewards
    assert batch.num_agents == 8
    assert {name: (getattr(batch, name).dtype, getattr(batch, name).shape) for name in TYPES} == {
        name: (kind, (8, 500, 3) if name == "observations" else (8,)) for name, kind in TYPES.items()
    }


def test_there_is_room_for_the_tokens_that_the_greediest_game_asks_for(worlds):
    greedy, frugal = worlds(1), worlds(1, obs=ObsConfig(num_tokens=120))
    assert Batch([*frugal, *greedy]).observations.shape == (8, 500, 3)


def test_actions_may_be_read_only(worlds):
    Batch(worlds(2), actions=read_only(np.full(8, 4, np.int32))).step()


def test_arrays_and_worlds_live_as_long_as_the_batch(worlds):
    batch = Batch(worlds(2), **make_arrays())
    alive = [weakref.ref(thing) for thing in (batch.observations, batch.actions, *batch.worlds)]
    batch.worlds.clear()
    gc.collect()
    batch.step()
    assert all(thing() is not None for thing in alive)
    del batch
    gc.collect()
    assert not any(thing() is not None for thing in alive)


def test_the_count_of_episodes_is_to_be_read(worlds):
    with pytest.raises(ValueError, match="read-only"):
        Batch(worlds(2)).episodes[0] = 3


REFUSED = {
    "observations of another number of agents": (
        {"observations": np.zeros((9, 120, 3), np.uint8)},
        ValueError,
        r"^observations has shape \[9, 120, 3\]; it must be \[8, tokens, 3\]\.$",
    ),
    "observations of another type": (
        {"observations": np.zeros((8, 120, 3), np.int8)},
        TypeError,
        r"^observations has elements of type int8; they must be uint8\.$",
    ),
    "every second token": (
        {"observations": np.zeros((8, 240, 3), np.uint8)[:, ::2]},
        ValueError,
        r"^observations is not contiguous in memory\.$",
    ),
    "too few tokens": (
        {"observations": np.zeros((8, 6, 3), np.uint8)},
        RuntimeError,
        r"^World 0: Observation token budget exceeded for agent 0 at step 0 \(",
    ),
    "terminals as bytes": (
        {"terminals": np.zeros(8, np.uint8)},
        TypeError,
        r"^terminals has elements of type uint8; they must be bool\.$",
    ),
    "a row of truncations per world": (
        {"truncations": np.zeros((2, 4), np.bool_)},
        ValueError,
        r"^truncations has shape \[2, 4\]; it must be \[8\]\.$",
    ),
    "read-only rewards": (
        {"rewards": read_only(np.zeros(8, np.float32))},
        ValueError,
        "^rewards is not writeable, and the engine writes into it",
    ),
    "a list of actions": ({"actions": [0] * 8}, TypeError, r"^actions must be a numpy array, not list\.$"),
    "every second vibe action": (
        {"vibe_actions": np.zeros(16, np.int32)[::2]},
        ValueError,
        r"^vibe_actions is not contiguous in memory\.$",
    ),
    "no threads": ({"threads": 0}, ValueError, r"^A batch needs at least 1 thread, not 0\.$"),
    "half a thread": ({"threads": 1.5}, TypeError, "integer"),
    "an unknown way to choose seeds": (
        {"next_seed": "random"},
        ValueError,
        r"^next_seed must be 'same' or 'next', not 'random'\.$",
    ),
    "maps that are not a pool": ({"maps": []}, TypeError, r"^maps must be a MapPool, not list\.$"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_argument_that_does_not_fit_is_refused(worlds, case):
    arguments, error, message = REFUSED[case]
    made = worlds(2)
    with pytest.raises(error, match=message):
        Batch(made, **arguments)
    Batch(made).step()


def test_a_batch_needs_a_world():
    with pytest.raises(ValueError, match=r"^A batch needs at least one world\.$"):
        Batch([])


def test_a_world_can_be_given_once(worlds):
    first, second = worlds(2)
    with pytest.raises(ValueError, match=r"^The worlds of a batch must be different; one was given twice\.$"):
        Batch([first, second, first])


def test_something_that_is_no_world_is_refused(worlds):
    with pytest.raises(TypeError, match=r"^World 1 must be a MettaGrid, not Program\.$"):
        Batch([*worlds(1), worlds(1)[0].program])


def test_a_world_is_in_one_batch_at_a_time(worlds):
    made = worlds(3)
    batch = Batch(made[:2])
    with pytest.raises(ValueError, match=r"^World 1 is already in a batch; close that one first\.$"):
        Batch([made[2], made[1]])
    batch.close()
    Batch([made[2], made[1]]).step()


def test_a_world_is_free_when_its_batch_is_gone(worlds):
    made = worlds(2)
    batch = Batch(made)
    del batch
    gc.collect()
    Batch(made).step()


def test_a_world_of_a_batch_takes_no_other_arrays(worlds):
    made = worlds(2)
    batch, others = Batch(made), worlds(1)[0]
    arrays = [getattr(others, name)() for name in TYPES]
    with pytest.raises(RuntimeError, match=r"^The world works in the arrays of its batch; close the batch first$"):
        made[0].set_buffers(*arrays)
    batch.close()
    made[0].set_buffers(*arrays)


def test_a_pool_of_another_program_is_refused(worlds, program, rows):
    maps = MapPool(program(max_steps=99), lambda number: rows, 1)
    with pytest.raises(ValueError, match=r"^World 0 has another program than the map pool\.$"):
        Batch(worlds(2), maps=maps)


def test_a_closed_batch_does_nothing_more_and_its_worlds_go_on(worlds):
    with Batch(worlds(2), threads=2) as batch:
        batch.step()
    batch.close()
    for call in (batch.step, batch.reset, lambda: batch.run(1, seed=1)):
        with pytest.raises(RuntimeError, match=r"^The batch is closed$"):
            call()
    batch.worlds[0].step()
    assert batch.observations[0, 0].tolist() == [254, 1, 64]


BAD_RUNS = {
    "nothing to do": ({"steps": 1}, ValueError, r"^A run needs a seed for random actions, or actions\.$"),
    "a seed and actions": (
        {"steps": 1, "seed": 1, "actions": np.zeros((1, 8), np.int32)},
        ValueError,
        "^A run with a seed draws its own actions; omit",
    ),
    "a seed and vibe actions": (
        {"steps": 1, "seed": 1, "vibe_actions": np.zeros((1, 8), np.int32)},
        ValueError,
        "^A run with a seed draws its own actions; omit",
    ),
    "fewer than no steps": ({"steps": -1, "seed": 1}, ValueError, r"^A run has 0 steps or more, not -1\.$"),
    "too few rows": (
        {"steps": 3, "actions": np.zeros((2, 8), np.int32)},
        ValueError,
        r"^actions has shape \[2, 8\]; it must be \[3, 8\]\.$",
    ),
    "long actions": (
        {"steps": 1, "actions": np.zeros((1, 8), np.int64)},
        TypeError,
        "^actions has elements of type int64; they must be int32",
    ),
    "vibe actions column by column": (
        {"steps": 2, "actions": np.zeros((2, 8), np.int32), "vibe_actions": np.zeros((2, 8), np.int32, order="F")},
        ValueError,
        r"^vibe_actions is not contiguous in memory\.$",
    ),
}


@pytest.mark.parametrize("case", BAD_RUNS)
def test_a_run_that_makes_no_sense_is_refused(worlds, case):
    arguments, error, message = BAD_RUNS[case]
    batch = Batch(worlds(2))
    with pytest.raises(error, match=message):
        batch.run(**arguments)
    assert [world.current_step for world in batch.worlds] == [0, 0]


BAD_RESETS = {
    "too few seeds": ({"seeds": [1]}, ValueError, r"^There must be one seed for each of the 2 worlds, not 1\.$"),
    "a world that is not there": ({"worlds": [2]}, IndexError, r"^There is no world 2 in a batch of 2\.$"),
    "a world from the end": ({"worlds": [-1]}, IndexError, r"^There is no world -1 in a batch of 2\.$"),
    "a world twice": ({"worlds": [1, 1]}, ValueError, r"^Each world can be reset once; one was named twice\.$"),
    "a seed that is not a number": ({"seeds": ["a", "b"]}, TypeError, "integer"),
}


@pytest.mark.parametrize("case", BAD_RESETS)
def test_a_reset_that_makes_no_sense_is_refused(worlds, case):
    arguments, error, message = BAD_RESETS[case]
    batch = Batch(worlds(2))
    batch.step()
    with pytest.raises(error, match=message):
        batch.reset(**arguments)
    assert [world.current_step for world in batch.worlds] == [1, 1]
