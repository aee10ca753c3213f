"""Printing maps."""

from typing import Literal

from mettagrid.map_builder.map_builder import GameMap
from mettagrid.mapgen.utils.ascii_grid import grid_to_lines

ShowMode = Literal["ascii", "ascii_border"]


def show_game_map(game_map: GameMap, mode: ShowMode) -> None:
    """Print a map with the default characters, in a drawn frame with `ascii_border`."""
    if mode not in ("ascii", "ascii_border"):
        raise ValueError(f"The show mode is {mode!r}; it must be 'ascii' or 'ascii_border'.")
    print("\n".join(grid_to_lines(game_map.grid, border=mode == "ascii_border")))
