"""The caller's arrays: which are accepted, the effect of setting them, and their lifetime."""

import gc
import weakref

import numpy as np
import pytest

from mettagrid import _native

EAST = 4
NAMES = ("observations", "terminals", "truncations", "rewards", "actions", "vibe_actions")


def make_arrays(agents=2, tokens=100, **arrays):
    """The six arrays, full of leftovers."""
    defaults = {
        "observations": np.full((agents, tokens, 3), 7, np.uint8),
        "terminals": np.ones(agents, np.bool_),
        "truncations": np.ones(agents, np.bool_),
        "rewards": np.ones(agents, np.float32),
        "actions": np.zeros(agents, np.int32),
        "vibe_actions": np.zeros(agents, np.int32),
    }
    return defaults | arrays


def read_only(array):
    array.setflags(write=False)
    return array


REFUSED = {
    "observations with another number of agents": (
        {"observations": np.zeros((3, 100, 3), np.uint8)},
        RuntimeError,
        r"^observations has shape \[3, 100, 3\] but expected \[2, \[something\], 3\]$",
    ),
    "observations of four bytes a token": (
        {"observations": np.zeros((2, 100, 4), np.uint8)},
        RuntimeError,
        r"^observations has shape \[2, 100, 4\] but expected \[2, \[something\], 3\]$",
    ),
    "flat observations": (
        {"observations": np.zeros((2, 300), np.uint8)},
        RuntimeError,
        r"^observations has shape \[2, 300\] but expected \[2, \[something\], 3\]$",
    ),
    "observations of another type": (
        {"observations": np.zeros((2, 100, 3), np.int8)},
        TypeError,
        r"^observations has elements of type int8; they must be uint8\.$",
    ),
    "every second token": (
        {"observations": np.zeros((2, 200, 3), np.uint8)[:, ::2]},
        RuntimeError,
        "^observations is not contiguous in memory$",
    ),
    "observations column by column": (
        {"observations": np.zeros((2, 100, 3), np.uint8, order="F")},
        RuntimeError,
        "^observations is not contiguous in memory$",
    ),
    "observations backwards": (
        {"observations": np.zeros((2, 100, 3), np.uint8)[:, ::-1]},
        RuntimeError,
        "^observations is not contiguous in memory$",
    ),
    "one token for all": (
        {"observations": np.lib.stride_tricks.as_strided(np.zeros(3, np.uint8), (2, 100, 3), (0, 0, 1))},
        RuntimeError,
        "^observations is not contiguous in memory$",
    ),
    "read-only observations": (
        {"observations": read_only(np.zeros((2, 100, 3), np.uint8))},
        ValueError,
        "^observations is not writeable",
    ),
    "terminals as bytes": (
        {"terminals": np.zeros(2, np.uint8)},
        TypeError,
        r"^terminals has elements of type uint8; they must be bool\.$",
    ),
    "too many terminals": ({"terminals": np.zeros(3, np.bool_)}, RuntimeError, "^terminals has the wrong shape"),
    "truncations with two axes": (
        {"truncations": np.zeros((2, 1), np.bool_)},
        RuntimeError,
        r"^truncations has the wrong shape: \[2, 1\], expected \[2\]$",
    ),
    "a single number for truncations": (
        {"truncations": np.array(False)},
        RuntimeError,
        "^truncations has the wrong shape",
    ),
    "rewards in double precision": ({"rewards": np.zeros(2)}, TypeError, "^rewards has elements of type float64"),
    "too few rewards": ({"rewards": np.zeros(1, np.float32)}, RuntimeError, "^rewards has the wrong shape"),
    "no rewards": ({"rewards": np.zeros(0, np.float32)}, RuntimeError, "^rewards has the wrong shape"),
    "read-only rewards": ({"rewards": read_only(np.zeros(2, np.float32))}, ValueError, "^rewards is not writeable"),
    "long actions": ({"actions": np.zeros(2, np.int64)}, TypeError, "^actions has elements of type int64"),
    "actions in foreign byte order": (
        {"actions": np.zeros(2, np.dtype(np.int32).newbyteorder())},
        TypeError,
        "^actions has elements of type",
    ),
    "actions of three agents": (
        {"actions": np.zeros(3, np.int32)},
        RuntimeError,
        r"^actions has the wrong shape: \[3\], expected \[2\]$",
    ),
    "actions with two axes": ({"actions": np.zeros((2, 1), np.int32)}, RuntimeError, "^actions has the wrong shape"),
    "every second action": (
        {"actions": np.zeros(4, np.int32)[::2]},
        RuntimeError,
        "^actions is not contiguous in memory$",
    ),
    "a list of actions": ({"actions": [0, 0]}, TypeError, r"^actions must be a numpy array, not list\.$"),
    "no actions": ({"actions": None}, TypeError, r"^actions must be a numpy array, not NoneType\.$"),
    "vibe actions of one agent": (
        {"vibe_actions": np.zeros(1, np.int32)},
        RuntimeError,
        "^vibe_actions has the wrong shape",
    ),
    "vibe actions as text": ({"vibe_actions": np.array(["a", "b"])}, TypeError, "^vibe_actions has elements of type"),
    "vibe actions as objects": (
        {"vibe_actions": np.zeros(2, object)},
        TypeError,
        "^vibe_actions has elements of type object",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_array_that_does_not_fit_is_refused_by_name(world, case):
    arrays, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        world().set_buffers(**make_arrays(**arrays))


@pytest.mark.parametrize("case", REFUSED)
def test_after_a_refusal_the_world_goes_on_in_the_old_arrays(world, case):
    engine, old = world(), make_arrays()
    engine.set_buffers(**old)
    refused, error, _ = REFUSED[case]
    new = make_arrays(**refused)
    with pytest.raises(error):
        engine.set_buffers(**new)
    old["actions"][:] = EAST
    engine.step()
    assert engine.action_success()[0] is True
    assert old["observations"][0, 1].tolist() == [254, 2, EAST]
    for name in NAMES:
        assert getattr(engine, name)() is old[name], name
        if name not in refused:
            assert np.array_equal(new[name], make_arrays()[name]), name


def test_too_many_tokens_to_count_are_refused(world):
    with pytest.raises(RuntimeError, match=r"^observations has 16777217 tokens per agent; at most 16777216 are "):
        world("@").set_buffers(**make_arrays(1, observations=np.empty((1, 2**24 + 1, 3), np.uint8)))


@pytest.mark.parametrize("name", ["actions", "vibe_actions"])
def test_actions_may_be_read_only_since_they_are_only_read(world, name):
    engine = world()
    engine.set_buffers(**make_arrays(**{name: read_only(np.zeros(2, np.int32))}))
    engine.step()
    assert engine.action_success() == [True, True]


def test_arrays_are_used_without_copying(world):
    engine, arrays = world(), make_arrays()
    engine.set_buffers(**arrays)
    for name in NAMES:
        assert getattr(engine, name)() is arrays[name], name


def test_arrays_may_be_parts_of_larger_ones(world):
    """As when many worlds share one block of memory: this world gets the middle third."""
    engine = world()
    everything = {name: np.repeat(array[None], 3, axis=0) for name, array in make_arrays().items()}
    for array in everything.values():
        array[[0, 2]] = 1
    everything["actions"][1] = EAST
    engine.set_buffers(**{name: array[1] for name, array in everything.items()})
    engine.step()
    assert everything["observations"][1, 0, 1].tolist() == [254, 2, EAST]
    assert not everything["rewards"][1].any()
    for name, array in everything.items():
        assert (array[[0, 2]] == 1).all(), name


def test_one_array_may_serve_as_both_kinds_of_actions(world):
    engine, arrays = world(), make_arrays()
    arrays["vibe_actions"] = arrays["actions"]
    engine.set_buffers(**arrays)
    arrays["actions"][:] = [EAST, 5 + 3]
    engine.step()
    assert engine.action_success() == [True, True]
    assert [thing["vibe"] for thing in engine.grid_objects().values() if "agent_id" in thing] == [0, 3]


def test_setting_arrays_clears_all_outputs_and_leaves_actions(world):
    engine, arrays = world(), make_arrays(actions=np.full(2, EAST, np.int32), vibe_actions=np.full(2, 9, np.int32))
    engine.set_buffers(**arrays)
    assert not arrays["terminals"].any()
    assert not arrays["truncations"].any()
    assert not arrays["rewards"].any()
    assert arrays["observations"][:, -1].tolist() == [[255] * 3] * 2
    assert arrays["observations"][0, 0].tolist() == [254, 1, 0]
    assert arrays["actions"].tolist() == [EAST, EAST]
    assert arrays["vibe_actions"].tolist() == [9, 9]


def test_setting_arrays_starts_rewards_ends_and_coverage_over_but_not_the_game(world):
    engine = world("@....", max_steps=2)
    engine.actions()[:] = EAST
    engine.step()
    engine.step()
    assert engine.terminals().all()
    assert engine.get_agent_stat(0, "cell.unique_visited") == 3
    engine.set_buffers(**make_arrays(1))
    assert not engine.terminals().any()
    assert engine.get_episode_rewards().tolist() == [0]
    assert engine.get_agent_stat(0, "cell.unique_visited") == 1
    assert engine.get_agent_stat(0, "action.move.success") == 2
    assert engine.current_step == 2
    assert [thing["c"] for thing in engine.grid_objects().values()] == [2]


def test_setting_arrays_counts_the_tokens_of_the_observation_again(world):
    engine = world()
    before = engine.get_game_stat("tokens_written")
    engine.set_buffers(**make_arrays())
    assert engine.get_game_stat("tokens_written") == 2 * before


def test_without_vibe_actions_nobody_changes_vibe(world):
    engine, arrays = world(), make_arrays()
    del arrays["vibe_actions"]
    engine.set_buffers(**arrays)
    engine.step()
    assert engine.vibe_actions().tolist() == [0, 0]
    assert engine.vibe_actions().dtype == np.int32
    assert engine.get_agent_stat(0, "action.change_vibe.success") is None


def test_arrays_can_be_given_by_position(world):
    engine, arrays = world(), make_arrays()
    engine.set_buffers(*arrays.values())
    assert engine.rewards() is arrays["rewards"]


def test_arrays_live_as_long_as_the_world_uses_them(world):
    engine, arrays = world(), make_arrays()
    alive = [weakref.ref(array) for array in arrays.values()]
    engine.set_buffers(**arrays)
    del arrays
    gc.collect()
    for _ in range(3):
        engine.step()
    assert all(array() is not None for array in alive)
    engine.set_buffers(**make_arrays())
    gc.collect()
    assert all(array() is None for array in alive)


def test_arrays_outlive_the_world(world):
    engine, arrays = world(), make_arrays()
    engine.set_buffers(**arrays)
    engine.step()
    kept = engine.observations()
    del engine
    gc.collect()
    assert kept is arrays["observations"]
    assert kept[0, 0].tolist() == [254, 1, 2]


def test_a_world_has_arrays_of_its_own_from_the_start(world):
    engine = world()
    assert {name: (getattr(engine, name)().dtype, getattr(engine, name)().shape) for name in NAMES} == {
        "observations": (np.uint8, (2, 500, 3)),
        "terminals": (np.bool_, (2,)),
        "truncations": (np.bool_, (2,)),
        "rewards": (np.float32, (2,)),
        "actions": (np.int32, (2,)),
        "vibe_actions": (np.int32, (2,)),
    }
    assert engine.observations() is engine.observations()


def test_the_native_world_does_nothing_without_arrays(world):
    program = world("@").program
    bare = _native.World(program.map([["agent.agent"]]), 0)
    for call in (bare.step, bare._observe_start):
        with pytest.raises(RuntimeError, match=r"^The world has no buffers yet$"):
            call()


@pytest.mark.parametrize("name", ["rewards", "actions", "vibe_actions"])
def test_an_array_at_an_odd_address_is_refused(world, name):
    plain = make_arrays()[name]
    odd = np.zeros(plain.nbytes + 1, np.uint8)[1:].view(plain.dtype)
    with pytest.raises(RuntimeError, match=rf"^{name} does not begin at an address that its elements can have$"):
        world().set_buffers(**make_arrays(**{name: odd}))
