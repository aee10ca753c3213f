"""Convert grids of cell names to text and back."""

from typing import Any

from mettagrid.map_builder.utils import MapGrid, create_grid
from mettagrid.mapgen.utils.ascii_legend import (
    DEFAULT_CHAR_TO_NAME,
    GLOBAL_DEFAULT_MAPPINGS,
    default_char_to_name,
    merge_with_global_defaults,
)

__all__ = [
    "DEFAULT_CHAR_TO_NAME",
    "GLOBAL_DEFAULT_MAPPINGS",
    "MapGrid",
    "add_pretty_border",
    "char_grid_to_lines",
    "create_grid",
    "default_char_to_name",
    "grid_to_lines",
    "lines_to_grid",
    "merge_with_global_defaults",
    "print_grid",
]


def grid_to_lines(grid: MapGrid, name_to_char: dict[str, str] | None = None, border: bool = False) -> list[str]:
    """Return one line of text per row. A name without a character is drawn as its first letter."""
    if name_to_char is None:
        name_to_char = {name: char for char, name in DEFAULT_CHAR_TO_NAME.items()}
    lines = ["".join(name_to_char.get(str(name), str(name)[:1]) for name in row) for row in _rows(grid)]
    return add_pretty_border(lines) if border else lines


def lines_to_grid(lines: list[str], char_to_name: dict[str, str]) -> MapGrid:
    """Return the grid that the lines draw. An unknown character means itself; short lines are padded with `empty`."""
    width = len(lines[0]) if lines else 0
    grid = create_grid(len(lines), width)
    for row, line in enumerate(lines):
        for column, char in enumerate(line):
            grid[row, column] = char_to_name.get(char, char)
    return grid


def char_grid_to_lines(text: str) -> tuple[list[str], int, int]:
    """Return the dedented lines of a drawing, their width and their number; raises `ValueError` if widths differ."""
    lines = [line.strip() for line in text.strip().split("\n")]
    width = len(lines[0])
    for number, line in enumerate(lines):
        if len(line) != width:
            raise ValueError(
                f"Line {number} has {len(line)} characters and line 0 has {width}; all lines must have the same width."
            )
    return lines, width, len(lines)


def add_pretty_border(lines: list[str]) -> list[str]:
    """Return the lines with a drawn frame around them."""
    bar = "─" * (len(lines[0]) if lines else 0)
    return [f"┌{bar}┐", *(f"│{line}│" for line in lines), f"└{bar}┘"]


def print_grid(grid: MapGrid, name_to_char: dict[str, str], border: bool = True) -> None:
    """Print the grid."""
    for line in grid_to_lines(grid, name_to_char, border=border):
        print(line)


def _rows(grid: MapGrid) -> Any:
    return grid.tolist()
