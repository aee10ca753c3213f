"""Draw the map in plain numpy: walls, territory, objects and agents as simple shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from mettagrid.replay import Replay
from mettagrid.viewer._font import draw_text, text_width
from mettagrid.viewer._states import States

Colour = tuple[int, int, int]

GROUND: Colour = (23, 28, 33)
WALL: Colour = (50, 59, 69)
BAR: Colour = (15, 19, 23)
INK: Colour = (230, 235, 239)
NEUTRAL: Colour = (147, 160, 173)
OUTLINE: Colour = (10, 13, 16)
BAR_HEIGHT = 28

_NAMED: dict[str, Colour] = {
    "cogs": (63, 169, 201),
    "clips": (229, 96, 63),
    "red": (221, 85, 82),
    "blue": (79, 135, 228),
    "green": (87, 179, 106),
    "yellow": (224, 178, 58),
}
_OTHERS: list[Colour] = [(169, 120, 214), (98, 181, 106), (226, 179, 60), (91, 132, 230), (212, 105, 155)]
_RESOURCES: dict[str, Colour] = {
    "oxygen": (108, 199, 232),
    "carbon": (125, 135, 145),
    "germanium": (166, 120, 224),
    "silicon": (229, 149, 60),
}


def team_colour(name: str, position: int) -> Colour:
    """Return the viewer's colour of a team."""
    word = next((part for part in reversed(name.lower().replace("-", "_").split("_")) if part in _NAMED), None)
    return _NAMED[word] if word else _OTHERS[position % len(_OTHERS)]


class Raster:
    """Draws the states of one replay; `frame` returns uint8 [height, width, 3]."""

    def __init__(self, replay: Replay, *, size: int) -> None:
        width, height = replay.map_size
        self._scale = max(2, size // max(width, height, 1))
        self._map_shape = (height * self._scale, width * self._scale)
        even = [side + side % 2 for side in self._map_shape]  # encoders need even sizes
        self.width, self.height = max(even[1], 160), even[0] + BAR_HEIGHT
        self._last_tick = replay.last_tick
        self._states = States(replay)
        names = self._states.team_names
        self._colours = {tag: team_colour(name, position) for position, (tag, name) in enumerate(names.items())}
        self._floor = self._things = np.zeros((*self._map_shape, 3), np.uint8)

    def frame(self, tick: int) -> np.ndarray:
        """Draw a tick; ticks must not decrease from call to call."""
        states = self._states
        states.advance(tick)
        if states.changed_owners:
            self._floor = self._shaded()
        if states.changed_owners or states.changed_things:
            self._things = self._floor.copy()
            for number in np.flatnonzero(states.alive & ~states.is_agent).tolist():
                self._draw_thing(self._things, number)
        states.changed_owners = states.changed_things = False
        picture = self._things.copy()
        for number in np.flatnonzero(states.alive & states.is_agent).tolist():
            self._stamp(picture, number, "agent", self._colour(number))
        frame = np.full((self.height, self.width, 3), BAR, np.uint8)
        frame[: self._map_shape[0], : self._map_shape[1]] = picture
        self._draw_bar(frame[self.height - BAR_HEIGHT :], tick)
        return frame

    def _shaded(self) -> np.ndarray:
        owners = np.kron(self._states.owners, np.ones((self._scale, self._scale), np.int32))
        floor = np.full((*self._map_shape, 3), GROUND, np.uint8)
        for tag, colour in self._colours.items():
            is_owned = owners == tag
            floor[is_owned] = (0.8 * floor[is_owned] + 0.2 * np.array(colour)).astype(np.uint8)
        return floor

    def _draw_thing(self, picture: np.ndarray, number: int) -> None:
        kind = self._states.types[number]
        if kind == "wall":
            x, y = self._states.place[number] * self._scale
            picture[y : y + self._scale, x : x + self._scale] = WALL
        elif kind in ("hub", "ship"):
            self._stamp(picture, number, "hub", self._colour(number))
        elif kind == "junction":
            self._stamp(picture, number, "junction", self._colour(number))
        else:
            resource = kind.removesuffix("_extractor")
            self._stamp(picture, number, "thing", _RESOURCES.get(resource) or self._colour(number))

    def _colour(self, number: int) -> Colour:
        teams = self._states.teams[number]
        return self._colours[min(teams)] if teams else NEUTRAL

    def _stamp(self, picture: np.ndarray, number: int, shape: str, colour: Colour) -> None:
        fill, outline = _shape(shape, self._scale)
        middle = self._states.place[number] * self._scale + self._scale // 2
        half = fill.shape[0] // 2
        left, top = int(middle[0]) - half, int(middle[1]) - half
        x1, y1 = max(left, 0), max(top, 0)
        x2, y2 = min(left + fill.shape[1], picture.shape[1]), min(top + fill.shape[0], picture.shape[0])
        if x1 >= x2 or y1 >= y2:
            return
        part = picture[y1:y2, x1:x2]
        cut = np.s_[y1 - top : y2 - top, x1 - left : x2 - left]
        line = INK if shape == "agent" else OUTLINE
        for mask, paint in ((outline[cut], line), (fill[cut], colour)):
            part[:] = (part * (1 - mask[..., None]) + np.array(paint) * mask[..., None]).astype(np.uint8)

    def _draw_bar(self, bar: np.ndarray, tick: int) -> None:
        at = 8 + draw_text(bar, f"TICK {tick}/{self._last_tick}", 8, 8, INK) + 16
        for (name, count), colour in zip(self._states.held().items(), self._colours.values(), strict=True):
            text = f"{name.upper()} {count}"
            if at + text_width(text) > bar.shape[1]:
                break
            at += draw_text(bar, text, at, 8, colour) + 16


_SHAPES: dict[str, tuple[float, float, Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    # size in cells, smallest size in pixels, function whose value is 1 at the edge
    "agent": (1.2, 9, np.hypot),
    "hub": (1.6, 9, lambda x, y: np.maximum(np.abs(y), np.abs(x) * 0.866 + np.abs(y) * 0.5)),
    "junction": (1.05, 6, lambda x, y: np.abs(x) + np.abs(y)),
    "thing": (0.7, 2, lambda x, y: np.maximum(np.abs(x), np.abs(y))),
}


@cache
def _shape(name: str, scale: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (coverage of each pixel by the shape, the same for its outline), anti-aliased."""
    cells, minimum, distance = _SHAPES[name]
    radius = max(cells * scale, minimum) / 2
    line = 0.0 if name == "thing" else max(1.0, scale * 0.09)
    side = 2 * int(np.ceil(radius + line)) + 1
    fine = (np.arange(side * 4) + 0.5) / 4 - side / 2
    away = distance(fine[None, :] / radius, fine[:, None] / radius) * radius

    def coarse(inside: np.ndarray) -> np.ndarray:
        return inside.reshape(side, 4, side, 4).mean(axis=(1, 3))

    return coarse(away <= radius), coarse(away <= radius + line)
