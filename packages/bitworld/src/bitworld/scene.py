"""What a map viewer shows, as values: layers, sprites, objects. `bitworld.wire.sprites` sends the changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

__all__ = ["Layer", "LayerType", "Object", "Scene", "Sprite"]


class LayerType(IntEnum):
    """Where a layer is on the screen of the viewer."""

    MAP = 0
    TOP_LEFT = 1
    TOP_RIGHT = 2
    BOTTOM_RIGHT = 3
    BOTTOM_LEFT = 4
    CENTRE_TOP = 5
    CENTRE_RIGHT = 6
    CENTRE_LEFT = 7
    CENTRE_BOTTOM = 8


@dataclass(frozen=True, slots=True)
class Layer:
    type: LayerType
    width: int
    height: int
    is_zoomable: bool = False
    is_ui: bool = False


@dataclass(frozen=True, slots=True)
class Sprite:
    """An image. Sprites compare by identity of their pixels: make each one once and keep it."""

    width: int
    height: int
    rgba: bytes
    label: str = ""


@dataclass(frozen=True, slots=True)
class Object:
    """A sprite at a place of a layer; drawn in order of z, then y, then id."""

    x: int
    y: int
    z: int
    layer: int
    sprite: int


@dataclass(frozen=True, slots=True)
class Scene:
    layers: Mapping[int, Layer] = field(default_factory=dict)
    sprites: Mapping[int, Sprite] = field(default_factory=dict)
    objects: Mapping[int, Object] = field(default_factory=dict)
