"""Observations from the sprite stream equal those of the published adapter, message for message."""

import copy
import gzip
import hashlib
import itertools
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from mettagrid import bitworld_sprite_player as sprite_player
from mettagrid.bitworld_sprite_player import SpritePlayerObservationAdapter, snappy_decompress

# SHA-256 of the published adapter's observations for the recorded streams, one after the other.
LIVE = "39add6313cc39648d7017a9b20518a1b5c57757ed46944ebab533ce4d0b84fa2"
HEADLESS = "3d35efe6e43f453240cc7fb091181137ce0aebbe0c287ec79d9e4e71105754b3"


def digest(messages: list[bytes]) -> str:
    adapter, sha = SpritePlayerObservationAdapter(), hashlib.sha256()
    for message in messages:
        adapter.apply_packet(message)
        sha.update(adapter.observation().tobytes())
    return sha.hexdigest()


def test_observations_of_a_recorded_stream_equal_the_published_ones(oracle_dir: Path) -> None:
    recorded = np.load(oracle_dir / "bitworld" / "wire" / "live_player2_p3.npz")
    data, offsets = recorded["data"].tobytes(), recorded["offsets"]
    assert digest([data[begin:end] for begin, end in itertools.pairwise(offsets)]) == LIVE


def test_observations_of_a_whole_meeting_equal_the_published_ones(oracle_dir: Path) -> None:
    data = gzip.decompress((oracle_dir / "bitworld" / "wire" / "headless_g01_player2.bin.gz").read_bytes())
    messages, at = [], 0
    while at < len(data):
        _, _, size = struct.unpack_from("<III", data, at)
        messages.append(data[at + 12 : at + 12 + size])
        at += 12 + size
    assert digest(messages) == HEADLESS


def test_a_truncated_message_changes_only_what_came_before_it(oracle_dir: Path) -> None:
    recorded = np.load(oracle_dir / "bitworld" / "wire" / "live_player2_p3.npz")
    data, offsets = recorded["data"].tobytes(), recorded["offsets"]
    whole = SpritePlayerObservationAdapter()
    for index in range(2):
        whole.apply_packet(data[offsets[index] : offsets[index + 1]])
    last = data[offsets[1] : offsets[2]]
    begun = SpritePlayerObservationAdapter()
    begun.apply_packet(data[: offsets[1]])
    for end in range(len(last)):
        cut = copy.deepcopy(begun)
        cut.apply_packet(last[:end])
        assert cut.objects.keys() <= whole.objects.keys()


@pytest.mark.parametrize(
    ("compressed", "expected"),
    [(b"\x03\x08abc", b"abc"), (b"\x08\x08abc\x05\x03", b"abcabcab"), (b"\x05\x00x\x00\x09\x02", None), (b"", None)],
)
def test_snappy_is_read_or_refused(compressed: bytes, expected: bytes | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match="snappy"):
            snappy_decompress(compressed)
    else:
        assert snappy_decompress(compressed) == expected


def test_buttons_and_chat_are_packed_for_the_sprite_stream() -> None:
    assert sprite_player.pack_sprite_player_input_packet(0x25) == b"\x84\x25"
    assert sprite_player.unpack_sprite_player_input_packet(b"\x84\xff") == 127
    assert sprite_player.pack_sprite_player_chat_packet("hi") == b"\x81\x02\x00hi"
    for call, value in (
        (sprite_player.pack_sprite_player_input_packet, 128),
        (sprite_player.unpack_sprite_player_input_packet, b"\x81\x00"),
        (sprite_player.pack_sprite_player_chat_packet, "é"),
        (sprite_player.pack_sprite_player_chat_packet, ""),
    ):
        with pytest.raises(ValueError, match="sprite_player"):
            call(value)


def test_a_palette_image_is_read_from_the_given_folder(tmp_path: Path) -> None:
    colours = [(n, 2 * n, 3 * n, 255) for n in range(16)]
    header = struct.pack(">IIBBBBB", 16, 1, 8, 6, 0, 0, 0)
    rows = zlib.compress(b"\0" + b"".join(bytes(colour) for colour in colours))
    chunks = [(b"IHDR", header), (b"IDAT", rows), (b"IEND", b"")]
    png = b"".join(struct.pack(">I", len(data)) + kind + data + bytes(4) for kind, data in chunks)
    (tmp_path / "pallete.png").write_bytes(b"\x89PNG\r\n\x1a\n" + png)
    lookup = sprite_player.load_palette_lookup(tmp_path)
    assert lookup == {colour: index for index, colour in enumerate(colours)}
    assert len(sprite_player.load_palette_lookup(tmp_path / "missing")) == 16
