"""Areas: rectangles of a map, and how scenes choose among them."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.mapgen.types import MapGrid

__all__ = ["Area", "AreaQuery", "AreaWhere"]


@dataclass
class Area:
    """A rectangle of a grid, in the coordinates of that whole grid, with tags to be found by."""

    outer_grid: MapGrid
    x: int
    y: int
    width: int
    height: int
    tags: list[str] = field(default_factory=list)

    @property
    def grid(self) -> MapGrid:
        """The cells of the area; writing to them writes to the whole grid."""
        return self.outer_grid[self.y : self.y + self.height, self.x : self.x + self.width]

    @classmethod
    def root_area_from_grid(cls, grid: MapGrid) -> "Area":
        """The area that is the whole grid."""
        return cls(outer_grid=grid, x=0, y=0, width=grid.shape[1], height=grid.shape[0])

    def make_subarea(self, x: int, y: int, width: int, height: int, tags: list[str] | None = None) -> "Area":
        """A part of this area, in its coordinates; `ValueError` when it sticks out."""
        if x < 0 or y < 0 or width < 0 or height < 0 or x + width > self.width or y + height > self.height:
            raise ValueError(
                f"An area of {width} x {height} cells at column {x}, row {y} does not fit into one of "
                f"{self.width} x {self.height} cells."
            )
        return Area(self.outer_grid, self.x + x, self.y + y, width, height, tags=list(tags or []))

    def as_dict(self) -> dict[str, Any]:
        """Place, size and tags."""
        return {"x": self.x, "y": self.y, "width": self.width, "height": self.height, "tags": self.tags}

    def transplant_to_grid(self, grid: MapGrid, shift_x: int, shift_y: int, copy_grid: bool) -> None:
        """Make this an area of another grid, moved by the shift; with `copy_grid` its cells are copied there."""
        cells = self.grid
        self.outer_grid = grid
        self.x += shift_x
        self.y += shift_y
        if copy_grid:
            self.grid[:] = cells


class AreaWhere(Config):
    """Areas that have all these tags."""

    tags: list[str] = Field(default=[])


class AreaQuery(Config):
    """Which areas of a scene to take.

    `where` names all areas (`None`), the scene's whole area (`"full"`) or those with certain tags. Areas taken before
    under the same `lock` are left out. If more than `limit` remain, `order_by` says which: the first or last ones, of
    which `offset` are skipped, or random ones.
    """

    limit: int | None = None
    offset: int | None = None
    lock: str | None = None
    where: Literal["full"] | AreaWhere | None = None
    order_by: Literal["random", "first", "last"] = "random"
