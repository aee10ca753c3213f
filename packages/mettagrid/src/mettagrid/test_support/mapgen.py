"""Render scenes and compare grids with drawings."""

from __future__ import annotations

from typing import Any

import numpy as np

from mettagrid.mapgen.area import Area
from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.types import MapGrid
from mettagrid.mapgen.utils.ascii_grid import add_pretty_border, char_grid_to_lines, create_grid, grid_to_lines
from mettagrid.mapgen.utils.components import reachable_from

__all__ = ["assert_connected", "assert_grid_map", "assert_raw_grid", "is_connected", "render_scene"]


def render_scene(scene_cfg: SceneConfig, shape: tuple[int, int]) -> Scene[Any]:
    """Render a scene and its children on an empty grid of (height, width) cells and return the scene."""
    scene = scene_cfg.create_root(Area.root_area_from_grid(create_grid(*shape)))
    scene.render_with_children()
    return scene


def assert_grid_map(scene: Scene[Any], ascii_grid: str, char_to_name: dict[str, str] | None = None) -> None:
    """Fail unless the scene's grid looks like the drawing; `char_to_name` replaces the default legend."""
    # If several characters mean one name, the first one draws it.
    name_to_char = None if char_to_name is None else {name: char for char, name in reversed(char_to_name.items())}
    assert_raw_grid(scene.grid, ascii_grid, name_to_char)


def assert_raw_grid(grid: MapGrid, ascii_grid: str, name_to_char: dict[str, str] | None = None) -> None:
    """Fail unless the grid looks like the drawing; `name_to_char` replaces the default legend."""
    expected, _, _ = char_grid_to_lines(ascii_grid)
    actual = grid_to_lines(grid, name_to_char)
    if actual != expected:
        drawings = ["EXPECTED:", *add_pretty_border(expected), "", "ACTUAL:", *add_pretty_border(actual)]
        raise AssertionError("\n".join(["Grid does not match expected:", *drawings]))


def assert_connected(grid: MapGrid, name_to_char: dict[str, str] | None = None) -> None:
    """Fail unless `is_connected`; `name_to_char` is the legend for the message."""
    if not is_connected(grid):
        raise AssertionError("\n".join(["Grid is not connected:", *grid_to_lines(grid, name_to_char, border=True)]))


def is_connected(grid: MapGrid) -> bool:
    """Return whether all empty cells and agents reach each other in steps to the four sides."""
    free = (grid == "empty") | np.char.startswith(grid, "agent")
    start = np.zeros_like(free)
    start.flat[int(free.argmax())] = True
    return bool((reachable_from(start, free) == free).all())
