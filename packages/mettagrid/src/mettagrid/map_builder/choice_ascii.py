"""One of several drawn maps, chosen by seed."""

import reprlib
from typing import Any

from pydantic import Field, field_validator

from mettagrid.map_builder.ascii import named_grid
from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig
from mettagrid.mapgen.utils.ascii_legend import merge_with_global_defaults


class ChoiceAsciiMapBuilderConfig(MapBuilderConfig["ChoiceAsciiMapBuilder"]):
    """The maps to choose from and their legend.

    An option is a text, a list of lines or a list of lists of characters. The fixed legend always applies.
    """

    map_options: list[list[list[str]]]
    char_to_map_name: dict[str, str]
    seed: int | None = Field(default=None, ge=0)

    @field_validator("map_options", mode="before")
    @classmethod
    def _split_options(cls, options: Any) -> Any:
        if not isinstance(options, (list, tuple)) or not options:
            raise ValueError(f"map_options is {reprlib.repr(options)}; it must be a list with at least one map.")
        return [_split(number, option) for number, option in enumerate(options)]

    @field_validator("char_to_map_name", mode="after")
    @classmethod
    def _add_fixed_legend(cls, legend: dict[str, str]) -> dict[str, str]:
        return merge_with_global_defaults(legend)


class ChoiceAsciiMapBuilder(MapBuilder[ChoiceAsciiMapBuilderConfig]):
    """Builds one of the maps. The same seed always chooses the same one."""

    def build(self) -> GameMap:
        import numpy as np  # configurations do not import numpy

        options = self.config.map_options
        chosen = options[int(np.random.default_rng(self.config.seed).integers(len(options)))]
        return GameMap(named_grid(chosen, self.config.char_to_map_name))


def _split(number: int, option: Any) -> Any:
    if isinstance(option, str):
        option = option.strip("\n").splitlines()
    if not isinstance(option, (list, tuple)):
        raise ValueError(
            f"Map option {number} is a {type(option).__name__}; "
            "it must be a text, a list of lines or a list of lists of characters."
        )
    rows = [list(row) if isinstance(row, str) else row for row in option]
    lengths = {len(row) for row in rows if isinstance(row, (list, tuple))}
    if not rows or 0 in lengths:
        raise ValueError(f"Map option {number} is empty; it needs at least one row with one character.")
    if len(lengths) > 1:
        raise ValueError(
            f"Map option {number} has rows of {sorted(lengths)} characters; all must have the same length."
        )
    return rows
