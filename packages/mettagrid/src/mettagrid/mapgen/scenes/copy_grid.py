"""A scene that copies a finished grid."""

from typing import Any

from pydantic import ConfigDict, Field

from mettagrid.mapgen.scene import Scene, SceneConfig


class CopyGridConfig(SceneConfig):
    """`grid` is not saved: this scene exists while a map is generated."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    grid: Any = Field(exclude=True)


class CopyGrid(Scene[CopyGridConfig]):
    """Copies a grid of the size of its area."""

    def render(self) -> None:
        if self.config.grid.shape != self.grid.shape:
            rows, columns = self.config.grid.shape
            raise ValueError(
                f"The grid to copy has {rows} rows and {columns} columns; the area has {self.height} and {self.width}."
            )
        self.grid[:] = self.config.grid
