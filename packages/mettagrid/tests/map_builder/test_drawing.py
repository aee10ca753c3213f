"""Helpers: grids, borders, positions, text."""

import numpy as np
import pytest

from mettagrid.map_builder import MapGrid
from mettagrid.map_builder.utils import (
    compute_positions,
    create_grid,
    draw_border,
    make_odd,
    map_grid_dtype,
    sample_position,
    set_position,
)
from mettagrid.mapgen.utils.ascii_grid import (
    DEFAULT_CHAR_TO_NAME,
    add_pretty_border,
    char_grid_to_lines,
    default_char_to_name,
    grid_to_lines,
    lines_to_grid,
    merge_with_global_defaults,
    print_grid,
)


def test_a_grid_with_a_border() -> None:
    grid: MapGrid = create_grid(4, 5)
    assert grid.dtype == map_grid_dtype and set(grid.flat) == {"empty"}
    draw_border(grid, 0, "wall")
    assert set(grid.flat) == {"empty"}
    draw_border(grid, 1, "wall")
    assert grid_to_lines(grid) == ["#####", "#...#", "#...#", "#####"]


def test_odd_positions() -> None:
    assert [make_odd(x) for x in (0, 1, 2, 5, 6)] == [1, 1, 3, 5, 7]
    assert [set_position(x, 6) for x in (-1, 0, 1, 2, 3, 4, 9)] == [1, 1, 1, 3, 3, 5, 4]


def test_blocks_are_spread_evenly() -> None:
    assert compute_positions(2, 20, [("a", 2), ("b", 3), ("c", 1)]) == {"a": 2, "b": 10, "c": 19}
    assert compute_positions(3, 47, [("a", 2), ("b", 3), ("c", 7), ("d", 1)]) == {"a": 3, "b": 16, "c": 29, "d": 46}
    assert compute_positions(0, 10, [("a", 2)]) == {"a": 0}
    assert compute_positions(0, 10, []) == {}


def test_sampled_positions_keep_their_distance() -> None:
    sampled = [sample_position(0, 10, 0, 10, 3, [(5, 5)], rng=np.random.default_rng(seed)) for seed in range(5)]
    assert sampled == [(9, 7), (8, 10), (9, 2), (8, 0), (7, 10)]
    assert sample_position(0, 1, 0, 1, 3, [(0, 0)], rng=np.random.default_rng(0)) == (0, 0)
    allowed = {(x, y) for x in range(4) for y in range(4)} - {(0, 0), (1, 1)}
    for seed in range(20):
        assert sample_position(0, 3, 0, 3, 1, [], {(0, 0), (1, 1)}, np.random.default_rng(seed)) in allowed


def test_text_and_grid_are_turned_into_one_another() -> None:
    lines = ["#.@", "C1Z"]
    grid = lines_to_grid(lines, DEFAULT_CHAR_TO_NAME)
    assert grid.tolist() == [["wall", "empty", "agent.agent"], ["chest", "agent.team_1", "hub"]]
    assert grid_to_lines(grid) == lines
    assert grid_to_lines(grid, {"wall": "#"}) == ["#ea", "cah"]
    assert lines_to_grid(["#~", "@"], DEFAULT_CHAR_TO_NAME).tolist() == [["wall", "~"], ["agent.agent", "empty"]]
    assert lines_to_grid([], DEFAULT_CHAR_TO_NAME).shape == (0, 0)


def test_a_framed_grid(capsys: pytest.CaptureFixture[str]) -> None:
    print_grid(create_grid(1, 2), {"empty": "."})
    assert capsys.readouterr().out == "┌──┐\n│..│\n└──┘\n"
    assert add_pretty_border([]) == ["┌┐", "└┘"]


def test_lines_of_a_drawing() -> None:
    assert char_grid_to_lines("\n  #.\n  @.\n") == (["#.", "@."], 2, 2)
    with pytest.raises(ValueError, match="Line 1 has 1 characters and line 0 has 2"):
        char_grid_to_lines("#.\n@")


def test_legends() -> None:
    assert default_char_to_name() == DEFAULT_CHAR_TO_NAME and default_char_to_name() is not DEFAULT_CHAR_TO_NAME
    assert list(merge_with_global_defaults({"x": "y"})) == ["#", ".", "@", "x"]
    with pytest.raises(ValueError, match="it always means 'wall'"):
        merge_with_global_defaults({"#": "y"})
