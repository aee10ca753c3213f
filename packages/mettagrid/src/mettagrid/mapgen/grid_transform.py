"""The eight rotations and reflections of a rectangle."""

from mettagrid.base_config import ConfigStrEnum
from mettagrid.mapgen.types import MapGrid

__all__ = ["TRANSFORM_FLAGS", "GridTransform"]


class GridTransform(ConfigStrEnum):
    """A rotation (clockwise) or reflection of a grid."""

    IDENTITY = "identity"
    ROT_90 = "rot_90"
    ROT_180 = "rot_180"
    ROT_270 = "rot_270"
    FLIP_H = "flip_h"
    FLIP_V = "flip_v"
    TRANSPOSE = "transpose"
    TRANSPOSE_ALT = "transpose_alt"

    @property
    def transpose(self) -> bool:
        """Whether rows become columns, before the flips."""
        return TRANSFORM_FLAGS[self][0]

    @property
    def flip_v(self) -> bool:
        """Whether the order of rows is reversed."""
        return TRANSFORM_FLAGS[self][1]

    @property
    def flip_h(self) -> bool:
        """Whether the order of columns is reversed."""
        return TRANSFORM_FLAGS[self][2]

    def inverse(self) -> "GridTransform":
        """Return the inverse transform."""
        if self.transpose:
            return _BY_FLAGS[True, self.flip_h, self.flip_v]
        return self

    def apply(self, grid: MapGrid) -> MapGrid:
        """Return a transformed view of the grid: writing to it writes to the grid."""
        if self.transpose:
            grid = grid.T
        if self.flip_v:
            grid = grid[::-1, :]
        if self.flip_h:
            grid = grid[:, ::-1]
        return grid

    def apply_to_coords(self, grid: MapGrid, x: int, y: int) -> tuple[int, int]:
        """Return the position of the cell (x, y) of `grid` in the transformed grid."""
        height, width = grid.shape
        return self.apply_to_rectangle(width, height, (x, y, 1, 1))[:2]

    def apply_to_rectangle(
        self, width: int, height: int, rectangle: tuple[int, int, int, int]
    ) -> tuple[int, int, int, int]:
        """Return the position of a rectangle (x, y, width, height) of a grid of that size in the transformed grid."""
        x, y, across, down = rectangle
        if self.transpose:
            x, y, across, down, width, height = y, x, down, across, height, width
        if self.flip_v:
            y = height - y - down
        if self.flip_h:
            x = width - x - across
        return x, y, across, down

    def compose(self, other: "GridTransform") -> "GridTransform":
        """Return the composition of this transform followed by `other`."""
        transpose, flip_v, flip_h = TRANSFORM_FLAGS[self]
        if other.transpose:  # a transpose after flips is the transpose before the exchanged flips
            transpose, flip_v, flip_h = not transpose, flip_h, flip_v
        return _BY_FLAGS[transpose, flip_v != other.flip_v, flip_h != other.flip_h]


TRANSFORM_FLAGS: dict[GridTransform, tuple[bool, bool, bool]] = {
    GridTransform.IDENTITY: (False, False, False),
    GridTransform.ROT_90: (True, False, True),
    GridTransform.ROT_180: (False, True, True),
    GridTransform.ROT_270: (True, True, False),
    GridTransform.FLIP_H: (False, False, True),
    GridTransform.FLIP_V: (False, True, False),
    GridTransform.TRANSPOSE: (True, False, False),
    GridTransform.TRANSPOSE_ALT: (True, True, True),
}
"""Each transform as (transpose, flip_v, flip_h), done in this order."""

_BY_FLAGS = {flags: transform for transform, flags in TRANSFORM_FLAGS.items()}
