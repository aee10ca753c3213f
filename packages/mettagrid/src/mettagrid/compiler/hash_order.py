"""The iteration order of the published engine's hash table of resource ids.

It drops excess resources and observes inventories in that order (inventory.hpp), so it is part of the rules. Keys
are their own hash; a table starts with 13 buckets and grows to 29, 59, 127 and 257. A new key goes to the front of the
whole list, or, if its bucket is in use, to the front of its bucket. Growing walks the list once and inserts every key
again in the same way. A table reserved for a known number of keys has other sizes.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable

_SIZES = (13, 29, 59, 127, 257)
_RESERVED = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103, 109,
             113, 127, 137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257)  # fmt: skip


def hash_order(keys: Iterable[int]) -> list[int]:
    """Return the order of distinct `keys` (0..255) after inserting them one by one."""
    order: list[int] = []
    sizes = iter(_SIZES)
    buckets = next(sizes)
    for count, key in enumerate(dict.fromkeys(keys), start=1):
        if count > buckets:
            buckets = next(sizes)
            order = _rebuilt(order, buckets)
        _insert(order, key, buckets)
    return order


def reserved_hash_order(keys: Collection[int]) -> list[int]:
    """Return the order of distinct `keys` (0..255) after inserting them into a table reserved for their number."""
    buckets = _RESERVED[bisect_left(_RESERVED, len(keys))]
    return _rebuilt(list(keys), buckets)


def _rebuilt(keys: list[int], buckets: int) -> list[int]:
    order: list[int] = []
    for key in keys:
        _insert(order, key, buckets)
    return order


def _insert(order: list[int], key: int, buckets: int) -> None:
    """Insert in front of the first key of its bucket, or of everything. Keys of one bucket always stay adjacent."""
    at = next((i for i, other in enumerate(order) if other % buckets == key % buckets), 0)
    order.insert(at, key)
