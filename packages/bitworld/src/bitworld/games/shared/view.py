"""What a player or spectator sees, as values. The picture and the scene are made from the same view."""

from dataclasses import dataclass, field
from typing import NamedTuple

from bitworld.canvas import draw_sprite
from bitworld.games.shared.image import Image, block, text_image
from bitworld.picture import SIDE, Picture
from bitworld.scene import Layer, LayerType, Object, Scene

__all__ = ["Thing", "View"]

_MAP_LAYER, _SCREEN_LAYER = 0, 1
_FIRST_SCREEN_OBJECT = 40_000


class Thing(NamedTuple):
    """An image at a place; (x, y) is its top-left corner."""

    image: Image
    x: int
    y: int
    z: int = 0


@dataclass
class View:
    """The map, seen by a camera, and what lies over it on the screen."""

    width: int
    height: int
    focus: tuple[int, int]
    """the pixel of the map that is in the middle of the picture"""
    backdrop: int = 0
    """the colour outside the map"""
    things: list[Thing] = field(default_factory=list)
    """on the map; drawn in order of z, then of their lower edge"""
    screen: list[Thing] = field(default_factory=list)
    """over the map, with the coordinates of the picture; drawn in this order"""

    def add(self, image: Image, x: int, y: int, z: int = 0) -> None:
        """Put an image on the map."""
        self.things.append(Thing(image, x, y, z))

    def show(self, image: Image, x: int, y: int) -> None:
        """Put an image over the map."""
        self.screen.append(Thing(image, x, y))

    def write(self, text: str, x: int, y: int, colour: int = 2) -> None:
        """Write a line of text over the map."""
        self.show(text_image(text, colour), x, y)

    def write_centred(self, text: str, y: int, colour: int = 2) -> None:
        image = text_image(text, colour)
        self.show(image, (SIDE - image.width) // 2, y)

    def write_right(self, text: str, x: int, y: int, colour: int = 2) -> None:
        """Write a line of text that ends before x."""
        image = text_image(text, colour)
        self.show(image, x - image.width, y)

    def bar(self, x: int, y: int, width: int, value: int, most: int, colour: int) -> None:
        """Show a value as a bar, 3 pixels high inside a black frame."""
        self.show(block(width + 2, 5, 0), x, y)
        filled = width * min(value, most) // most
        if filled > 0:
            self.show(block(filled, 3, colour), x + 1, y + 1)

    @property
    def corner(self) -> tuple[int, int]:
        """The pixel of the map in the top-left corner of the picture. A large map fills the whole picture."""
        x, y = (
            min(max(middle - SIDE // 2, 0), length - SIDE) if length >= SIDE else middle - SIDE // 2
            for middle, length in zip(self.focus, (self.width, self.height), strict=True)
        )
        return x, y

    def draw(self, out: Picture) -> None:
        left, top = self.corner
        out[:] = self.backdrop
        visible = (
            thing
            for thing in self.things
            if -thing.image.width < thing.x - left < SIDE and -thing.image.height < thing.y - top < SIDE
        )
        for thing in sorted(visible, key=_draw_order):
            draw_sprite(out, thing.image.pixels, thing.x - left, thing.y - top)
        for thing in self.screen:
            draw_sprite(out, thing.image.pixels, thing.x, thing.y)

    def scene(self) -> Scene:
        layers = {
            _MAP_LAYER: Layer(LayerType.MAP, self.width, self.height, is_zoomable=True),
            _SCREEN_LAYER: Layer(LayerType.TOP_LEFT, SIDE, SIDE, is_ui=True),
        }
        everything = {
            **dict(enumerate(self.things, 1)),
            **dict(enumerate(self.screen, _FIRST_SCREEN_OBJECT)),
        }
        objects = {
            number: Object(thing.x, thing.y, thing.z, _MAP_LAYER, thing.image.id)
            if number < _FIRST_SCREEN_OBJECT
            else Object(thing.x, thing.y, number - _FIRST_SCREEN_OBJECT, _SCREEN_LAYER, thing.image.id)
            for number, thing in everything.items()
        }
        sprites = {thing.image.id: thing.image.sprite for thing in everything.values()}
        return Scene(layers, sprites, objects)


def _draw_order(thing: Thing) -> tuple[int, int]:
    return thing.z, thing.y + thing.image.height
