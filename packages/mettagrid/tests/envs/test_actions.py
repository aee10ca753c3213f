"""Indices and pairs of them against the definition of the encodings, for every value there is."""

import numpy as np
import pytest

from mettagrid.envs._actions import ActionCodec

NAMES = ["noop", "move_north", "move_south", "change_vibe_a", "change_vibe_b"]
PRIMARY, VIBES = 3, 2


@pytest.fixture
def codec() -> ActionCodec:
    return ActionCodec(NAMES)


def test_every_combined_index_is_a_primary_action_with_or_without_a_vibe(codec: ActionCodec) -> None:
    expected = [(p, 0) for p in range(PRIMARY)] + [(p, PRIMARY + v) for p in range(PRIMARY) for v in range(VIBES)]
    assert codec.num_combined == len(expected) == PRIMARY * (VIBES + 1)
    primary, vibes = codec.split_combined(np.arange(codec.num_combined))
    assert [*zip(primary.tolist(), vibes.tolist(), strict=True)] == expected
    assert [codec.split_one(i, "combined") for i in range(codec.num_combined)] == expected
    assert primary.dtype == vibes.dtype == np.int32


def test_every_pair_has_a_vibe_or_zero_for_none(codec: ActionCodec) -> None:
    pairs = np.array([(p, v) for p in range(PRIMARY) for v in range(VIBES + 1)])
    expected = [(p, PRIMARY - 1 + v if v else 0) for p, v in pairs.tolist()]
    primary, vibes = codec.split(pairs, "pair", len(pairs))
    assert [*zip(primary.tolist(), vibes.tolist(), strict=True)] == expected
    assert [codec.split_one(pair, "pair") for pair in pairs] == expected


def test_the_published_pair_always_has_a_vibe(codec: ActionCodec) -> None:
    primary, vibes = codec.split_published_pairs(np.array([[0, 0], [2, 1]]))
    assert primary.tolist() == [0, 2] and vibes.tolist() == [PRIMARY, PRIMARY + 1]


def test_a_flat_index_is_one_or_the_other(codec: ActionCodec) -> None:
    primary, vibes = codec.split_flat(np.arange(5))
    assert primary.tolist() == [0, 1, 2, 0, 0] and vibes.tolist() == [0, 0, 0, 3, 4]


@pytest.mark.parametrize("actions", [[3, 0], [-1, 0]])
def test_without_vibes_only_primary_actions_are_allowed(codec: ActionCodec, actions: list[int]) -> None:
    with pytest.raises(ValueError, match="Actions must be from 0 to 2; these are from"):
        codec.split(np.array(actions), "none", 2)


@pytest.mark.parametrize(
    ("actions", "vibes", "message"),
    [
        ([0, 9], "combined", "Actions must be from 0 to 8; these are from 0 to 9"),
        ([[0, 0], [3, 0]], "pair", "Primary actions must be from 0 to 2"),
        ([[0, 0], [0, 3]], "pair", "Vibe actions must be from 0 to 2"),
        ([0], "combined", r"Actions must have shape \[2\], not \[1\]"),
        ([0, 0], "pair", r"Actions must have shape \[2, 2\], not \[2\]"),
    ],
)
def test_what_is_out_of_range_is_refused(codec: ActionCodec, actions: list, vibes: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        codec.split(np.array(actions), vibes, 2)


def test_only_integers_are_actions(codec: ActionCodec) -> None:
    with pytest.raises(TypeError, match="Actions must be integers, not float64"):
        codec.split(np.array([0.0, 1.0]), "none", 2)
    with pytest.raises(TypeError, match="must be an integer, not 1.5"):
        codec.split_one(1.5, "none")
    assert codec.split_one(np.int64(2), "none") == (2, 0)
    assert codec.split_one(np.array(2), "none") == (2, 0)


def test_a_game_without_vibes_has_primary_actions_alone() -> None:
    codec = ActionCodec(NAMES[:PRIMARY])
    assert codec.num_combined == PRIMARY
    assert codec.split_one((2, 0), "pair") == (2, 0)
    with pytest.raises(ValueError, match="no vibe actions"):
        codec.split_published_pairs(np.array([[0, 0]]))
