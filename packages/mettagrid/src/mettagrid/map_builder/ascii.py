"""Maps drawn with characters."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import StringConstraints, field_validator

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig
from mettagrid.mapgen.utils.ascii_legend import merge_with_global_defaults

if TYPE_CHECKING:
    from mettagrid.map_builder.utils import MapGrid

_Char = Annotated[str, StringConstraints(min_length=1, max_length=1)]
_CellName = Annotated[str, StringConstraints(pattern=r"^[\w\.:]+$")]


class AsciiMapBuilderConfig(MapBuilderConfig["AsciiMapBuilder"]):
    """A drawn map and its legend.

    `map_data` is a text, a list of lines or a list of lists of characters, all lines equally long. Wall `#`, empty `.`
    and agent `@` are always part of `char_to_map_name` and cannot be redefined.
    """

    map_data: list[list[str]]
    char_to_map_name: dict[_Char, _CellName]

    @field_validator("map_data", mode="before")
    @classmethod
    def _split_lines(cls, data: Any) -> Any:
        if isinstance(data, str):
            data = data.splitlines()
        if isinstance(data, (list, tuple)):
            return [list(line) if isinstance(line, str) else line for line in data]
        return data.tolist() if hasattr(data, "tolist") else data

    @field_validator("map_data", mode="after")
    @classmethod
    def _check_lines(cls, lines: list[list[str]]) -> list[list[str]]:
        for number, line in enumerate(lines):
            if len(line) != len(lines[0]):
                raise ValueError(
                    f"Line {number} has {len(line)} characters and line 0 has {len(lines[0])}. "
                    "All lines in ASCII map must have the same length."
                )
        return lines

    @field_validator("char_to_map_name", mode="after")
    @classmethod
    def _add_fixed_legend(cls, legend: dict[str, str]) -> dict[str, str]:
        return merge_with_global_defaults(legend)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.map_data[0]) if self.map_data else 0

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.map_data)


class AsciiMapBuilder(MapBuilder[AsciiMapBuilderConfig]):
    """Builds the drawn map. Creating it with a character outside the legend raises `ValueError`."""

    def __init__(self, config: AsciiMapBuilderConfig) -> None:
        super().__init__(config)
        self._level = named_grid(config.map_data, config.char_to_map_name)

    def build(self) -> GameMap:
        return GameMap(self._level.copy())


def named_grid(rows: list[list[str]], legend: dict[str, str]) -> "MapGrid":
    """Convert rows of characters to a grid of cell names; raises `ValueError` if empty or not in the legend."""
    import numpy as np  # configurations do not import numpy

    if not rows or not rows[0]:
        raise ValueError("The map is empty; it needs at least one row with one character.")
    unknown = sorted({char for row in rows for char in row} - legend.keys())
    if unknown:
        raise ValueError(f"Unknown character: {unknown[0]!r} in the map. Add it to the legend or use {list(legend)}.")
    return np.array([[legend[char] for char in row] for row in rows])
