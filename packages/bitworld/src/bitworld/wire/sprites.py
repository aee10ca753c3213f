"""The sprite protocol, from the server: send each viewer the difference between two scenes, and read it back.

All numbers are little-endian. One WebSocket message holds any number of protocol messages, also none.
"""

import struct
from enum import IntEnum
from functools import lru_cache

from bitworld._native import snappy_compress, snappy_decompress
from bitworld.errors import BadMessage
from bitworld.fields import Fields
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite

__all__ = ["MAX_SPRITE_BYTES", "MessageType", "SceneReader", "SceneWriter"]

MAX_SPRITE_BYTES = 1 << 26
"""largest sprite that `SceneReader` accepts, in bytes of RGBA; 4096 x 4096 pixels"""
_ZOOMABLE, _UI = 1, 2


class MessageType(IntEnum):
    SPRITE = 1
    OBJECT = 2
    DELETE = 3
    CLEAR = 4
    VIEWPORT = 5
    LAYER = 6


_TYPE = struct.Struct("<B")
_SPRITE = struct.Struct("<HHHI")
_LENGTH = struct.Struct("<H")
_OBJECT = struct.Struct("<HhhhBH")
_ID = struct.Struct("<H")
_VIEWPORT = struct.Struct("<BHH")
_LAYER = struct.Struct("<BBB")


class SceneWriter:
    """What one viewer has received. `update` returns the messages that bring it to another scene."""

    def __init__(self) -> None:
        self._sent = Scene()
        self._sprites: dict[int, Sprite] = {}

    def update(self, scene: Scene) -> bytes:
        """Return the difference from the last scene: layers and sprites first, so that objects refer to known ones."""
        sent, parts = self._sent, []
        if sent.layers != scene.layers:
            parts += [_layer(n, layer) for n, layer in scene.layers.items() if sent.layers.get(n) != layer]
        for number, sprite in scene.sprites.items():
            known = self._sprites.get(number)
            if known is not sprite and known != sprite:
                parts.append(_sprite(number, sprite))
                self._sprites[number] = sprite
        if sent.objects and not scene.objects:
            parts.append(_TYPE.pack(MessageType.CLEAR))
        else:
            gone = [number for number in sent.objects if number not in scene.objects]
            parts += [_TYPE.pack(MessageType.DELETE) + _ID.pack(number) for number in gone]
        for number, item in scene.objects.items():
            shown = sent.objects.get(number)
            if shown is not item and shown != item:  # comparing objects costs more
                parts.append(_object(number, item))
        self._sent = scene
        return b"".join(parts)


class SceneReader:
    """What a viewer sees, from the messages of a server. Raises `BadMessage` for anything the protocol forbids.

    After an error the scene is undefined: close the connection.
    """

    def __init__(self) -> None:
        self._types: dict[int, tuple[LayerType, int]] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self._sprites: dict[int, Sprite] = {}
        self._objects: dict[int, Object] = {}

    @property
    def scene(self) -> Scene:
        return Scene(
            {
                number: Layer(kind, *self._sizes.get(number, (0, 0)), bool(flags & _ZOOMABLE), bool(flags & _UI))
                for number, (kind, flags) in self._types.items()
            },
            dict(self._sprites),
            dict(self._objects),
        )

    def feed(self, data: bytes) -> None:
        """Apply all messages of one WebSocket message."""
        fields = Fields(data, BadMessage)
        while not fields.is_done:
            begin = fields.offset
            (kind,) = fields.unpack(_TYPE)
            if kind == MessageType.SPRITE:
                self._read_sprite(fields, begin)
            elif kind == MessageType.OBJECT:
                number, x, y, z, layer, sprite = fields.unpack(_OBJECT)
                if layer not in self._types:
                    raise BadMessage(f"The object {number} at byte {begin} is on the unknown layer {layer}")
                self._objects[number] = Object(x, y, z, layer, sprite)
            elif kind == MessageType.DELETE:
                self._objects.pop(fields.unpack(_ID)[0], None)
            elif kind == MessageType.CLEAR:
                self._objects.clear()
            elif kind == MessageType.VIEWPORT:
                layer, width, height = fields.unpack(_VIEWPORT)
                if width == 0 or height == 0:
                    raise BadMessage(f"The viewport at byte {begin} has the size {width} x {height}")
                self._sizes[layer] = (width, height)
            elif kind == MessageType.LAYER:
                layer, type_number, flags = fields.unpack(_LAYER)
                if type_number > max(LayerType):
                    raise BadMessage(f"The layer at byte {begin} has the unknown type {type_number}")
                self._types[layer] = (LayerType(type_number), flags)
            else:
                raise BadMessage(f"The message at byte {begin} has the unknown type {kind:#04x}")

    def _read_sprite(self, fields: Fields, begin: int) -> None:
        number, width, height, length = fields.unpack(_SPRITE)
        size = width * height * 4
        if size > MAX_SPRITE_BYTES:
            raise BadMessage(f"The sprite {number} at byte {begin} is too large: {width} x {height}")
        try:
            rgba = snappy_decompress(fields.take(length), size)
        except ValueError as error:
            raise BadMessage(f"The pixels of sprite {number} at byte {begin} are damaged: {error}") from None
        (label_length,) = fields.unpack(_LENGTH)
        label = fields.text(label_length)
        self._sprites[number] = Sprite(width, height, rgba, label)


def _layer(number: int, layer: Layer) -> bytes:
    flags = _ZOOMABLE * layer.is_zoomable | _UI * layer.is_ui
    return (
        _TYPE.pack(MessageType.LAYER)
        + _LAYER.pack(number, layer.type, flags)
        + _TYPE.pack(MessageType.VIEWPORT)
        + _VIEWPORT.pack(number, layer.width, layer.height)
    )


@lru_cache(maxsize=2048)  # every viewer gets the same sprites
def _sprite(number: int, sprite: Sprite) -> bytes:
    pixels, label = snappy_compress(sprite.rgba), sprite.label.encode()
    head = _SPRITE.pack(number, sprite.width, sprite.height, len(pixels))
    return _TYPE.pack(MessageType.SPRITE) + head + pixels + _LENGTH.pack(len(label)) + label


def _object(number: int, item: Object) -> bytes:
    return _TYPE.pack(MessageType.OBJECT) + _OBJECT.pack(number, item.x, item.y, item.z, item.layer, item.sprite)
