"""A program: its data, its immutability, and the cache."""

import dataclasses

import pytest

from mettagrid.compiler import ConfigWarning, compile, compiled
from mettagrid.compiler.cache import MAX_PROGRAMS
from mettagrid.config.game_value import val
from mettagrid.config.handler_config import Handler, updateActor
from mettagrid.config.mettagrid_config import AgentConfig, AgentReward, GridObjectConfig, MettaGridConfig, ObsConfig
from mettagrid.config.render_config import RenderConfig
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.mettagrid_c import MettaGrid


def test_a_program_names_what_the_config_names(game):
    program = compile(game(tags=["zebra"], agent=AgentConfig(tags=["ant"])))
    assert program.tag_names == ["ant", "type:agent", "type:box", "type:wall", "zebra"]
    assert program.type_names == ["agent", "box", "wall"]
    assert program.resource_names == ["gold", "ore"]
    assert program.action_names[:6] == [
        "noop",
        "move_north",
        "move_south",
        "move_west",
        "move_east",
        "change_vibe_default",
    ]
    assert program.feature_names[11:16] == ["agent_id", "inv:gold", "inv:gold:p1", "inv:ore", "inv:ore:p1"]


def test_a_whole_config_and_its_game_give_the_same_program(game):
    of_game, of_config = compile(game()), compile(MettaGridConfig(game=game()))
    assert of_game.native.bytes == of_config.native.bytes
    assert of_game.tag_names == of_config.tag_names


def test_a_program_cannot_be_assigned_to(game):
    program = compile(game())
    with pytest.raises(dataclasses.FrozenInstanceError):
        program.max_steps = 3


def test_changing_the_config_later_does_not_change_the_program(game):
    config = game(agent=AgentConfig(on_tick=Handler(mutations=[updateActor({"gold": 2})])))
    program = compile(config)
    config.agent.on_tick.mutations[0].deltas["gold"] = 5
    config.resource_names.append("iron")
    world = MettaGrid(program, [["agent.agent"]], 0)
    world.step()
    assert world.get_agent_stat(0, "gold.amount") == 2
    assert world.resource_names == ["gold", "ore"]


def test_the_lists_a_world_hands_out_are_the_callers(game):
    program = compile(game())
    world = MettaGrid(program, [["agent.agent"]], 0)
    for name in ("object_type_names", "resource_names", "action_names"):
        getattr(world, name).clear()
        assert getattr(world, name), name
    world.visible_offsets().clear()
    assert world.visible_offsets()
    assert MettaGrid(program, [["agent.agent"]], 0).resource_names == ["gold", "ore"]


def test_an_equal_game_is_compiled_once(game):
    assert compiled(game(max_steps=77)) is compiled(game(max_steps=77))
    assert compiled(game(max_steps=77)) is compiled(MettaGridConfig(game=game(max_steps=77)))


def test_map_and_looks_do_not_make_another_program(game):
    first = compiled(game(max_steps=78))
    assert compiled(game(max_steps=78, map_builder=RandomMapBuilder.Config(agents=1, width=5, height=5))) is first
    assert compiled(game(max_steps=78, render=RenderConfig(symbols={"box": "x"}))) is first


@pytest.mark.parametrize(
    "fields",
    [
        {"max_steps": 80},
        {"resource_names": ["ore", "gold"]},
        {"objects": {"box": GridObjectConfig(name="box"), "wall": GridObjectConfig(name="wall")}},
        {"agent": AgentConfig(rewards={"r": AgentReward(reward=val(1))})},
        {"obs": ObsConfig(width=5)},
    ],
)
def test_another_rule_makes_another_program(game, fields):
    assert compiled(game(**({"max_steps": 79} | fields))) is not compiled(game(max_steps=79))


def test_corrections_make_another_program(game):
    assert compiled(game(), corrections={"sight"}) is not compiled(game())
    assert compiled(game(), corrections=["sight", "game_tick"]) is compiled(game(), corrections={"game_tick", "sight"})


def test_numbers_that_json_does_not_know_are_told_apart(game):
    rewards = []
    for value in (float("inf"), float("-inf"), float("nan")):
        agent = AgentConfig(rewards={"r": AgentReward(reward=val(value), per_tick=True)})
        world = MettaGrid(game(agent=agent), [["agent.agent"]], 0)
        world.step()
        rewards.append(str(world.rewards()[0]))
    assert rewards == ["inf", "-inf", "nan"]


def test_a_changed_config_is_not_mistaken_for_its_former_self(game):
    config = game(max_steps=81)
    first = compiled(config)
    config.max_steps = 82
    assert compiled(config).max_steps == 82
    config.max_steps = 81
    assert compiled(config) is first


def test_only_the_latest_programs_are_kept(game):
    first = compiled(game(max_steps=1001))
    for i in range(MAX_PROGRAMS):
        compiled(game(max_steps=2000 + i))
    assert compiled(game(max_steps=1001)) is not first


def test_a_program_found_again_does_not_warn_again(game, recwarn):
    config = game(max_steps=83, obs=ObsConfig(aoe_mask=True))
    with pytest.warns(ConfigWarning):
        compiled(config)
    recwarn.clear()
    compiled(config)
    assert not recwarn


@pytest.mark.parametrize("config", [None, {}, "arena", 3])
def test_what_is_no_config_is_a_type_error(config):
    for make in (compile, compiled):
        with pytest.raises(TypeError, match="GameConfig or MettaGridConfig, not "):
            make(config)
