"""The game as a whole: defaults, checks, ids, environments."""

import copy
import pickle

import pytest
from pydantic import TypeAdapter, ValidationError

from mettagrid.builder.building import wall
from mettagrid.builder.envs import make_arena, make_navigation
from mettagrid.config.action_config import ActionConfig, ActionsConfig, ChangeVibeActionConfig, MoveActionConfig
from mettagrid.config.any_env_config import AnyEnvConfig, resolve_env_config_type
from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.config.id_map import make_multi_token_features, num_inventory_tokens_needed
from mettagrid.config.mettagrid_config import (
    AgentConfig,
    GameConfig,
    GlobalObsConfig,
    GridObjectConfig,
    InventoryConfig,
    MettaGridConfig,
    ObsConfig,
    WallConfig,
)
from mettagrid.config.render_config import RenderConfig, RenderHudConfig
from mettagrid.config.vibes import TRAINING_VIBES, VIBE_BY_NAME, VIBES, Vibe, search_vibes
from mettagrid.map_builder.random_map import RandomMapBuilder


def test_defaults_of_a_game() -> None:
    game = MettaGridConfig().game
    assert (game.num_agents, game.max_steps, game.obs.width, game.obs.num_tokens) == (24, 10000, 13, 500)
    assert game.resource_names[0] == "ore_red" and len(game.resource_names) == 10
    assert game.map_builder == RandomMapBuilder.Config(agents=24)
    assert game.agent.name == game.agent.map_name == "agent"
    assert [hud.short_name for hud in (game.render.hud1, game.render.hud2)] == ["HP", "E"]


def test_games_do_not_share_their_lists() -> None:
    GameConfig().add_resource("zz")
    assert "zz" not in GameConfig().resource_names


def test_dumping_and_loading_gives_an_equal_game() -> None:
    config = MettaGridConfig.EmptyRoom(num_agents=3)
    assert MettaGridConfig(**config.model_dump()) == config
    assert pickle.loads(pickle.dumps(config)) == config
    assert copy.deepcopy(config) == config


def test_vibe_names_follow_the_vibes() -> None:
    game = GameConfig(
        vibe_names=["stale"], actions=ActionsConfig(change_vibe=ChangeVibeActionConfig(vibes=[Vibe("x", "y")]))
    )
    assert game.vibe_names == ["y"]


def test_the_vibe_catalogue() -> None:
    assert len(VIBES) == len(VIBE_BY_NAME) == 152
    assert VIBES[0].name == "default" and VIBES[-1].name == "medium-shade"
    assert len(TRAINING_VIBES) == 16
    assert search_vibes("HEART")[0] == (10, VIBE_BY_NAME["heart_a"])


def test_actions_come_in_engine_order_without_disabled_ones() -> None:
    names = [action.name for action in ActionsConfig().actions()]
    assert names[:6] == ["noop", "move_north", "move_south", "move_west", "move_east", "change_vibe_default"]
    assert len(names) == 157
    fewer = ActionsConfig(move=MoveActionConfig(enabled=False), change_vibe=ChangeVibeActionConfig(enabled=False))
    assert [action.name for action in fewer.actions()] == ["noop"]
    with pytest.raises(TypeError):
        ActionConfig(action_handler="x")


@pytest.mark.parametrize(
    ("data", "kind"),
    [({"name": "a"}, GridObjectConfig), ({"pydantic_type": "wall"}, WallConfig), (AgentConfig(), AgentConfig)],
)
def test_objects_are_told_apart_by_their_type(data: object, kind: type) -> None:
    assert type(GameConfig(objects={"k": data}).objects["k"]) is kind


@pytest.mark.parametrize("data", [3, {}, {"pydantic_type": "agent", "name": "a"}, {"pydantic_type": None, "name": "a"}])
def test_other_objects_are_refused(data: object) -> None:
    with pytest.raises(ValidationError):
        GameConfig(objects={"k": data})


def test_the_name_on_maps_is_the_type_name_unless_given() -> None:
    assert WallConfig(name="rock").map_name == "rock"
    assert GridObjectConfig(name="a", map_name="b").map_name == "b"


def test_agents_cannot_block_vision() -> None:
    with pytest.raises(ValidationError, match="only other objects can block vision"):
        AgentConfig(blocks_vision=True)


@pytest.mark.parametrize(
    ("place", "game"),
    [
        ("objects.k", {"objects": {"k": {"name": "a", "territory_controls": [{"territory": "t"}]}}}),
        ("agent", {"agent": {"territory_controls": [{"territory": "t"}]}}),
        (r"agents\[0\]", {"agents": [{"territory_controls": [{"territory": "t"}]}]}),
    ],
)
def test_controlled_territories_must_exist(place: str, game: dict) -> None:
    with pytest.raises(ValidationError, match=f"{place} controls the territory 't'; the territories are: none"):
        GameConfig(**game)
    GameConfig(territories={"t": {"tag_prefix": "p"}}, **game)


def test_resources_are_added_once() -> None:
    game = GameConfig()
    game.add_resource("zz")
    assert game.resource_names[-1] == "zz"
    with pytest.raises(AssertionError, match="'zz' exists already"):
        game.add_resource("zz")


def test_limit_of_a_resource() -> None:
    inventory = InventoryConfig(default_limit=9, limits={"g": {"base": 3, "resources": ["a"]}})
    assert (inventory.get_limit("a"), inventory.get_limit("b")) == (3, 9)


