"""The random generator, the state hash and the picture format equal the published ones."""

import numpy as np
import pytest
from bitworld._native import Random, hash_words

from bitworld.picture import PACKED_BYTES, SIDE, pack, unpack


def test_the_random_generator_draws_the_published_numbers() -> None:
    random = Random(7)
    assert [random.below_or_equal(most) for most in (1, 4, 9, 38, 1000, 5, 15, 39, 7, 2)] == [
        0, 0, 3, 19, 106, 1, 3, 6, 1, 0,
    ]  # fmt: skip


def test_a_bound_of_zero_draws_nothing() -> None:
    random = Random(7)
    before = random.state
    assert random.below_or_equal(0) == 0
    assert random.state == before


def test_a_negative_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Random(7).below_or_equal(-1)


def test_the_hash_of_no_words_is_the_starting_value() -> None:
    assert hash_words(np.array([], np.int64)) == 14695981039346656037


def test_a_picture_survives_the_wire() -> None:
    picture = np.random.default_rng(1).integers(0, 16, (SIDE, SIDE)).astype(np.uint8)
    packed = pack(picture)
    assert len(packed) == PACKED_BYTES
    assert packed[0] == picture[0, 0] | picture[0, 1] << 4
    assert (unpack(packed) == picture).all()
