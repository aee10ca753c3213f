"""A scene as one small message: the objects and the labels of their sprites, without pixels.

A policy gets it as an observation of a fixed size. The bytes are those of the sprite protocol, except that sprites have
no pixels and only those that are shown are defined; a length in front, zeros behind.
"""

import struct

from bitworld.scene import Object, Scene, Sprite

__all__ = ["SCENE_BYTES", "pack_scene", "unpack_scene"]

SCENE_BYTES = 8192
"""size of an observation; a meeting with the longest chat needs about half of it"""
_SPRITE, _OBJECT = 1, 2
_LENGTH = struct.Struct("<H")
_SPRITE_HEAD = struct.Struct("<BHHHI")
_OBJECT_BODY = struct.Struct("<BHhhhBH")


def pack_scene(scene: Scene) -> bytes:
    """Return at most `SCENE_BYTES` bytes. Objects that do not fit are left out, those with the highest ids first."""
    parts = [b""]
    known: set[int] = set()
    room = SCENE_BYTES - _LENGTH.size
    for number in sorted(scene.objects):
        item = scene.objects[number]
        part = _OBJECT_BODY.pack(_OBJECT, number, item.x, item.y, item.z, item.layer, item.sprite)
        if item.sprite not in known:
            sprite = scene.sprites[item.sprite]
            label = sprite.label.encode()
            head = _SPRITE_HEAD.pack(_SPRITE, item.sprite, sprite.width, sprite.height, 0)
            part = head + _LENGTH.pack(len(label)) + label + part
        if len(part) > room:
            break
        known.add(item.sprite)
        room -= len(part)
        parts.append(part)
    body = b"".join(parts)
    return _LENGTH.pack(len(body)) + body


def unpack_scene(data: bytes) -> Scene:
    """Return the scene of a message; its sprites have no pixels. Bytes after the message are ignored."""
    (length,) = _LENGTH.unpack_from(data)
    at, end = _LENGTH.size, _LENGTH.size + length
    sprites: dict[int, Sprite] = {}
    objects: dict[int, Object] = {}
    while at < end:
        if data[at] == _SPRITE:
            _, number, width, height, _ = _SPRITE_HEAD.unpack_from(data, at)
            at += _SPRITE_HEAD.size
            (size,) = _LENGTH.unpack_from(data, at)
            at += _LENGTH.size
            sprites[number] = Sprite(width, height, b"", data[at : at + size].decode("utf-8", "replace"))
            at += size
        else:
            _, number, x, y, z, layer, sprite = _OBJECT_BODY.unpack_from(data, at)
            objects[number] = Object(x, y, z, layer, sprite)
            at += _OBJECT_BODY.size
    return Scene(sprites=sprites, objects=objects)
