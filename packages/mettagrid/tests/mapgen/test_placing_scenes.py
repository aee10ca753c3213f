"""Scenes that place objects and agents: around a centre, on a lattice, along a spiral, in rooms, among obstacles."""

import numpy as np
import pytest

from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.grid_altars import GridHubs
from mettagrid.mapgen.scenes.mean_distance import MeanDistance
from mettagrid.mapgen.scenes.multi_left_and_right import MultiLeftAndRight
from mettagrid.mapgen.scenes.spiral import Spiral
from mettagrid.mapgen.scenes.varied_terrain import VariedTerrain
from mettagrid.mapgen.utils.components import reachable_from

SCENES = {
    "mean distance": MeanDistance.Config(mean_distance=4, objects={"hub": 3, "chest": 2}),
    "lattice": GridHubs.Config(objects={"hub": 4, "chest": 2}, agents=1, margin=2, randomize_position=1),
    "spiral": Spiral.Config(objects={"hub": 3, "chest": 2}, agents=1, spacing=5),
    "terrain": VariedTerrain.Config(objects={"hub": 3, "chest": 2}, style="dense"),
    "left and right": MultiLeftAndRight.Config(rows=1, columns=2, hub_ratio=0.7, total_hubs=6),
}


def drawn(scene, width, height, seed=1):
    return MapGen.Config(instance=scene, width=width, height=height, border_width=0, seed=seed).create().build().grid


def count(grid, name):
    return int((grid == name).sum())


@pytest.mark.parametrize("name", SCENES)
def test_the_seed_decides_the_map(name):
    first, again = (drawn(SCENES[name], 41, 31, 4) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert any((first != drawn(SCENES[name], 41, 31, seed)).any() for seed in range(5, 8))


@pytest.mark.parametrize("name", SCENES)
def test_a_saved_scene_draws_the_same(name):
    loaded = type(SCENES[name]).model_validate(SCENES[name].model_dump(mode="json"))
    np.testing.assert_array_equal(drawn(SCENES[name], 41, 31), drawn(loaded, 41, 31))


@pytest.mark.parametrize("name", ["mean distance", "lattice", "spiral", "terrain"])
def test_everything_is_placed_when_there_is_room(name):
    grid = drawn(SCENES[name], 41, 31)
    wanted = SCENES[name].objects
    assert {kind: count(grid, kind) for kind in wanted} == wanted
    assert count(grid, "agent.agent") == 1


def test_objects_are_at_the_mean_distance_from_the_agent():
    grid = drawn(MeanDistance.Config(mean_distance=12, objects={"hub": 60}), 81, 81)
    assert grid[40, 40] == "agent.agent"
    distances = np.hypot(*(np.argwhere(grid == "hub") - 40).T)
    assert 11 < distances.mean() < 13


def test_far_objects_come_as_near_to_the_distance_as_they_can():
    grid = drawn(MeanDistance.Config(mean_distance=1000, objects={"hub": 4}), 7, 7)
    assert [grid[0, 0], grid[0, 6], grid[6, 0], grid[6, 6]] == ["hub"] * 4


def test_a_lattice_has_even_gaps_and_an_agent_in_the_middle():
    grid = drawn(GridHubs.Config(objects={"hub": 8}, agents=1), 41, 31)
    rows, columns = np.nonzero(grid != "empty")
    assert set(rows) == {5, 15, 26}
    assert set(columns) == {5, 20, 36}
    assert grid[15, 20] == "agent.agent"


def test_a_lattice_with_too_little_room_has_fewer_points():
    config = GridHubs.Config(objects={"hub": 9}, margin=1, min_spacing=10, place_agent_center=False)
    assert np.argwhere(drawn(config, 21, 21) == "hub").tolist() == [[1, 1], [1, 20], [20, 1], [20, 20]]


def test_agents_have_precedence_over_objects():
    config = GridHubs.Config(
        objects={"hub": 30}, agents=3, margin=1, min_spacing=1, grid_rows=2, grid_cols=2, place_agent_center=False
    )
    grid = drawn(config, 21, 21)
    assert (count(grid, "agent.agent"), count(grid, "hub")) == (3, 1)
    with pytest.raises(ValueError, match="places for 4 agents; 5 do not fit"):
        drawn(config.model_copy(update={"agents": 5}), 21, 21)


def test_objects_on_a_spiral_keep_their_distance():
    config = Spiral.Config(objects={"hub": 8}, agents=1, spacing=6, randomize_position=0)
    places = np.argwhere(drawn(config, 61, 61) != "empty")
    gaps = [np.hypot(*(a - b)) for i, a in enumerate(places) for b in places[:i]]
    assert min(gaps) > 2  # neighbouring turns are 2.5 cells apart
    assert [30, 30] in places.tolist()


def test_a_spiral_that_leads_nowhere_is_refused():
    with pytest.raises(ValueError, match=r"angle_increment 0\.0; both must be above 0"):
        drawn(Spiral.Config(angle_increment=0), 9, 9)


def test_rooms_differ_in_the_team_of_their_agent_alone():
    grid = drawn(MultiLeftAndRight.Config(rows=2, columns=3, hub_ratio=0.75, total_hubs=8), 60, 30)
    rooms = [grid[y : y + 12, x : x + 16] for y in (0, 18) for x in (0, 22, 44)]
    teams = [str(room[np.char.startswith(room, "agent")][0]) for room in rooms]
    assert sorted(teams) == ["agent.team_1"] * 3 + ["agent.team_2"] * 3
    for room in rooms:
        assert np.array_equal(room == "hub", rooms[0] == "hub")
        assert sorted([count(room[:, :8], "hub"), count(room[:, 8:], "hub")]) == [2, 6]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"total_hubs": 1000}, "1000 hubs and an agent do not fit"),
        ({"hub_ratio": 2}, "hub_ratio 2 and 6 hubs"),
        ({"rows": 0}, "0 x 2 rooms; it needs at least one"),
    ],
)
def test_rooms_that_cannot_be_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        drawn(SCENES["left and right"].model_copy(update=fields), 30, 14)


@pytest.mark.parametrize("style", ["all-sparse", "balanced", "dense", "maze"])
def test_on_varied_terrain_agents_reach_everything(style):
    for seed in range(3):
        grid = drawn(VariedTerrain.Config(objects={"hub": 5}, agents=2, style=style), 40, 24, seed)
        agents = np.argwhere(grid == "agent.agent")
        start = np.zeros(grid.shape, dtype=bool)
        start[tuple(agents[0])] = True
        reached = reachable_from(start, grid != "wall")
        assert reached[np.isin(grid, ["hub", "agent.agent"])].all()


def test_styles_differ_in_how_many_walls_there_are():
    walls = {
        style: sum(count(drawn(VariedTerrain.Config(objects={}, style=style), 60, 60, seed), "wall") for seed in (1, 2))
        for style in ("all-sparse", "balanced", "dense", "maze")
    }
    assert walls["all-sparse"] < walls["balanced"] < walls["dense"]
    assert walls["maze"] > walls["all-sparse"]


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match="Unknown style: 'flat'"):
        drawn(VariedTerrain.Config(objects={}, style="flat"), 9, 9)
