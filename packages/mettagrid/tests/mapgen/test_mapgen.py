"""The map builder: borders, instances, agents, seeds, loading."""

import numpy as np
import pytest
from pydantic import ValidationError

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.mapgen.mapgen import MapGen, MapGenConfig
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.mapgen.scenes.nop import Nop
from mettagrid.mapgen.scenes.random import Random

DRAWN = AsciiMapBuilder.Config(map_data=["@h@", "..."], char_to_map_name={"h": "hub"})
SCENE = InlineAscii.Config(data="@h@\n...", char_to_name={"@": "agent.agent", "h": "hub", ".": "empty"})


def rows(config: MapGenConfig) -> list[str]:
    """A map as text: the last letter of each name, `#` and `.`."""
    short = {"wall": "#", "empty": "."}
    return ["".join(short.get(name, name[-1]) for name in row) for row in config.create().build().grid.tolist()]


def strewn(seed: int | None, **settings: object) -> np.ndarray:
    scene = Random.Config(agents=6, objects={"hub": 3})
    return MapGen.Config(width=8, height=7, seed=seed, instance=scene, **settings).create().build().grid


def test_a_border_surrounds_the_instance() -> None:
    assert rows(MapGen.Config(border_width=1, instance=DRAWN)) == ["#####", "#tbt#", "#...#", "#####"]


def test_without_a_border_the_instance_is_the_map() -> None:
    assert rows(MapGen.Config(border_width=0, width=3, height=1, instance=Nop.Config())) == ["..."]


@pytest.mark.parametrize("instance", [DRAWN, SCENE])
def test_instances_stand_in_a_grid(instance: MapBuilderConfig) -> None:
    config = MapGen.Config(border_width=0, instance_border_width=1, instances=3, instance=instance)
    assert rows(config) == ["tbt#tbt", "...#...", "#######", "tbt#...", "...#..."]


@pytest.mark.parametrize("instance", [DRAWN, SCENE])
def test_the_number_of_agents_decides_the_number_of_instances(instance: MapBuilderConfig) -> None:
    config = MapGen.Config(border_width=0, instance_border_width=0, num_agents=4, instance=instance)
    assert rows(config) == ["tbt", "...", "tbt", "..."]


@pytest.mark.parametrize("instance", [DRAWN, SCENE])
def test_agents_and_objects_can_be_named_after_their_instance(instance: MapBuilderConfig) -> None:
    config = MapGen.Config(
        border_width=0,
        instance_border_width=0,
        instances=2,
        instance=instance,
        set_team_by_instance=True,
        instance_names=["left", "right"],
        instance_object_remap={"hub": "{instance_name}:hub:{instance_id}"},
    )
    grid = config.create().build().grid
    assert grid[0].tolist() == ["agent.team_0", "left:hub:0", "agent.team_0"]
    assert grid[2].tolist() == ["agent.team_1", "right:hub:1", "agent.team_1"]


def test_long_names_are_not_cut_off() -> None:
    name = "clipped_germanium_extractor"
    grid = MapGen.Config(width=3, height=3, instance=Random.Config(objects={name: 1})).create().build().grid
    assert (grid == name).sum() == 1


def test_the_same_seed_gives_the_same_map() -> None:
    assert (strewn(3) == strewn(3)).all()
    assert (strewn(3) != strewn(4)).any()
    assert (strewn(None) != strewn(None)).any()


def test_a_map_builder_without_a_seed_follows_the_seed_of_the_map() -> None:
    builder = RandomMapBuilder.Config(width=9, height=9, agents=9)
    grids = [MapGen.Config(seed=5, instance=builder).create().build().grid for _ in range(2)]
    assert (grids[0] == grids[1]).all()


def test_building_again_gives_the_same_map_in_new_memory() -> None:
    builder = MapGen.Config(width=8, height=8, seed=1, instance=Random.Config(agents=4)).create()
    kept = builder.build_for_num_agents(1).grid
    assert (kept == "agent.agent").sum() == 1
    assert (builder.build().grid == "agent.agent").sum() == 4