def test_huds_are_sorted_by_rank_and_name() -> None:
    huds = {name: RenderHudConfig(resource=name, rank=rank) for name, rank in (("b", 0), ("a", 0), ("c", -1))}
    assert list(RenderConfig(agent_huds=huds).agent_huds) == ["c", "a", "b"]
    assert RenderHudConfig(resource="hp", short_name="").short_name == "HP"


def test_an_empty_room_has_walls_when_it_has_a_border() -> None:
    room = MettaGridConfig.EmptyRoom(num_agents=2, width=5, height=6).game
    assert list(room.objects) == ["wall"] and room.render.symbols == {"wall": "⬛"}
    assert room.map_builder == RandomMapBuilder.Config(agents=2, width=5, height=6, border_width=1)
    assert MettaGridConfig.EmptyRoom(2, border_width=0).game.objects == {}
    assert list(MettaGridConfig.EmptyRoom(2, border_width=0, with_walls=True).game.objects) == ["wall"]


def test_the_map_can_be_replaced_by_a_drawn_one() -> None:
    config = MettaGridConfig()
    assert config.with_ascii_map([["#", "@", "x"]], {"x": "chest"}) is config
    assert config.game.map_builder.char_to_map_name["x"] == "chest"


def test_example_environments() -> None:
    navigation = make_navigation(num_agents=3)
    assert (navigation.game.num_agents, navigation.game.resource_names) == (3, ["heart"])
    arena = make_arena(num_agents=4, combat=False, map_builder=RandomMapBuilder.Config(agents=4))
    assert (arena.label, arena.game.actions.attack.consumed_resources) == ("arena", {"laser": 100})
    assert arena.game.agent.inventory.get_limit("heart") == 255
    arena.game.objects["wall"].tags.append("mine")
    assert wall.tags == []


FIRST_FEATURES = (
    "agent:group episode_completion_pct last_action last_reward goal vibe tag "
    "lp:east lp:west lp:north lp:south agent_id"
).split()


def test_features_in_their_fixed_order() -> None:
    game = GameConfig(
        resource_names=["a", "b"],
        obs=ObsConfig(
            aoe_mask=True, territory=True, global_obs=GlobalObsConfig(last_action_move=True, obs={"q": {"item": "a"}})
        ),
    )
    features = game.id_map().features()
    assert [feature.name for feature in features] == [
        *FIRST_FEATURES,
        *"inv:a inv:a:p1 inv:b inv:b:p1".split(),
        *"protocol_input:a protocol_input:b protocol_output:a protocol_output:b".split(),
        *"q q:p1 aoe_mask last_action_move".split(),
        *"territory:here territory:north territory:south territory:east territory:west".split(),
    ]
    assert [feature.id for feature in features] == list(range(len(features)))
    assert [feature.normalization for feature in features][-7:] == [3, 1, 3, 9, 9, 9, 9]
    assert game.id_map().feature("inv:a").normalization == 256


@pytest.mark.parametrize(("base", "parts"), [(2, 16), (10, 5), (100, 3), (256, 2), (65536, 1)])
def test_number_of_digits(base: int, parts: int) -> None:
    assert num_inventory_tokens_needed(65535, base) == parts
    game = GameConfig(resource_names=["a"], protocol_details_obs=False, obs=ObsConfig(token_value_base=base))
    assert len(game.id_map().features()) == 12 + parts


def test_unknown_features_are_key_errors() -> None:
    with pytest.raises(KeyError, match="no observation feature called 'nope'"):
        GameConfig().id_map().feature_id("nope")
    assert GameConfig().id_map().feature_id("vibe") == 5


def test_features_of_several_digits() -> None:
    features, following = make_multi_token_features("a", 3, 2.0, 3)
    assert ([feature.name for feature in features], following) == (["a", "a:p1", "a:p2"], 6)


def test_tags_in_alphabetical_order() -> None:
    game = GameConfig(
        tags=["z", "a"],
        objects={"w": WallConfig(tags=["q"])},
        materialize_queries=[{"tag": "m", "query": {"query_type": "query", "source": "a"}}],
    )
    assert game.id_map().tag_names() == ["a", "m", "q", "type:agent", "type:wall", "z"]


def test_tags_of_the_agent_template_do_not_count_when_agents_are_listed() -> None:
    game = GameConfig(agents=[AgentConfig(name="b", tags=["t1"])], agent=AgentConfig(name="c", tags=["t2"]))
    assert game.id_map().tag_names() == ["t1", "type:b"]


def test_environments_are_told_apart_by_their_engine() -> None:
    environments = TypeAdapter(AnyEnvConfig)
    assert type(environments.validate_python({})) is MettaGridConfig
    assert type(environments.validate_python({"game_engine": "bitworld"})) is BitWorldEnvConfig
    with pytest.raises(ValidationError):
        environments.validate_python({"game_engine": "x"})
    assert resolve_env_config_type({}) is MettaGridConfig
    for unknown in ("zz", None, []):
        with pytest.raises(ValueError, match="Unknown game engine"):
            resolve_env_config_type({"game_engine": unknown})


def test_dumped_environments_can_be_changed_unread() -> None:
    config = MettaGridConfig().model_dump()
    kind = resolve_env_config_type(config)
    kind.set_map_seed(config, 7)
    kind.set_max_steps(config, 50)
    assert (config["game"]["map_builder"]["seed"], kind.get_max_steps(config), kind.get_num_agents(config)) == (
        7,
        50,
        24,
    )
    with pytest.raises(KeyError, match="no seed to set"):
        kind.set_map_seed({"game": {"map_builder": {}}}, 7)
    assert (BitWorldEnvConfig().num_agents, BitWorldEnvConfig().manages_own_policies) == (5, True)
