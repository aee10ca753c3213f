"""Helpers of map generation that others import too."""

import json

import numpy as np
import pytest

from mettagrid.map_builder.map_builder import GameMap
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.random import Random
from mettagrid.mapgen.utils.components import largest_component, reachable_from
from mettagrid.mapgen.utils.draw import bresenham_line
from mettagrid.mapgen.utils.make_scene_config import make_convchain_config_from_pattern, make_wfc_config_from_pattern
from mettagrid.mapgen.utils.pattern import (
    Pattern,
    ascii_to_patterns_with_counts,
    ascii_to_weights_of_all_patterns,
    parse_ascii_into_grid,
)
from mettagrid.mapgen.utils.show import show_game_map
from mettagrid.mapgen.utils.storable_map import StorableMap


def test_a_line_is_connected_and_has_both_ends():
    assert bresenham_line(0, 0, 5, 2) == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)]
    assert bresenham_line(3, 4, 0, 0) == [(3, 4), (2, 3), (2, 2), (1, 1), (0, 0)]
    assert bresenham_line(2, 2, 2, 2) == [(2, 2)]


def test_patterns_are_counted_with_their_copies():
    drawing = "#.\n.#\n##"
    counted = {p.index(): n for p, n in ascii_to_patterns_with_counts(drawing, 2, True, "all")}
    assert counted == {9: 8, 6: 8, 14: 8, 13: 8, 7: 8, 11: 8}
    assert [(p.index(), n) for p, n in ascii_to_patterns_with_counts(drawing, 2, False, "none")] == [(9, 1), (14, 1)]
    weights = ascii_to_weights_of_all_patterns(drawing, 2, True, "all")
    assert {int(index): weights[index] for index in np.flatnonzero(weights)} == counted


def test_patterns_overlap_where_they_agree():
    field = parse_ascii_into_grid("#..\n.#.\n..#")
    first, below = Pattern(field, 0, 0, 2), Pattern(field, 0, 1, 2)
    assert first.is_compatible(below, 0, 1)
    assert first.is_compatible(first.rotated(), 1, 0)
    assert not first.is_compatible(first, 1, 0)
    assert first.is_compatible(first.rotated(), 2, 0)
    assert [p.index() for p in (first, first.rotated(), first.reflected())] == [9, 6, 6]


def test_large_tables_and_empty_patterns_are_refused():
    with pytest.raises(ValueError, match="possible up to 5"):
        ascii_to_weights_of_all_patterns("#", 6, True, "none")
    with pytest.raises(ValueError, match="must be at least 1"):
        ascii_to_patterns_with_counts("#", 0, True, "none")


def test_scenes_are_made_from_a_drawing_if_it_goes_on():
    assert make_convchain_config_from_pattern("#.\n.#").iterations == 10
    assert make_wfc_config_from_pattern("##..\n##..\n....\n....") is not None


def test_the_connected_parts_of_a_grid():
    free = parse_ascii_into_grid("##.#\n#..#\n..#.\n##.#")
    start = np.zeros_like(free)
    start[0, 0] = True
    assert reachable_from(start, free).sum() == 3
    assert np.argwhere(largest_component(free)).tolist() == [[0, 0], [0, 1], [1, 0]]
    assert not largest_component(np.zeros((3, 2), dtype=bool)).any()


def test_a_storable_map_has_the_map_and_its_story():
    config = MapGen.Config(seed=1, width=4, height=4, border_width=1, instance=Random.Config(objects={"hub": 2}))
    stored = StorableMap.from_cfg(config)
    assert (stored.width(), stored.height()) == (6, 6)
    data = stored.to_dict()
    assert data["data"] == "######\n#.Z..#\n#...Z#\n#....#\n#....#\n######"
    assert list(data["frontmatter"]) == ["metadata", "config", "scene_tree", "char_to_name"]
    assert list(data["frontmatter"]["metadata"]) == ["gen_time", "timestamp"]
    assert MapGen.Config.model_validate(data["frontmatter"]["config"]) == config
    json.dumps(data)


def test_every_name_on_a_storable_map_has_a_character_of_its_own():
    names = [f"generator_{number}" for number in range(60)]
    stored = StorableMap.from_cfg(RandomMapBuilder.Config(objects=dict.fromkeys(names, 1), seed=1))
    assert stored.scene_tree is None
    text = stored.to_dict()["data"].replace("\n", "")
    assert [stored.char_to_name[char] for char in text] == stored.grid.ravel().tolist()


def test_a_map_is_shown(capsys):
    game_map = GameMap(np.array([["wall", "agent.agent"]]))
    show_game_map(game_map, "ascii")
    show_game_map(game_map, "ascii_border")
    assert capsys.readouterr().out == "#@\n┌──┐\n│#@│\n└──┘\n"
    with pytest.raises(ValueError, match="'gui'; it must be"):
        show_game_map(game_map, "gui")
