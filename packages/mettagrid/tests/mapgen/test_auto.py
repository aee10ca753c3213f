"""Maps from a few settings, and the ready-made environments on generated maps."""

import numpy as np
import pytest

from mettagrid import check_mission
from mettagrid.builder.envs import make_arena, make_assembly_lines, make_navigation
from mettagrid.config.mettagrid_config import GridObjectConfig, WallConfig
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.auto import Auto
from mettagrid.mapgen.scenes.maze import Maze
from mettagrid.mapgen.scenes.random import Random
from mettagrid.mapgen.utils.components import reachable_from
from mettagrid.simulator import Simulation


def auto(**fields):
    defaults = {
        "num_agents": 3,
        "layout": {"grid": 1, "bsp": 1},
        "grid": {"rows": ["uniform", 1, 3], "columns": 2},
        "bsp": {"area_count": 4},
        "room_symmetry": {"none": 1, "horizontal": 1, "vertical": 1, "x4": 1},
        "content": [{"scene": Random.Config(objects={"wall": 20})}, {"scene": Maze.Config(), "weight": 2}],
        "objects": {"hub": 0.01},
        "room_objects": {"chest": ["uniform", 0.01, 0.02]},
    }
    return Auto.Config.model_validate(defaults | fields)


def built(scene, seed=1):
    builder = MapGen.Config(instance=scene, width=50, height=30, border_width=1, seed=seed).create()
    return builder.build().grid, builder.get_scene_tree()


def scenes_in(tree):
    yield tree["config"]["type"].split(".")[-2]
    for child in tree["children"]:
        yield from scenes_in(child)


@pytest.mark.parametrize("seed", range(4))
def test_an_automatic_map_has_its_ingredients_and_no_closed_rooms(seed):
    grid, _ = built(auto(), seed)
    names, counts = np.unique(grid, return_counts=True)
    found = dict(zip(names.tolist(), counts.tolist(), strict=True))
    assert found["agent.agent"] == 3
    assert found["hub"] == 15
    assert found["chest"] > 5
    agents = np.argwhere(grid == "agent.agent")
    start = np.zeros(grid.shape, dtype=bool)
    start[tuple(agents[0])] = True
    passable = np.isin(grid, ["empty", "agent.agent"])
    assert (reachable_from(start, passable) == passable).all()


def test_weights_decide_the_layout_and_the_symmetry():
    only_grid = auto(layout={"grid": 1, "bsp": 0}, room_symmetry={"none": 1, "horizontal": 0, "vertical": 0, "x4": 0})
    only_bsp = auto(layout={"grid": 0, "bsp": 1}, room_symmetry={"none": 0, "horizontal": 0, "vertical": 0, "x4": 1})
    scenes = [*scenes_in(built(only_grid)[1])]
    assert "RoomGrid" in scenes
    assert not {"BSPLayout", "Mirror"} & set(scenes)
    scenes = [*scenes_in(built(only_bsp)[1])]
    assert scenes.count("X4Mirror") == 4
    assert not {"RoomGrid", "HorizontalMirror"} & set(scenes)


def test_the_seed_decides_the_map_and_saving_keeps_it():
    scene = auto()
    loaded = Auto.Config.model_validate(scene.model_dump(mode="json"))
    np.testing.assert_array_equal(built(scene, 7)[0], built(loaded, 7)[0])
    assert (built(scene, 7)[0] != built(scene, 8)[0]).any()


def test_without_a_possible_layout_nothing_is_drawn():
    with pytest.raises(ValueError, match="The weights of the layout are"):
        built(auto(layout={"grid": 0, "bsp": 0}))


@pytest.mark.filterwarnings("ignore:game.actions.attack")  # the published arena has attacks without effect
@pytest.mark.parametrize("combat", [True, False])
def test_an_arena_can_be_played(combat):
    config = make_arena(6, combat=combat)
    config.game.map_builder.seed = 3
    sim = Simulation(config, seed=1)
    sim.step()
    assert (sim.map_height, sim.map_width, sim.num_agents) == (37, 37, 6)


def test_the_ready_made_environments_have_no_problems():
    lines = make_assembly_lines(4, 100, {"chest": GridObjectConfig(name="chest")}, {"chest": 2}, width=8, height=8)
    for config in (make_arena(6), make_navigation(3), lines):
        assert [problem for problem in check_mission(config) if not problem.is_warning] == []


def test_assembly_lines_are_rooms_with_one_agent_each():
    objects = {"chest": GridObjectConfig(name="chest"), "wall": WallConfig(tags=["mine"])}
    config = make_assembly_lines(4, 100, objects, {"chest": 2}, width=8, height=8)
    assert list(config.game.objects) == ["chest", "wall"]
    grid = config.game.map_builder.create().build().grid
    assert grid.shape == (31, 31)
    assert (grid == "agent.agent").sum() == 4
    assert (grid == "chest").sum() == 8
