"""Drawn maps: `load_map("training_facility_open_1")` is the configuration of a map builder."""

from functools import cache
from pathlib import Path

from cogsguard.maps.canvas import LEGEND
from cogsguard.maps.catalogue import DRAWINGS, HUGE
from mettagrid.cogame.errors import MissionError, close_names
from mettagrid.map_builder.ascii import AsciiMapBuilder, AsciiMapBuilderConfig

__all__ = ["MAP_NAMES", "load_map", "map_path"]

MAP_NAMES = (*DRAWINGS, *HUGE)
"""All maps; those in `HUGE` are drawn on demand."""


def map_path(name: str) -> Path:
    """Return the file of a map."""
    return Path(__file__).parent / f"{name}.yaml"


def load_map(name: str) -> AsciiMapBuilderConfig:
    """Load a map by name, including its folder; raise `MissionError` for an unknown name."""
    return _load(name).model_copy(deep=True)


@cache
def _load(name: str) -> AsciiMapBuilderConfig:
    if name in HUGE:
        return AsciiMapBuilder.Config(map_data=HUGE[name]().text(), char_to_map_name=LEGEND)
    if name not in DRAWINGS:
        raise MissionError(f"Map {name!r} not found.{close_names(name, MAP_NAMES)}")
    return AsciiMapBuilder.Config.from_uri(map_path(name))
