"""Separately compressed pieces form one valid stream."""

import gzip
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.replay._packing import gzip_bytes, zlib_bytes

PART = st.binary(max_size=300) | st.builds(
    lambda piece, count: piece * count, st.binary(min_size=1, max_size=9), st.integers(1, 9000)
)


@given(st.lists(PART, min_size=1, max_size=6))
@settings(deadline=None)
def test_joined_pieces_are_unpacked_by_the_usual_tools(parts: list[bytes]) -> None:
    whole = b"".join(parts)
    for _ in range(2):  # the second time from the cache
        assert zlib.decompress(zlib_bytes(parts)) == whole
        assert gzip.decompress(gzip_bytes(parts)) == whole


def test_the_same_parts_give_the_same_bytes_whatever_was_packed_before() -> None:
    parts = [b"a" * 20_000, b"b", b"c" * 30_000, b"d"]
    first = zlib_bytes(parts)
    for i in range(40):
        zlib_bytes([bytes([i]) * 20_000, b"x"])
    assert zlib_bytes(parts) == first == zlib_bytes([*parts])
