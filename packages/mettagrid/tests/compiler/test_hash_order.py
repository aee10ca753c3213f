"""The order in which a published inventory drops what no longer fits.

The vectors are the iteration order of `std::unordered_map<uint8_t, int>` of GNU's libstdc++, printed by a C++ program.
"""

import pytest

from mettagrid.compiler.hash_order import hash_order

VECTORS = {
    "nothing": ([], ""),
    "one": ([200], "200"),
    "13 in sequence, the last that fit": (range(13), "12 11 10 9 8 7 6 5 4 3 2 1 0"),
    "14 in sequence, the first that do not": (range(14), "13 0 1 2 3 4 5 6 7 8 9 10 11 12"),
    "same buckets": ([0, 13, 26, 1, 14, 2], "2 14 1 26 13 0"),
    "same buckets, then more than 13": (
        [0, 13, 26, 1, 14, 2, 40, 41, 54, 67, 80, 93, 5, 6, 7],
        "7 0 13 26 1 14 40 2 41 54 67 80 6 93 5",
    ),
    "29, the last that fit": (
        [i * 7 % 101 for i in range(29)],
        "95 88 81 74 67 60 53 46 39 32 25 18 11 98 4 91 0 7 14 21 28 35 42 49 56 63 70 77 84",
    ),
    "30, the first that do not": (
        [i * 7 % 101 for i in range(30)],
        "56 49 42 35 28 21 14 7 0 63 4 70 11 77 18 84 25 91 32 98 39 46 53 1 60 67 74 81 88 95",
    ),
    "60": (
        [i * 37 % 251 for i in range(60)],
        "230 0 127 156 185 8 135 193 222 172 45 164 37 201 74 238 111 209 82 148 246 119 16 143 53 180 90 217 24 151 "
        "61 188 98 225 175 48 85 122 32 159 69 196 19 106 233 56 93 3 130 40 167 77 204 27 114 241 64 101 11 138",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_keys_come_out_as_from_the_published_hash_table(name):
    keys, expected = VECTORS[name]
    assert hash_order(keys) == [int(key) for key in expected.split()]


def test_a_key_inserted_again_changes_nothing():
    assert hash_order([3, 1, 3, 2, 1]) == hash_order([3, 1, 2])


def test_all_256_resources_have_a_place():
    assert sorted(hash_order(range(256))) == list(range(256))
