"""Event files, read back by a reader that knows only the published formats."""

import math
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogames_training.reports.crc32c import crc32c, masked_crc32c
from cogames_training.reports.tensorboard import EventWriter


def records(content: bytes) -> Iterator[bytes]:
    """Yield the messages of a file of records, after checking both checksums of each."""
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        message = content[12 : 12 + length]
        assert content[8:12] == masked_crc32c(content[:8])
        assert content[12 + length : 16 + length] == masked_crc32c(message)
        yield message
        content = content[16 + length :]


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield (number, value) of a protobuf message."""
    position = 0

    def varint() -> int:
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else varint()
        yield key >> 3, message[position : position + size]
        position += size


def scalars(path: Path) -> list[tuple[int, dict[str, float]]]:
    """Return (step, values) of the events with a summary."""
    found = []
    for message in records(path.read_bytes()):
        event = dict(fields(message))
        if 5 not in event:
            continue
        summary, step = event[5], event.get(2, 0)
        assert isinstance(summary, bytes) and isinstance(step, int)
        values = {}
        for number, part in fields(summary):
            assert number == 1 and isinstance(part, bytes)
            value = dict(fields(part))
            tag, content = value[1], value[2]
            assert isinstance(tag, bytes) and isinstance(content, bytes)
            values[tag.decode()] = struct.unpack("<f", content)[0]
        found.append((step, values))
    return found


@pytest.mark.parametrize(
    ("data", "value"),
    [(b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E)],
)
def test_checksums_are_those_of_the_standard(data: bytes, value: int) -> None:
    """The vectors of RFC 3720, appendix B.4."""
    assert crc32c(data) == value


def test_scalars_are_written_with_their_steps(tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "run", clock=lambda: 1.5)
    writer.add(0, {"SPS": 0.5})
    assert scalars(writer.path) == [(0, {"SPS": 0.5})]  # it is on disk at once
    writer.add(2**40, {"losses/policy_loss": -2.0, "größe": 3.0})
    writer.close()
    assert scalars(writer.path)[1] == (2**40, {"losses/policy_loss": -2.0, "größe": 3.0})
    first = dict(fields(next(records(writer.path.read_bytes()))))
    assert first == {1: struct.pack("<d", 1.5), 3: b"brain.Event:2"}
    assert writer.path.name.startswith("events.out.tfevents.")


def test_a_run_that_continues_hides_the_steps_after_its_checkpoint(tmp_path: Path) -> None:
    first = EventWriter(tmp_path, clock=lambda: 0.0)
    second = EventWriter(tmp_path, purge_step=7, clock=lambda: 0.0)
    first.close()
    second.close()
    assert first.path != second.path
    start = dict(fields(list(records(second.path.read_bytes()))[1]))
    assert start[2] == 7 and start[7] == bytes([1 << 3, 1])


@given(st.dictionaries(st.text(), st.floats(), max_size=3), st.integers(0, 2**62))
def test_any_value_can_be_written(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, float], step: int
) -> None:
    writer = EventWriter(tmp_path_factory.mktemp("events"))
    writer.add(step, values)
    writer.close()
    ((found_step, found),) = scalars(writer.path)
    assert found_step == step and found.keys() == values.keys()
    for name, value in values.items():
        limited = math.copysign(math.inf, value) if abs(value) > 3.4028235e38 else value
        assert math.isnan(found[name]) if math.isnan(value) else found[name] == pytest.approx(limited, 1e-6, 1e-40)