def test_spare_places_for_agents_are_dropped_at_random_or_in_order() -> None:
    def kept(fixed: bool) -> list[list[int]]:
        config = MapGen.Config(
            width=6, height=6, seed=3, border_width=1, instance=Random.Config(agents=6), fixed_spawn_order=fixed
        )
        return np.argwhere(config.create().build_for_num_agents(3).grid == "agent.agent").tolist()

    assert kept(fixed=True) == [[2, 6], [3, 6], [4, 6]]  # as the published generator places and keeps them
    assert kept(fixed=False) == [[2, 6], [4, 6], [6, 3]]


def test_the_scene_tree_tells_what_was_drawn_where() -> None:
    tree = MapGen.Config(width=4, height=3, instances=2, instance=Random.Config(agents=1)).create().get_scene_tree()
    assert tree["config"]["type"] == "mettagrid.mapgen.scenes.room_grid.RoomGrid.Config"
    assert [child["area"]["y"] for child in tree["children"]] == [5, 13]
    assert tree["render_with_children_end_time"] >= tree["render_end_time"] >= tree["render_start_time"]


def test_a_dump_loads_again() -> None:
    config = MapGen.Config(width=4, height=3, instance=Nop.Config(children=[{"scene": SCENE, "where": "full"}]))
    assert MapBuilderConfig.model_validate_json(config.model_dump_json()) == config
    assert next(iter(config.model_dump()["instance"])) == "type"


def test_lenient_loading_drops_unknown_keys_inside_instances() -> None:
    data = MapGen.Config(width=4, height=3, instance=Random.Config(agents=1)).model_dump()
    data["instance"]["news"] = 1
    assert MapBuilderConfig.model_validate(data, context=LENIENT_CONTEXT) == MapGen.Config(
        width=4, height=3, instance=Random.Config(agents=1)
    )
    with pytest.raises(ValidationError, match="news"):
        MapBuilderConfig.model_validate(data)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"instance": 5}, "An instance is a scene or a map builder"),
        ({"instance": {"agents": 1}}, "with the key 'type'"),
        ({"instance": {"type": "mettagrid.mapgen.scenes.random.Nothing"}}, "cannot be loaded"),
        ({"instance": {"type": "mettagrid.mapgen.scenes.random.Random"}}, "is not a configuration class"),
        ({"instance": DRAWN, "width": 3}, "omit width and height"),
        ({"instance": DRAWN, "seed": -1}, "greater than or equal to 0"),
        ({"instance": DRAWN, "instances": 2, "instance_names": ["a"]}, "1 instance_names for 2 instances"),
        ({"instance": DRAWN, "instance_object_remap": {"hub": "{team}"}}, "'hub' to '{team}'"),
    ],
)
def test_mistakes_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        MapGen.Config(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"instance": Nop.Config()}, "Nop fills any area; MapGen needs width and height"),
        ({"instance": Nop.Config(), "width": 0, "height": 3}, "0 columns"),
        ({"instance": DRAWN, "num_agents": 3}, "3 agents cannot be divided among instances with 2 each"),
        ({"instance": DRAWN, "num_agents": 4, "instances": 3}, "4 agents need 2 instances"),
        ({"instance": DRAWN, "num_agents": 4, "instance_names": ["a"]}, "1 instance_names for 2 instances"),
        ({"instance": Nop.Config(), "width": 3, "height": 3, "num_agents": 2}, "with 0 each"),
        ({"instance": Random.Config(agents=30), "width": 3, "height": 3}, "9 empty cells; 30 agents do not fit"),
        (
            {"instance": Random.Config(objects={"hub": 30}, too_many_is_ok=False), "width": 3, "height": 3},
            "30 objects do not fit",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MapGen.Config(**settings).create().build()
