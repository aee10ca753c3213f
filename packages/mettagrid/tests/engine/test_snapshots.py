"""States as bytes, copies, hashes and differences."""

import struct
import subprocess
import sys

import numpy as np
import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import HandlerTarget
from mettagrid.config.mutation import ResourceDeltaMutation
from mettagrid.config.query import query
from mettagrid.mettagrid_c import MettaGrid

HEAD = struct.Struct("<8sQQiiQ")
MASK = 2**64 - 1


def some_steps(engine, steps, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        engine.actions()[:] = rng.integers(0, 5, engine.num_agents)
        engine.step()


def outputs(engine):
    arrays = (engine.observations(), engine.rewards(), engine.terminals(), engine.truncations())
    return [array.tobytes() for array in arrays]


def busy_world(world, **fields):
    events = {
        "gift": EventConfig(
            name="gift",
            target_query=query("type:agent"),
            timesteps=[3, 5, 8],
            mutations=[ResourceDeltaMutation(target=HandlerTarget.TARGET, deltas={"gold": 2})],
            max_targets=1,
        )
    }
    return world(events=events, **fields)


def test_a_restored_world_goes_on_as_the_original(world):
    engine = busy_world(world)
    some_steps(engine, 4)
    snapshot = engine.snapshot()
    some_steps(engine, 6, seed=1)
    other = MettaGrid.from_snapshot(engine.program, snapshot)
    assert other.current_step == 4
    some_steps(other, 6, seed=1)
    assert other.state_hash() == engine.state_hash()
    assert outputs(other) == outputs(engine)
    assert other.get_episode_stats() == engine.get_episode_stats()
    assert other.diff(engine) == []


def test_restoring_in_place_writes_into_the_arrays_in_use(world):
    engine = busy_world(world)
    some_steps(engine, 4)
    snapshot, seen, before = engine.snapshot(), engine.observations(), outputs(engine)
    some_steps(engine, 3)
    assert outputs(engine) != before
    engine.restore(snapshot)
    assert engine.observations() is seen
    assert outputs(engine) == before


def test_a_snapshot_keeps_what_the_caller_set(world):
    engine = world(max_steps=3)
    engine.truncations()[:] = True
    assert MettaGrid.from_snapshot(engine.program, engine.snapshot()).truncations().all()


def test_a_snapshot_opens_under_an_equal_config(world, game):
    engine = world()
    some_steps(engine, 3)
    assert MettaGrid.from_snapshot(game(), engine.snapshot()).state_hash() == engine.state_hash()


def test_a_snapshot_is_the_same_bytes_in_another_process(world, tmp_path):
    engine = world()
    some_steps(engine, 5)
    program = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1])\n"
        "from conftest import make_world; from test_snapshots import some_steps\n"
        "engine = make_world(); some_steps(engine, 5); sys.stdout.buffer.write(engine.snapshot())\n"
    )
    here = str(__file__).rsplit("/", 1)[0]
    result = subprocess.run([sys.executable, "-c", program, here], capture_output=True, check=True)
    assert result.stdout == engine.snapshot()


def test_a_clone_is_a_world_of_its_own(world):
    engine = world()
    some_steps(engine, 2)
    twin = engine.clone()
    before = engine.state_hash()
    some_steps(twin, 5)
    assert engine.state_hash() == before
    assert twin.state_hash() != before
    twin.copy_from(engine)
    assert twin.state_hash() == before
    assert outputs(twin) == outputs(engine)


def test_a_copy_survives_the_original(world):
    engine = world()
    twin = engine.clone()
    del engine
    some_steps(twin, 20)


@pytest.mark.parametrize("change", ["inventory", "tag", "vibe", "seed"])
def test_worlds_that_differ_a_little_hash_differently(world, change):
    engine = world(tags=["marked"]) if change == "tag" else world()
    twin = engine.clone() if change != "seed" else world(seed=1)
    if change == "inventory":
        twin.set_inventory(1, {0: 1})
    elif change == "tag":
        next(iter(twin.grid_objects().values()))["add_tag"](twin.program.tag_names.index("marked"))
    elif change == "vibe":
        engine.vibe_actions()[:] = twin.vibe_actions()[:] = 0
        engine.step()
        twin.vibe_actions()[0] = twin.action_names.index(
            next(name for name in twin.action_names if name.startswith("change_vibe_") and not name.endswith("default"))
        )
        twin.step()
    assert twin.state_hash() != engine.state_hash()
    assert engine.diff(twin)


def test_a_difference_names_whose_and_what(world):
    engine = world()
    twin = engine.clone()
    twin.set_inventory(1, {0: 3})
    held = [change for change in engine.diff(twin) if change.field == "inventory"]
    assert [(change.agent_id, change.name, change.before, change.after) for change in held] == [(1, "gold", 0, 3)]
    assert str(held[0]) == "agent 1: inventory gold 0 -> 3"


def test_equal_worlds_have_equal_hashes_and_no_differences(world):
    assert world().state_hash() == world().state_hash()
    assert world().diff(world()) == []  # two compilations of equal configs are one program


# What is refused


