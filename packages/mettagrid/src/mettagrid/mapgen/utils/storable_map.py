"""A map with metadata about its generation, in a form that can be saved."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypedDict

from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.types import MapGrid
from mettagrid.mapgen.utils.ascii_grid import default_char_to_name, grid_to_lines


class FrontmatterDict(TypedDict):
    """The metadata of a map."""

    metadata: dict[str, Any]
    config: dict[str, Any]
    scene_tree: dict[str, Any] | None
    char_to_name: dict[str, str]


class StorableMapDict(TypedDict):
    """A map as text, and its metadata."""

    frontmatter: FrontmatterDict
    data: str


@dataclass
class StorableMap:
    """A map, the time and duration of its generation, its configuration and its tree of scenes."""

    grid: MapGrid
    metadata: dict[str, Any]
    config: MapBuilderConfig[Any]
    scene_tree: dict[str, Any] | None = None
    char_to_name: dict[str, str] = field(default_factory=default_char_to_name)

    def width(self) -> int:
        """Return the number of columns."""
        return int(self.grid.shape[1])

    def height(self) -> int:
        """Return the number of rows."""
        return int(self.grid.shape[0])

    @property
    def name_to_char(self) -> dict[str, str]:
        """The inverse legend; the last character of a name wins."""
        return {name: char for char, name in self.char_to_name.items()}

    @staticmethod
    def from_cfg(cfg: MapBuilderConfig[Any]) -> "StorableMap":
        """Build a map. Names that the default legend does not have get a free character each."""
        start = time.time()
        builder = cfg.create()
        grid = builder.build().grid
        metadata = {"gen_time": time.time() - start, "timestamp": datetime.now().isoformat()}
        tree = builder.get_scene_tree() if isinstance(builder, MapGen) else None
        return StorableMap(grid, metadata, cfg, tree, _legend_for(grid))

    def to_dict(self) -> StorableMapDict:
        """Return the map as plain data: `frontmatter` and the drawing under `data`."""
        return {
            "frontmatter": {
                "metadata": self.metadata,
                "config": self.config.model_dump(),
                "scene_tree": self.scene_tree,
                "char_to_name": self.char_to_name,
            },
            "data": "\n".join(grid_to_lines(self.grid, self.name_to_char)),
        }


def _legend_for(grid: MapGrid) -> dict[str, str]:
    """Return the default legend and, for every other name on the map, an unused character."""
    legend = default_char_to_name()
    for name in sorted({str(name) for name in grid.ravel()} - set(legend.values())):
        candidates = [char for char in name.replace(".", "").replace("_", "") + _SPARE if char not in legend]
        if not candidates:
            raise ValueError(f"The map has more kinds of cells than there are characters; {name!r} got none.")
        legend[candidates[0]] = name
    return legend


_SPARE = "".join(chr(code) for code in range(33, 127)) + "".join(chr(code) for code in range(0x3B1, 0x3CA))
