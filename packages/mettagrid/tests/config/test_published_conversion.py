"""Games compiled under the published name of the conversion."""

import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import hasTag
from mettagrid.config.mettagrid_c_config import convert_to_cpp_game_config, rename_map_agents
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, MettaGridConfig
from mettagrid.config.mutation import logStat
from mettagrid.config.tag import typeTag
from mettagrid.mettagrid_c import MettaGrid


def test_a_compiled_game_has_its_numbers_and_plays() -> None:
    game = MettaGridConfig.EmptyRoom(num_agents=2).game
    compiled, rename_map = convert_to_cpp_game_config(game)
    assert (compiled.num_agents, compiled.max_steps, compiled.num_observation_tokens) == (2, 10000, 500)
    assert (compiled.obs_width, compiled.obs_height) == (game.obs.width, game.obs.height)
    assert compiled.resource_names == game.resource_names
    assert compiled.tag_id_map == {0: "type:agent", 1: "type:wall"}
    assert compiled.feature_ids["agent:group"] == 0
    rows = rename_map_agents([["agent.agent", "empty", "agent.agent"]], rename_map)
    assert rows == [["agent.red.0", "empty", "agent.red.1"]]
    world = MettaGrid(compiled, rows, 7)
    world.step()
    assert world.current_step == 1


def test_a_dict_is_read_as_a_game() -> None:
    compiled, rename_map = convert_to_cpp_game_config(GameConfig(num_agents=2).model_dump())
    names = ["agent.red.0", "agent.red.1"]
    assert rename_map == dict.fromkeys(["agent.red", "agent.team_0", "agent.default", "agent.agent"], names)
    assert compiled.vibe_names[0] == "default"


def test_cells_of_teams_of_one_agent_keep_their_names() -> None:
    game = GameConfig(num_agents=4, agents=[AgentConfig(team_id=team) for team in (1, 0, 1, 2)])
    _, rename_map = convert_to_cpp_game_config(game)
    assert list(rename_map) == [f"agent.{name}" for name in ("blue", "team_0", "team_1", "red", "default", "agent")]
    assert "agent.team_2" not in rename_map
    with pytest.raises(ValueError, match=r"more 'agent.blue' cells \(3\) than agents in the group \(2\)"):
        rename_map_agents([["agent.blue"] * 3], rename_map)


def test_events_have_their_times_and_targets() -> None:
    event = {"target_query": typeTag("agent"), "filters": [hasTag(typeTag("agent"))], "mutations": [logStat("x")]}
    events = {
        "few": EventConfig(name="few", timesteps=[10, 20], max_targets=5, **event),
        "all": EventConfig(name="all", timesteps=[1], max_targets=None, **event),
    }
    compiled, _ = convert_to_cpp_game_config(GameConfig(num_agents=1, events=events))
    assert {name: (event.timesteps, event.max_targets) for name, event in compiled.events.items()} == {
        "few": ([10, 20], 5),
        "all": ([1], -1),
    }


def test_agents_of_a_team_must_have_the_same_tags() -> None:
    agents = [AgentConfig(team_id=0, tags=["a"]), AgentConfig(team_id=0, tags=["b"])]
    with pytest.raises(ValueError, match="All agents in team 0 must have identical tags"):
        convert_to_cpp_game_config(GameConfig(num_agents=2, agents=agents))
