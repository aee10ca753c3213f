"""Regression tests for findings of the fuzz: bad input that caused a hang, gigabytes, or an error of numpy."""

import contextlib
import gc
import weakref

import pytest
from pydantic import ValidationError

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.compiler import CompileError
from mettagrid.config.mettagrid_config import GameConfig, GridObjectConfig, MettaGridConfig
from mettagrid.map_builder.maze import MazeKruskalMapBuilder, MazePrimMapBuilder
from mettagrid.map_builder.perimeter_incontext import PerimeterInContextMapBuilder
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.simulator import Simulation

ENDS = {"start_pos": (1, 1), "end_pos": (3, 3)}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (RandomMapBuilder.Config(seed=-1), "The seed of the map is -1; it must be 0 or more"),
        (PerimeterInContextMapBuilder.Config(seed=-1), "The seed of the map is -1"),
        (RandomMapBuilder.Config(width=-1), "The map has 10 rows and -1 columns"),
        (RandomMapBuilder.Config(width=65536, height=65536), "The map has 65536 rows and 65536 columns"),
        (RandomMapBuilder.Config(agents=2**40), "1099511627776 agents do not fit"),
        (RandomMapBuilder.Config(agents={"red": 2**40}), "1099511627776 agents do not fit"),
        (PerimeterInContextMapBuilder.Config(height=-1), "The map has -1 rows and 7 columns"),
        (PerimeterInContextMapBuilder.Config(objects={"box": 2**40}), "cannot hold 1099511627776 objects 'box'"),
        (MazePrimMapBuilder.Config(width=2, height=9, **ENDS), "A maze of 2 x 9 cells has no room"),
        (MazeKruskalMapBuilder.Config(width=9, height=-7, **ENDS), "A maze of 9 x -7 cells has no room"),
        (MazeKruskalMapBuilder.Config(width=2**20 + 1, height=2**20 + 1, **ENDS), "The map has 1048577 rows"),
    ],
)
def test_maps_that_cannot_be_built_are_refused_with_a_sentence(config, message):
    with pytest.raises(ValueError, match=message):
        config.create().build_for_num_agents(1)


def test_a_huge_number_of_agents_is_refused_immediately():
    with pytest.raises(ValidationError, match="num_agents is 2147483647; at most 65535 agents are possible"):
        GameConfig(num_agents=2**31 - 1)


def test_names_with_a_lone_surrogate_are_refused():
    config = MettaGridConfig.EmptyRoom(num_agents=1)
    config.game.objects["half"] = GridObjectConfig(name="\ud800")
    with pytest.raises(CompileError, match="cannot be written as UTF-8"):
        Simulation(config)


def test_deeply_nested_values_that_are_refused_are_read_once_each():
    """Three classes fit `values`, and lenient reading tries them all: 3 to the power of 60 tries."""
    value: object = {"item": 3}
    for _ in range(60):
        value = {"values": [value]}
    reward = {"game": {"agent": {"rewards": {"much": {"reward": value}}}}}
    with pytest.raises(ValidationError):
        MettaGridConfig.model_validate(reward, context=LENIENT_CONTEXT)


@pytest.mark.parametrize("key", ["filter_type", "query_type", "$type", "map_builder.type"])
def test_a_deeply_nested_tag_is_refused_with_a_short_message(key):
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    places = {
        "filter_type": {"on_tick": {"filters": [{"filter_type": deep}]}},
        "query_type": {"materialize_queries": [{"tag": "a", "query": {"query_type": deep}}]},
        "$type": {"agent": {"rewards": {"much": {"reward": {"$type": deep, "values": []}}}}},
        "map_builder.type": {"map_builder": {"type": deep}},
    }
    with pytest.raises(ValidationError, match=r"\[\[\[\[\[\[\.\.\.\]"):
        MettaGridConfig.model_validate({"game": places[key]})


def test_a_deeply_nested_entity_is_refused():
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    filters = [{"filter_type": "tag", "tag": "a", "target": deep}]
    with pytest.raises(ValidationError, match="Lists or dictionaries are nested too deeply"):
        MettaGridConfig.model_validate({"game": {"on_tick": {"filters": filters}}})


class Anything:
    """Something that can be watched."""


def read_leniently(data: object) -> "weakref.ref[Anything]":
    """Read a reward while something is in use; the result says whether it still is."""
    in_use = Anything()
    config = {"game": {"agent": {"rewards": {"much": {"reward": data}}}}}
    with contextlib.suppress(ValidationError):
        MettaGridConfig.model_validate(config, context=LENIENT_CONTEXT)
    return weakref.ref(in_use)


def test_lenient_reading_does_not_keep_references_to_objects_in_use():
    """The error of a class that was tried and did not fit kept the frames of all callers alive."""
    in_use = read_leniently({"values": [{"value": 1}], "weights": [1, 2]})
    gc.collect()
    assert in_use() is None
