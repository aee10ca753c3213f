"""A viewer that applies the messages of a server has the server's scene, and notices damaged messages."""

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from bitworld._native import snappy_compress, snappy_decompress
from hypothesis import given, settings
from hypothesis import strategies as st

from bitworld.errors import BadMessage
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite
from bitworld.wire.sprites import SceneReader, SceneWriter

PIXELS = [bytes((red, 0, 0, 255)) * 6 for red in range(4)]
LAYERS = st.builds(
    Layer, st.sampled_from(LayerType), st.integers(1, 65535), st.integers(1, 9), st.booleans(), st.booleans()
)
SPRITES = st.builds(lambda rgba, label: Sprite(3, 2, rgba, label), st.sampled_from(PIXELS), st.text(max_size=5))
OBJECTS = st.builds(
    Object, st.integers(-32768, 32767), st.integers(-5, 5), st.integers(-5, 5), st.just(0), st.integers(0, 65535)
)
SCENES = st.builds(
    lambda layers, layer, sprites, objects: Scene({**layers, 0: layer}, sprites, objects),
    st.dictionaries(st.integers(1, 5), LAYERS, max_size=2),
    LAYERS,
    st.dictionaries(st.integers(0, 65535), SPRITES, max_size=4),
    st.dictionaries(st.integers(0, 65535), OBJECTS, max_size=4),
)


@given(st.lists(SCENES, min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_viewer_always_has_the_scene_of_the_server(scenes: list[Scene]) -> None:
    writer, reader = SceneWriter(), SceneReader()
    layers: dict[int, Layer] = {}
    for scene in scenes:
        reader.feed(writer.update(scene))
        layers |= scene.layers  # the protocol cannot remove layers and sprites
        assert reader.scene.layers == layers
        assert reader.scene.objects == scene.objects
        assert scene.sprites.items() <= reader.scene.sprites.items()


def test_an_unchanged_scene_needs_no_message() -> None:
    scene = Scene({0: Layer(LayerType.MAP, 9, 9)}, {1: Sprite(1, 1, b"abcd")}, {1: Object(0, 0, 0, 0, 1)})
    writer = SceneWriter()
    assert writer.update(scene) != b""
    assert writer.update(scene) == b""


LAYER = bytes((6, 0, 0, 0))
SPRITE = struct.pack("<BHHHI", 1, 7, 1, 1, 6) + snappy_compress(b"abcd") + struct.pack("<H", 2) + b"me"
OBJECT = struct.pack("<BHhhhBH", 2, 7, 1, 2, 3, 0, 7)


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (b"\x07", "unknown type 0x07"),
        (b"\x00", "unknown type 0x00"),
        (bytes((6, 0, 9, 0)), "unknown type 9"),
        (struct.pack("<BBHH", 5, 0, 0, 4), "size 0 x 4"),
        (struct.pack("<BBHH", 5, 0, 4, 0), "size 4 x 0"),
        (OBJECT, "unknown layer 0"),
        (struct.pack("<BHHHI", 1, 7, 1, 1, 3) + b"\x04\x0cx" + b"\0\0", "truncated"),
        (struct.pack("<BHHHI", 1, 7, 1, 2, 6) + snappy_compress(b"abcd") + b"\0\0", "4 bytes instead of 8"),
        (struct.pack("<BHHHI", 1, 7, 65535, 65535, 0) + b"\0\0", "too large"),
        (struct.pack("<BHHHI", 1, 7, 1, 1, 4) + b"\x04\x0e\x01\x00" + b"\0\0", "begins before"),
        (SPRITE[:-2] + b"\xff\xff", "not UTF-8"),
    ],
)
def test_a_forbidden_message_is_refused(message: bytes, says: str) -> None:
    with pytest.raises(BadMessage, match=says):
        SceneReader().feed(message)


def test_every_truncation_inside_a_message_is_refused() -> None:
    whole = LAYER + SPRITE + OBJECT
    ends = {0, len(LAYER), len(LAYER + SPRITE), len(whole)}
    SceneReader().feed(whole)
    for length in set(range(len(whole))) - ends:
        with pytest.raises(BadMessage, match=r"Truncated|damaged"):
            SceneReader().feed(whole[:length])


def test_deleting_an_unknown_object_does_nothing() -> None:
    reader = SceneReader()
    reader.feed(struct.pack("<BH", 3, 99) + b"\x04")
    assert not reader.scene.objects


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        SceneReader().feed(LAYER + data)
    except BadMessage as error:
        assert str(error)


@given(st.one_of(st.binary(max_size=400), st.lists(st.sampled_from([b"abcd", b"efgh" * 20, b"x"])).map(b"".join)))
def test_snappy_returns_what_it_was_given(content: bytes) -> None:
    assert snappy_decompress(snappy_compress(content), len(content)) == content


def test_snappy_compresses_large_images() -> None:
    content = np.random.default_rng(1).integers(0, 4, 40_000, np.uint8).repeat(8).tobytes() * 2
    stream = snappy_compress(content)
    assert snappy_decompress(stream, len(content)) == content
    assert len(stream) < len(content) / 2


def test_the_messages_of_the_published_server_are_read(oracle_dir: Path) -> None:
    for name in ("live_global_start", "live_global_late", "live_player2_p3", "live_probe_spectator_player2"):
        recorded = np.load(oracle_dir / "bitworld" / "wire" / f"{name}.npz")
        reader, data, offsets = SceneReader(), recorded["data"].tobytes(), recorded["offsets"]
        for begin, end in pairwise(offsets):
            reader.feed(data[begin:end])
        assert reader.scene.layers and reader.scene.sprites and reader.scene.objects
