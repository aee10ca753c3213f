"""Map builders: from a configuration to a grid of cell names."""

from typing import Any

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig

__all__ = ["GameMap", "MapBuilder", "MapBuilderConfig", "MapGrid"]


def __getattr__(name: str) -> Any:
    if name == "MapGrid":  # needs numpy, which configurations do without
        from mettagrid.map_builder.utils import MapGrid

        return MapGrid
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
