"""Mirrored scenes, and scenes from files."""

import numpy as np
import pytest

from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.mapgen.scenes.mirror import Mirror
from mettagrid.mapgen.scenes.random import Random
from mettagrid.mapgen.scenes.random_yaml_scene import RandomYamlScene
from mettagrid.mapgen.scenes.yaml import YamlScene

HUBS = "type: mettagrid.mapgen.scenes.random.Random.Config\nobjects: {hub: 3}\n"
CHESTS = "type: mettagrid.mapgen.scenes.random.Random.Config\nobjects: {chest: 3}\n"


def drawn(scene, width, height, seed=1):
    return MapGen.Config(instance=scene, width=width, height=height, border_width=0, seed=seed).create().build().grid


@pytest.mark.parametrize(("width", "height"), [(10, 6), (9, 7), (1, 1), (1, 5)])
@pytest.mark.parametrize("transform", ["identity", "rot_90", "transpose_alt"])
@pytest.mark.parametrize(
    ("symmetry", "left_right", "up_down"),
    [("horizontal", True, False), ("vertical", False, True), ("x4", True, True)],
)
def test_a_mirrored_scene_is_symmetric(symmetry, left_right, up_down, width, height, transform):
    scene = Mirror.Config(scene=Random.Config(objects={"wall": 5, "hub": 2}), symmetry=symmetry, transform=transform)
    grid = drawn(scene, width, height)
    if transform != "identity":
        left_right, up_down = up_down, left_right
    if left_right:
        np.testing.assert_array_equal(grid, grid[:, ::-1])
    if up_down:
        np.testing.assert_array_equal(grid, grid[::-1, :])
    assert count(grid, "empty") < grid.size


def count(grid, name):
    return int((grid == name).sum())


def test_the_original_is_at_the_upper_left():
    grid = drawn(Mirror.Config(scene=InlineAscii.Config(data="#@\n.Z"), symmetry="x4"), 5, 4)
    assert grid[0].tolist() == ["wall", "agent.agent", "empty", "agent.agent", "wall"]
    assert grid[1].tolist() == ["empty", "hub", "empty", "hub", "empty"]


def test_mirrors_can_be_nested_and_saved():
    scene = Mirror.Config(scene=Mirror.Config(scene=Random.Config(objects={"wall": 3}), symmetry="vertical"))
    loaded = Mirror.Config.model_validate(scene.model_dump(mode="json"))
    assert loaded == scene
    grid = drawn(loaded, 11, 8)
    np.testing.assert_array_equal(grid, grid[::-1, ::-1])


def test_the_tree_of_a_mirrored_scene_can_be_saved():
    builder = MapGen.Config(
        instance=Mirror.Config(scene=Random.Config(agents=1)), width=6, height=4, border_width=0, seed=1
    ).create()
    builder.build()
    (inner,) = builder.get_scene_tree()["children"]
    assert [child["config"]["type"].split(".")[-2] for child in inner["children"]] == ["Random", "Mirrored"]


def test_a_scene_from_a_file_is_drawn(tmp_path):
    path = tmp_path / "hubs.yaml"
    path.write_text(HUBS)
    assert count(drawn(YamlScene.Config(file=str(path)), 6, 6), "hub") == 3


def test_files_are_chosen_by_their_weight(tmp_path):
    (tmp_path / "hubs.yaml").write_text(HUBS)
    (tmp_path / "chests.yaml").write_text(CHESTS)
    candidates = [
        {"scene_file": str(tmp_path / "hubs.yaml"), "weight": 3},
        {"scene_file": str(tmp_path / "chests.yaml")},
    ]
    scene = RandomYamlScene.Config(candidates=candidates)
    hubs = sum(count(drawn(scene, 4, 4, seed), "hub") > 0 for seed in range(60))
    assert 35 < hubs < 55


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n- b", "cannot be read"),
        ("objects: {hub: 1}", "needs the key 'type'"),
        ("type: nowhere.Nothing.Config", "cannot be loaded"),
        ("type: mettagrid.map_builder.random_map.RandomMapBuilder.Config", "is not a subclass of SceneConfig"),
        ("type: [", "cannot be read"),
    ],
)
def test_a_file_without_a_scene_is_refused_by_its_name(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        drawn(YamlScene.Config(file=str(path)), 6, 6)
    assert str(path) in str(error.value)


def test_a_missing_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"The scene file nowhere\.yaml does not exist\."):
        drawn(YamlScene.Config(file="nowhere.yaml"), 6, 6)


def test_a_file_that_contains_itself_is_refused(tmp_path):
    path = tmp_path / "loop.yaml"
    path.write_text(f"type: mettagrid.mapgen.scenes.yaml.YamlScene.Config\nfile: {path}\n")
    with pytest.raises(ValueError, match="does it contain itself"):
        drawn(YamlScene.Config(file=str(path)), 6, 6)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([], "There is nothing to choose a scene file from"),
        ([{"scene_file": "a", "weight": 0}], "not all 0"),
        ([{"scene_file": "a", "weight": -1}, {"scene_file": "b", "weight": 2}], "must be 0 or more"),
    ],
)
def test_without_a_possible_file_nothing_is_drawn(candidates, message):
    with pytest.raises(ValueError, match=message):
        drawn(RandomYamlScene.Config(candidates=candidates), 6, 6)