def test_a_snapshot_of_another_game_is_refused(world):
    snapshot = world(max_steps=50).snapshot()
    with pytest.raises(ValueError, match=r"^The snapshot was made with another program"):
        world().restore(snapshot)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda good: b"", "The snapshot is too short"),
        (lambda good: good[:-1], "The snapshot is damaged"),
        (lambda good: good + b"x", "The snapshot is damaged"),
        (lambda good: b"x" * len(good), "These bytes are not a snapshot of a world"),
        (lambda good: good[:3000] + bytes([good[3000] ^ 1]) + good[3001:], "The snapshot is damaged"),
    ],
)
def test_bytes_that_are_no_snapshot_are_refused_and_change_nothing(world, broken, message):
    engine = world()
    some_steps(engine, 3)
    before, seen = engine.state_hash(), outputs(engine)
    bad = broken(engine.snapshot())
    for call in (engine.restore, lambda data: MettaGrid.from_snapshot(engine.program, data)):
        with pytest.raises(ValueError, match=f"^{message}"):
            call(bad)
    assert (engine.state_hash(), outputs(engine)) == (before, seen)


def test_arrays_of_another_shape_are_refused(world):
    engine = world()
    snapshot = engine.snapshot()
    n = engine.num_agents
    flags = np.zeros(n, bool)
    engine.set_buffers(
        np.zeros((n, 60, 3), np.uint8), flags, flags.copy(), np.zeros(n, np.float32), np.zeros(n, np.int32)
    )
    with pytest.raises(RuntimeError, match=r"^The snapshot has 2 agents and 500 tokens each, this world 2 and 60$"):
        engine.restore(snapshot)


def test_worlds_of_different_games_are_not_compared(world):
    with pytest.raises(RuntimeError, match=r"^Only worlds of one program"):
        world().diff(world(max_steps=7))


# Untrusted bytes: a correct checksum, but an impossible state.


def hash_block(data: bytes) -> int:
    """What `cpu/snapshot.hpp` computes over the bytes behind the head."""

    def mix(value: int, word: int) -> int:
        value = (value ^ word) * 0x9E3779B97F4A7C15 & MASK
        return value ^ value >> 32

    padded = data + bytes(-len(data) % 32)
    streams = [len(padded), 1, 2, 3]
    for i, word in enumerate(struct.unpack(f"<{len(padded) // 8}Q", padded)):
        streams[i % 4] = mix(streams[i % 4], word)
    return mix(mix(mix(streams[0], streams[1]), mix(streams[2], streams[3])), len(data))


def with_right_check(snapshot: bytes) -> bytes:
    *fields, _ = HEAD.unpack_from(snapshot)
    return HEAD.pack(*fields, hash_block(snapshot[HEAD.size :])) + snapshot[HEAD.size :]


def test_the_check_sum_is_known_here(world):
    snapshot = world().snapshot()
    assert with_right_check(snapshot) == snapshot


@pytest.mark.parametrize("seed", range(8))
def test_a_forged_state_is_refused_or_harmless(world, seed):
    engine = busy_world(world)
    some_steps(engine, 4)
    good = engine.snapshot()
    rng = np.random.default_rng(seed)
    refused = 0
    for _ in range(60):
        forged = bytearray(good)
        for _ in range(rng.integers(1, 4)):
            at = HEAD.size + 4 * int(rng.integers(0, (HEAD.unpack_from(good)[2]) // 4))
            value = int(rng.choice([-1, 0, 1, 7, 255, 65535, 2**31 - 1, -(2**31), int(rng.integers(-(2**31), 2**31))]))
            struct.pack_into("<i", forged, at, value)
        try:
            stranger = MettaGrid.from_snapshot(engine.program, with_right_check(bytes(forged)))
        except ValueError:
            refused += 1
            continue
        try:
            some_steps(stranger, 10)
        except RuntimeError as error:
            assert "contradicts itself" not in str(error)
        stranger.get_episode_stats()
        stranger.grid_objects()
    assert 0 < refused < 60


def test_an_agent_on_a_second_cell_is_refused(world):
    engine = world("@#.@")
    before = engine.snapshot()
    cells = struct.pack("<4i", 1, 3, 0, 2)  # slots of the agents, and of the wall after them
    assert before.count(cells) == 1
    for slot in (1, 2):
        forged = before.replace(cells, struct.pack("<4i", 1, 3, slot, 2))
        with pytest.raises(ValueError):
            MettaGrid.from_snapshot(engine.program, with_right_check(forged))


def test_stats_that_there_are_not_are_refused(world):
    engine = world()
    before, size = engine.snapshot(), engine._array_size("game_stat_set")
    assert len(engine.program.game_stat_names) % 32  # the last word has bits to spare
    # The words that say which game stats exist are found by what they must be.
    bits = sum(1 << i for i, _ in engine._game_stats())
    wanted = bits.to_bytes(4 * size, "little")
    places = [i for i in range(HEAD.size, len(before) - len(wanted), 4) if before[i : i + len(wanted)] == wanted]
    assert places
    refused = 0
    for place in places:
        forged = bytearray(before)
        forged[place + 4 * size - 1] |= 0x80
        try:
            MettaGrid.from_snapshot(engine.program, with_right_check(bytes(forged))).get_episode_stats()
        except ValueError:
            refused += 1
    assert refused
