"""The command-line tools for maps, called as a user would."""

import pytest
import yaml

from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.mapgen.scenes.convchain import ConvChain
from mettagrid.mapgen.scenes.wfc import WFC
from mettagrid.mapgen.scenes.yaml import load_scene
from mettagrid.mapgen.tools import dcss_import, gen, gen_scene

SCENE = "type: mettagrid.mapgen.scenes.random.Random.Config\nobjects: {wall: 5}\n"
MISSION = """
label: tiny
game:
  num_agents: 2
  objects: {wall: {pydantic_type: wall}}
  map_builder:
    type: mettagrid.map_builder.random_map.RandomMapBuilder.Config
    width: 6
    height: 4
    agents: 2
    objects: {wall: 3, generator: 2, gate: 1}
"""
LEVELS = """
NAME: small
MAP
xx
ENDMAP

NAME: stripes
MAP
xxxxxxxx
........
xxxxxxxx
........
xxxx
........
ENDMAP
"""


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def framed(output):
    top, *rows, bottom = output.splitlines()
    assert top.startswith("┌")
    assert bottom.endswith("┘")
    return [row[1:-1] for row in rows]


def test_gen_shows_the_map_of_a_mission(file, capsys):
    assert gen.main([file("mission.yaml", MISSION), "--seed", "1"]) == 0
    rows = framed(capsys.readouterr().out)
    assert [len(row) for row in rows] == [6] * 4
    assert "".join(rows).count("@") == 2


def test_gen_changes_the_configuration_first(file, capsys):
    assert gen.main([file("mission.yaml", MISSION), "--env-override", "game.map_builder.width=9"]) == 0
    assert len(framed(capsys.readouterr().out)[0]) == 9


def test_gen_takes_the_name_of_a_function(capsys):
    assert gen.main(["mettagrid.map_builder.random_map.RandomMapBuilder.Config", "--show-mode", "ascii"]) == 0
    assert capsys.readouterr().out.splitlines() == ["." * 10] * 10


def test_gen_takes_a_python_file(file, capsys):
    text = (
        "from mettagrid.config.mettagrid_config import MettaGridConfig\n"
        "def get_config(): return MettaGridConfig.EmptyRoom(num_agents=1, width=4, height=4)\n"
    )
    assert gen.main([file("mission.py", text)]) == 0
    assert "".join(framed(capsys.readouterr().out)).count("@") == 1


def test_a_saved_map_loads_again_and_is_the_same(file, tmp_path, capsys):
    target = tmp_path / "frozen.map"
    assert gen.main([file("mission.yaml", MISSION), "--seed", "3", "--show-mode", "none", "--output", str(target)]) == 0
    assert capsys.readouterr().out == ""
    first = MapBuilderConfig.from_uri(target).create().build().grid
    expected = {**yaml.safe_load(MISSION)["game"]["map_builder"], "seed": 3}
    assert (first == MapBuilderConfig.model_validate(expected).create().build().grid).all()
    assert gen.main([str(target), "--show-mode", "ascii"]) == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.yaml", "The file nowhere.yaml does not exist."),
        ("mettagrid.nothing", "neither a Python object"),
        ("mettagrid.demo.ORE_PER_DEPOSIT", "neither a mission nor a map builder"),
        ("mettagrid.builder.envs.make_navigation", "cannot be called without arguments"),
    ],
)
def test_gen_says_what_is_wrong_with_its_source(source, message, capsys):
    assert gen.main([source]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err


@pytest.mark.parametrize("override", ["nonsense", "game.nothing=3", "game.map_builder.width=wide"])
def test_gen_refuses_a_bad_override(file, override, capsys):
    assert gen.main([file("mission.yaml", MISSION), "--env-override", override]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_gen_refuses_files_that_are_no_configuration(file, capsys):
    for name, text in (("a.yaml", "game: 3"), ("b.yaml", "type: ["), ("c.py", "x = 1")):
        path = file(name, text)
        assert gen.main([path]) == 1
        assert path in capsys.readouterr().err


def test_gen_scene_shows_a_scene(file, capsys):
    arguments = [file("scene.yaml", SCENE), "--width", "7", "--height", "5", "--seed", "2"]
    assert gen_scene.main(arguments) == 0
    rows = framed(capsys.readouterr().out)
    assert (len(rows), len(rows[0]), "".join(rows).count("#")) == (5, 7, 5)
    assert gen_scene.main([*arguments, "--scene-override", "objects.wall=8"]) == 0
    assert capsys.readouterr().out.count("#") == 8


def test_gen_scene_says_what_is_wrong(file, capsys):
    assert gen_scene.main(["nowhere.yaml", "--width", "7", "--height", "5"]) == 1
    assert "The scene file nowhere.yaml does not exist." in capsys.readouterr().err
    assert gen_scene.main([file("scene.yaml", "type: 3"), "--width", "7", "--height", "5"]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_dcss_import_makes_scenes_of_the_drawings_worth_it(file, tmp_path, capsys):
    assert dcss_import.main([file("levels.des", LEVELS), "--output", str(tmp_path / "out")]) == 0
    paths = sorted((tmp_path / "out").rglob("*.yaml"))
    assert [path.relative_to(tmp_path / "out").as_posix() for path in paths] == [
        "convchain/stripes.yaml",
        "wfc/stripes.yaml",
    ]
    assert sorted(capsys.readouterr().out.splitlines()) == [str(path) for path in paths]
    chain, collapse = (load_scene(path) for path in paths)
    assert isinstance(chain, ConvChain.Config)
    assert isinstance(collapse, WFC.Config)
    assert chain.pattern == collapse.pattern == "########\n........\n" * 2 + "########\n........"


def test_dcss_import_says_what_is_wrong(file, capsys):
    assert dcss_import.main(["nowhere.des"]) == 1
    assert "nowhere.des cannot be read" in capsys.readouterr().err
    assert dcss_import.main([file("empty.des", "NAME: nothing")]) == 1
    assert "has no drawings" in capsys.readouterr().err
