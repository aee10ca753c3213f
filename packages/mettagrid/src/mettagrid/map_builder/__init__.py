"""Map builders, which turn a configuration into a grid of cell names."""

from typing import Any

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig

__all__ = ["GameMap", "MapBuilder", "MapBuilderConfig", "MapGrid"]


def __getattr__(name: str) -> Any:
    if name == "MapGrid":  # needs numpy, which configurations do not import
        from mettagrid.map_builder.utils import MapGrid

        return MapGrid
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
