"""Read the block format of Snappy, without a library."""

_LITERAL, _COPY_1, _COPY_2 = 0, 1, 2
_LONG_LITERAL = 60


def snappy_decompress(data: bytes) -> bytes:
    """Return the original bytes. Raises `ValueError` for damaged data."""
    expected, at = _length(data)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == _LITERAL:
            count = (tag >> 2) + 1
            if count > _LONG_LITERAL:
                extra = count - _LONG_LITERAL
                count = int.from_bytes(data[at : at + extra], "little") + 1
                at += extra
            if at + count > len(data):
                raise ValueError(f"snappy literal at byte {at} is truncated")
            out += data[at : at + count]
            at += count
        else:
            if tag & 3 == _COPY_1:
                count, size, high = ((tag >> 2) & 7) + 4, 1, tag >> 5 << 8
            else:
                count, size, high = (tag >> 2) + 1, 2 if tag & 3 == _COPY_2 else 4, 0
            distance = high | int.from_bytes(data[at : at + size], "little")
            at += size
            if at > len(data) or not 0 < distance <= len(out):
                raise ValueError(f"snappy copy before byte {at} is outside of the data")
            _copy(out, distance, count)
        if len(out) > expected:
            break
    if len(out) != expected:
        raise ValueError(f"snappy length mismatch: expected {expected}, got {len(out)}")
    return bytes(out)


def _length(data: bytes) -> tuple[int, int]:
    length = 0
    for at, byte in enumerate(data[:5]):
        length |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return length, at + 1
    raise ValueError("truncated snappy length")


def _copy(out: bytearray, distance: int, count: int) -> None:
    """Append bytes that lie `distance` before the end; the copy may overlap itself and then repeats."""
    start = len(out) - distance
    if distance >= count:
        out += out[start : start + count]
    else:
        pattern = bytes(out[start:])
        out += (pattern * (count // distance + 1))[:count]
