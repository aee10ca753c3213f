"""Images that pictures and scenes share. Each has an id on the wire for as long as it exists."""

from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import count
from weakref import WeakValueDictionary

import numpy as np

from bitworld import canvas, scene
from bitworld.canvas import CLEAR, FONT_HEIGHT, Sprite, read_sprites
from bitworld.picture import PALETTE, SHADOW, SLOT_COLOURS

__all__ = ["Image", "block", "load_images", "text_image"]

_RGBA = np.zeros((256, 4), np.uint8)
_RGBA[: len(PALETTE)] = [(*bytes.fromhex(colour[1:]), 255) for colour in PALETTE]

_MAX_ID = 0xFFFF
_ids: WeakValueDictionary[int, "Image"] = WeakValueDictionary()
_candidates = count()


class Image:
    """Pixels that do not change. Make each image once and keep it: viewers receive it once."""

    def __init__(self, pixels: Sprite, label: str = "") -> None:
        self.pixels = pixels
        self.label = label
        self.id = _unused_id()
        _ids[self.id] = self

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @cached_property
    def sprite(self) -> scene.Sprite:
        """The image in true colours, for scenes."""
        return scene.Sprite(self.width, self.height, _RGBA[self.pixels].tobytes(), self.label)

    @cached_property
    def flipped(self) -> "Image":
        return Image(np.ascontiguousarray(self.pixels[:, ::-1]), self.label)

    def for_slot(self, slot: int) -> "Image":
        """Return the image in the colour of a player: colour 3 becomes the player's, 9 its shadow."""
        if slot not in self._by_slot:
            colour = SLOT_COLOURS[slot]
            self._by_slot[slot] = _recolour(self, {3: colour, 9: SHADOW[colour]})
        return self._by_slot[slot]

    @cached_property
    def _by_slot(self) -> "dict[int, Image]":
        return {}


def load_images(package: str, name: str = "sprites.txt") -> dict[str, Image]:
    """Return the images of a text file in a package; see `bitworld.canvas.read_sprites` for its format."""
    text = files(package).joinpath(name).read_text(encoding="ascii")
    return {label: Image(pixels, label) for label, pixels in read_sprites(text).items()}


@lru_cache(maxsize=4096)
def text_image(text: str, colour: int, outline: int | None = 0) -> Image:
    """Return a line of text, with an outline of one pixel that keeps it legible on any ground."""
    pixels = np.full((FONT_HEIGHT + 2, max(canvas.text_width(text), 0) + 2), CLEAR, np.uint8)
    if outline is not None:
        for dx, dy in ((0, 1), (2, 1), (1, 0), (1, 2)):
            canvas.draw_text(pixels, dx, dy, text, outline)
    canvas.draw_text(pixels, 1, 1, text, colour)
    return Image(pixels, text)


@cache
def block(width: int, height: int, colour: int) -> Image:
    """Return a rectangle of one colour."""
    return Image(np.full((height, width), colour, np.uint8))


def _unused_id() -> int:
    for _ in range(_MAX_ID):
        number = 1 + next(_candidates) % _MAX_ID
        if number not in _ids:
            return number
    raise RuntimeError(f"more than {_MAX_ID} images exist")


def _recolour(image: Image, colours: dict[int, int]) -> Image:
    table = np.arange(256, dtype=np.uint8)
    table[list(colours)] = list(colours.values())
    return Image(table[image.pixels], image.label)
