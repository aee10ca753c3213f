"""Read the messages of the sprite stream: which sprites exist, and which objects are shown."""

import struct
from dataclasses import dataclass

import numpy as np

_SPRITE, _OBJECT, _DELETE, _CLEAR, _VIEWPORT, _LAYER = range(1, 7)
_SPRITE_HEAD = struct.Struct("<HHHI")
_OBJECT_BODY = struct.Struct("<HhhhBH")
_BODY_BYTES = {_OBJECT: _OBJECT_BODY.size, _DELETE: 2, _CLEAR: 0, _VIEWPORT: 5, _LAYER: 3}


@dataclass
class SpritePlayerSpriteInfo:
    """An image of the stream; `kind` and the rest come from its label."""

    width: int
    height: int
    label: str
    kind: str
    color_index: int = -1
    flip_h: bool = False
    pixels: np.ndarray | None = None
    """colour indexes [height, width], of the map alone"""


@dataclass
class SpritePlayerObjectInfo:
    """A sprite on the screen."""

    x: int
    y: int
    z: int
    layer: int
    sprite_id: int


@dataclass(frozen=True)
class RawSprite:
    """A definition of a sprite, still compressed."""

    sprite_id: int
    width: int
    height: int
    compressed: bytes
    label: str


def read_u16(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 2], "little")


def read_i16(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 2], "little", signed=True)


def read_u32(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "little")


def read_sprite(packet: bytes, at: int) -> tuple[RawSprite, int] | None:
    """Return the sprite whose definition begins at an offset, and the offset after it; None if it is truncated."""
    if at + _SPRITE_HEAD.size > len(packet):
        return None
    sprite_id, width, height, size = _SPRITE_HEAD.unpack_from(packet, at)
    label_at = at + _SPRITE_HEAD.size + size + 2
    if label_at > len(packet):
        return None
    end = label_at + read_u16(packet, label_at - 2)
    if end > len(packet):
        return None
    label = packet[label_at:end].decode("utf-8", "replace")
    return RawSprite(sprite_id, width, height, packet[label_at - 2 - size : label_at - 2], label), end


class ObjectTable:
    """The objects that are shown now."""

    def __init__(self) -> None:
        self.objects: dict[int, SpritePlayerObjectInfo] = {}

    def apply(self, kind: int, packet: bytes, at: int) -> int | None:
        """Apply a message other than a sprite; return the offset after it, or None if it is truncated or unknown."""
        size = _BODY_BYTES.get(kind)
        if size is None or at + size > len(packet):
            return None
        if kind == _OBJECT:
            number, x, y, z, layer, sprite = _OBJECT_BODY.unpack_from(packet, at)
            self.objects[number] = SpritePlayerObjectInfo(x, y, z, layer, sprite)
        elif kind == _DELETE:
            self.objects.pop(read_u16(packet, at), None)
        elif kind == _CLEAR:
            self.objects.clear()
        return at + size


def is_sprite(kind: int) -> bool:
    return kind == _SPRITE


def changes_picture(kind: int) -> bool:
    """Return whether a message changes what is shown, unlike viewports and layers."""
    return kind in (_SPRITE, _OBJECT, _DELETE, _CLEAR)
