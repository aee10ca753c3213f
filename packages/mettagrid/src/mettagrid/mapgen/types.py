"""The type of map grids."""

from mettagrid.map_builder.utils import MapGrid, map_grid_dtype

__all__ = ["MapGrid", "map_grid_dtype"]
