"""Scenes that learn from a drawing: wave function collapse and convolution chains."""

import numpy as np
import pytest

from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.convchain import ConvChain, ConvChainSlow
from mettagrid.mapgen.scenes.random_dcss_scene import DRAWINGS, RandomDcssScene
from mettagrid.mapgen.scenes.wfc import WFC
from mettagrid.mapgen.scenes.yaml import YamlScene, load_scene
from mettagrid.mapgen.utils.pattern import ascii_to_patterns_with_counts

ROOMS = """
##########
#........#
#..####..#
#..#..#..#
#.....#..#
#..####..#
#........#
##########
"""


def drawn(scene, width, height, seed=1):
    return MapGen.Config(instance=scene, width=width, height=height, border_width=0, seed=seed).create().build().grid


def squares(walls, size):
    """All squares of an array as numbers."""
    height, width = walls.shape
    weights = 1 << np.arange(size * size).reshape(size, size)
    return {
        int((walls[y : y + size, x : x + size] * weights).sum())
        for y in range(height - size + 1)
        for x in range(width - size + 1)
    }


@pytest.mark.parametrize("heuristic", ["entropy", "mrv", "scanline"])
@pytest.mark.parametrize(
    ("symmetry", "periodic"), [("all", True), ("horizontal", True), ("none", True), ("all", False)]
)
def test_every_square_of_a_collapsed_map_occurs_in_the_pattern(heuristic, symmetry, periodic):
    scene = WFC.Config(
        pattern=ROOMS, next_node_heuristic=heuristic, symmetry=symmetry, periodic_input=periodic, attempts=20
    )
    allowed = {pattern.index() for pattern, _ in ascii_to_patterns_with_counts(ROOMS, 3, periodic, symmetry)}
    for seed in (1, 2):
        assert squares(drawn(scene, 17, 12, seed) == "wall", 3) <= allowed


def test_a_chain_gives_the_squares_of_the_pattern_mostly():
    scene = ConvChain.Config(pattern=ROOMS, pattern_size=2, iterations=20, temperature=0.3)
    walls = drawn(scene, 24, 24) == "wall"
    seen = {pattern.index() for pattern, _ in ascii_to_patterns_with_counts(ROOMS, 2, True, "all")}
    found = [squares(walls[y : y + 2, x : x + 2], 2).pop() for y in range(23) for x in range(23)]
    assert sum(square in seen for square in found) > 0.99 * len(found)


@pytest.mark.parametrize(("width", "height", "size"), [(9, 7, 3), (5, 9, 2), (2, 2, 3), (1, 1, 1)])
def test_the_fast_and_the_slow_chain_are_the_same(width, height, size):
    fields = {"pattern": ROOMS, "pattern_size": size, "iterations": 3, "temperature": 1}
    fast, slow = drawn(ConvChain.Config(**fields), width, height), drawn(ConvChainSlow.Config(**fields), width, height)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize(
    "scene",
    [
        WFC.Config(pattern=ROOMS),
        ConvChain.Config(pattern=ROOMS, pattern_size=3, iterations=3, temperature=1),
        RandomDcssScene.Config(wfc=True, dcss=True),
    ],
    ids=lambda scene: type(scene).__name__,
)
def test_the_seed_decides_the_map(scene):
    first, again, other = (drawn(scene, 15, 11, seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "The pattern is empty"),
        ("#.#\n..", "Line 1 of the pattern has 2 characters and line 0 has 3"),
        ("#.\n.x", "Line 1 of the pattern has the character 'x'"),
    ],
)
def test_a_bad_pattern_is_refused(pattern, message):
    with pytest.raises(ValueError, match=message):
        drawn(WFC.Config(pattern=pattern), 5, 5)
    with pytest.raises(ValueError, match=message):
        drawn(ConvChain.Config(pattern=pattern, pattern_size=2, iterations=1, temperature=1), 5, 5)


def test_a_pattern_that_does_not_go_on_is_refused():
    with pytest.raises(ValueError, match="WFC found no way to fill 9 x 9 cells in 3 attempts"):
        drawn(WFC.Config(pattern="#..\n..#\n##.", symmetry="none", periodic_input=False, attempts=3), 9, 9)
    with pytest.raises(ValueError, match="The pattern is smaller than 3 x 3 cells"):
        drawn(WFC.Config(pattern="#.", periodic_input=False), 9, 9)


@pytest.mark.parametrize("fields", [{"temperature": -1}, {"iterations": -1}, {"pattern_size": 0}])
def test_a_bad_chain_is_refused(fields):
    good = {"pattern": ROOMS, "pattern_size": 2, "iterations": 1, "temperature": 1}
    with pytest.raises(ValueError, match=r"must be"):
        drawn(ConvChain.Config(**(good | fields)), 5, 5)


def test_one_kind_of_drawing_must_be_chosen():
    with pytest.raises(ValueError, match=r"Either wfc or dcss must be true"):
        RandomDcssScene.Config(wfc=False, dcss=False)


@pytest.mark.parametrize("path", sorted(DRAWINGS.glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_drawing_gives_a_map(path):
    assert type(load_scene(path)) in (WFC.Config, ConvChain.Config)
    grid = drawn(YamlScene.Config(file=str(path)), 16, 12)
    assert {"wall", "empty"} == set(grid.ravel().tolist())


def test_there_are_drawings_of_both_kinds():
    names = {folder: {path.stem for path in (DRAWINGS / folder).glob("*.yaml")} for folder in ("wfc", "convchain")}
    assert len(names["convchain"]) == 10
    assert names["wfc"] == names["convchain"]
