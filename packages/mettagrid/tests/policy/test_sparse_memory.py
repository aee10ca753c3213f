"""What agents remember: equal to a plain map of what each has seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.compiler.window import window_cells
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse_memory import SparseMemory, memory_feature

from .test_sparse_tokens import game

TAGS = ("team:cogs", "type:agent", "type:hub", "type:junction", "type:wall")
GAME = game("tag", "inv:hp", "lp:east", "lp:west", "lp:north", "lp:south", tags=TAGS, window=(5, 5))
TAG, EAST, WEST, NORTH, SOUTH = 0, 2, 3, 4, 5
FAR = memory_feature(GAME)
VISIBLE = [(cell.dr, cell.dc) for cell in window_cells(5, 5)]
ENDS = (1, 4, 7, 11, 17, 26, 40)


def observation(world: dict[tuple[int, int], list[str]], row: int, col: int, room: int = 60) -> np.ndarray:
    """The tokens of an agent at a place, from where it began: its distance, then the visible cells."""
    tokens = [(0xFE, EAST if col >= 0 else WEST, abs(col)), (0xFE, SOUTH if row >= 0 else NORTH, abs(row))]
    for dr, dc in VISIBLE:
        location = (dr + 2) << 4 | dc + 2
        tokens += [(location, TAG, TAGS.index(tag)) for tag in world.get((row + dr, col + dc), [])]
    array = np.full((room, 3), 255, np.uint8)
    array[: len(tokens)] = tokens
    return array


def level(distance: int) -> int:
    size = sum(abs(distance) > end for end in ENDS)
    return 7 + (size if distance > 0 else -size)


class Plain:
    """A map of everything seen, without limits."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, int], list[str]] = {}

    def see(self, world: dict[tuple[int, int], list[str]], row: int, col: int) -> set[tuple[int, int, int]]:
        for dr, dc in VISIBLE:
            cell = row + dr, col + dc
            tags = world.get(cell, [])
            self.seen.pop(cell, None)
            if any(tag in ("type:hub", "type:junction") for tag in tags):
                self.seen[cell] = [tag for tag in tags if tag not in ("type:agent", "type:wall")]
        now = {(row + dr, col + dc) for dr, dc in VISIBLE}
        return {
            (level(r - row) * 15 + level(c - col), FAR, TAGS.index(tag))
            for (r, c), tags in self.seen.items()
            if (r, c) not in now
            for tag in tags
        }


CELLS = st.tuples(st.integers(-12, 12), st.integers(-12, 12))
CONTENTS = st.sampled_from(
    [["type:hub"], ["team:cogs", "type:junction"], ["type:junction"], ["type:wall"], ["type:agent"]]
)


@settings(max_examples=60, deadline=None)
@given(
    worlds=st.lists(st.dictionaries(CELLS, CONTENTS, max_size=40), min_size=1, max_size=2),
    walk=st.lists(CELLS, min_size=1, max_size=12),
)
def test_a_memory_equals_a_map_of_what_was_seen(worlds: list[dict], walk: list[tuple[int, int]]) -> None:
    memory, plain = SparseMemory(GAME, 1), Plain()
    for step, (row, col) in enumerate(walk):
        world = worlds[step % len(worlds)]  # things appear, change and disappear
        seen, out = observation(world, row, col), np.zeros((1, 200, 3), np.uint8)
        memory.see(seen[None], out)
        used = int((seen[:, 0] != 255).sum())
        assert np.array_equal(out[0, :used], seen[:used])
        added = [tuple(map(int, token)) for token in out[0, used:] if token[0] != 255]
        assert len(added) == len(set(added)) and set(added) == plain.see(world, row, col)
        assert (out[0, used + len(added) :] == 255).all()


def test_every_row_has_its_own_memory_and_can_forget() -> None:
    memory = SparseMemory(GAME, 3, threads=2)
    world = {(0, 1): ["type:hub"]}
    near, far = observation(world, 0, 0), observation(world, 9, 9)
    out = np.zeros((3, 60, 3), np.uint8)
    memory.see(np.stack([near, near, far]), out)
    memory.see(np.stack([far, far, far]), out)
    assert [(row[:, 1] == FAR).any() for row in out] == [True, True, False]
    memory.forget(np.array([0]))
    memory.see(np.stack([far, far, far]), out)
    assert [(row[:, 1] == FAR).any() for row in out] == [False, True, False]
    some = np.zeros((1, 60, 3), np.uint8)
    memory.see(far[None], some, rows=np.array([1]))
    assert np.array_equal(some[0], out[1])


def test_what_does_not_fit_is_left_out_and_the_oldest_is_forgotten_first() -> None:
    memory = SparseMemory(GAME, 1)
    world = {(0, col): ["type:hub"] for col in range(0, 1000, 3)}
    out = np.zeros((1, 400, 3), np.uint8)
    for col in range(0, 240, 3):
        memory.see(observation(world, 0, col)[None], out)
    small = np.zeros((1, 4, 3), np.uint8)
    memory.see(observation({}, 5, 240)[None], small)
    assert (small[0, 2:, 1] == FAR).all(), "two tokens of the observation, two that still fit"


def test_translations_apply_before_anything_is_remembered() -> None:
    tables = np.stack(np.divmod(np.arange(65536), 256), -1).astype(np.uint8)[None]
    tables = np.repeat(tables, 2, 0)
    tables[1].reshape(256, 256, 2)[TAG, TAGS.index("type:wall"), 1] = TAGS.index("type:hub")
    memory = SparseMemory(GAME, 2)
    near = observation({(0, 1): ["type:wall"]}, 0, 0)
    out = np.zeros((2, 60, 3), np.uint8)
    arguments = {"translation": tables, "tables": np.array([0, 1])}
    memory.see(np.stack([near, near]), out, **arguments)
    assert [int(row[2, 2]) for row in out] == [TAGS.index("type:wall"), TAGS.index("type:hub")]
    memory.see(np.stack([observation({}, 9, 9)] * 2), out, **arguments)
    assert [(row[:, 1] == FAR).any() for row in out] == [False, True]


def test_games_without_places_remember_nothing_and_wrong_arrays_are_refused() -> None:
    plain: PolicyEnvInterface = game("tag", tags=TAGS, window=(5, 5))
    memory, out = SparseMemory(plain, 1), np.zeros((1, 60, 3), np.uint8)
    for world in ({(0, 1): ["type:hub"]}, {}):
        memory.see(observation(world, 0, 0)[None], out)
        assert not (out[0, :, 1] == memory_feature(plain)).any()
    with pytest.raises(ValueError, match="a row is out of range"):
        memory.see(out, out.copy(), rows=np.array([1]))
    with pytest.raises(ValueError, match="one row and one place for each"):
        memory.see(out, np.zeros((2, 60, 3), np.uint8))
    with pytest.raises(ValueError, match="a row is out of range"):
        memory.forget(np.array([-1]))
