"""Areas: rectangles of a map, and how scenes choose among them."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.mapgen.types import MapGrid

__all__ = ["Area", "AreaQuery", "AreaWhere"]


@dataclass
class Area:
    """A rectangle of a grid, in the coordinates of the whole grid, with tags."""

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
        """Return the area that is the whole grid."""
        return cls(outer_grid=grid, x=0, y=0, width=grid.shape[1], height=grid.shape[0])

    def make_subarea(self, x: int, y: int, width: int, height: int, tags: list[str] | None = None) -> "Area":
        """Return a part of this area, in its coordinates; raises `ValueError` if it does not fit."""
        if x < 0 or y < 0 or width < 0 or height < 0 or x + width > self.width or y + height > self.height:
            raise ValueError(
                f"An area of {width} x {height} cells at column {x}, row {y} does not fit into one of "
                f"{self.width} x {self.height} cells."
            )
        return Area(self.outer_grid, self.x + x, self.y + y, width, height, tags=list(tags or []))

    def as_dict(self) -> dict[str, Any]:
        """Return position, size and tags."""
        return {"x": self.x, "y": self.y, "width": self.width, "height": self.height, "tags": self.tags}

    def transplant_to_grid(self, grid: MapGrid, shift_x: int, shift_y: int, copy_grid: bool) -> None:
        """Move this area to another grid, by the shift; with `copy_grid` its cells are copied there."""
        cells = self.grid
        self.outer_grid = grid
        self.x += shift_x
        self.y += shift_y
        if copy_grid:
            self.grid[:] = cells


class AreaWhere(Config):
    """Areas with all these tags."""

    tags: list[str] = Field(default=[])


class AreaQuery(Config):
    """Selects areas of a scene.

    `where` means all areas (`None`), the scene's whole area (`"full"`) or those with certain tags. Areas that were
    selected before under the same `lock` are skipped. If more than `limit` remain, `order_by` decides: the first or
    last ones, after skipping `offset`, or random ones.
    """

    limit: int | None = None
    offset: int | None = None
    lock: str | None = None
    where: Literal["full"] | AreaWhere | None = None
    order_by: Literal["random", "first", "last"] = "random"
