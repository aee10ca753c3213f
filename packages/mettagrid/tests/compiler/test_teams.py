"""The assignment of agents to cells (rules, section 1.2)."""

import pytest

from mettagrid.compiler import CompileError, ConfigWarning
from mettagrid.config.mettagrid_config import AgentConfig
from mettagrid.mettagrid_c import MettaGrid


def team(*ids, **fields):
    return [AgentConfig(team_id=i, **fields) for i in ids]


@pytest.fixture
def build(game):
    """A world with a row of cells and agents of the given teams, each with its place in the list as initial stat."""

    def build(cells, agents):
        for i, agent in enumerate(agents):
            agent.initial_stats = {"listed": float(i)}
        return MettaGrid(game(agents=agents, num_agents=len(cells)), [cells], 0)

    return build


def listed(world):
    """For each agent on the map, its place in the list of the config."""
    return [stats["listed"] for stats in world.get_episode_stats()["agent"]]


def groups(world):
    return [(thing["group_id"], thing["group_name"]) for thing in world.grid_objects().values()]


def test_teams_are_numbered_by_first_appearance_and_named_by_id(build):
    world = build(["agent.group_2", "agent.yellow", "agent.blue"], team(3, 1, 17))
    assert groups(world) == [(2, "group_2"), (0, "yellow"), (1, "blue")]


@pytest.mark.parametrize(
    "cell", ["agent.yellow", "agent.team_0", "agent.team_3", "agent.default", "agent.agent", "agent.red"]
)
def test_the_first_team_answers_to_all_its_names(build, cell):
    assert groups(build([cell], team(3))) == [(0, "yellow")]


def test_cells_of_a_team_are_filled_in_map_order(build):
    cells = ["agent.blue", "agent.red", "agent.blue", "agent.red"]
    assert listed(build(cells, team(0, 1, 0, 1))) == [1, 0, 3, 2]


def test_each_spelling_of_a_team_counts_for_itself(build):
    assert listed(build(["agent.red", "agent.default", "agent.red"], team(0, 0, 0))) == [0, 0, 1]


def test_an_agent_can_be_named(build):
    assert listed(build(["agent.red.2", "agent.red.0", "agent.red.1"], team(0, 0, 0))) == [2, 0, 1]


def test_an_agent_named_twice_stands_there_twice(build):
    assert listed(build(["agent.red.1", "agent.red.1"], team(0, 0))) == [1, 1]


def test_more_cells_than_agents_of_a_team_are_refused(build):
    with pytest.raises(CompileError, match=r"^The map has more 'agent\.red' cells than team 0 has agents \(2\)\.$"):
        build(["agent.red"] * 3, team(0, 0, 1))


def test_an_agent_beyond_the_last_is_an_unknown_cell(build):
    with pytest.raises(CompileError, match=r"^Unknown object type: agent\.red\.2 \(map row 0, column 1\)$"):
        build(["agent.red.0", "agent.red.2"], team(0, 0))


@pytest.mark.parametrize(
    ("teams", "cells", "expected"),
    [
        ([1, 2], ["agent.team_1", "agent.team_1"], [(1, "green"), (1, "green")]),
        ([1, 2], ["agent.red", "agent.blue"], [(0, "blue"), (1, "green")]),
        ([1, 0], ["agent.red", "agent.blue"], [(1, "red"), (1, "red")]),
        ([1, 2, 3], ["agent.team_1", "agent.team_2", "agent.team_3"], [(1, "green"), (2, "yellow"), (2, "yellow")]),
        ([1, 1, 2, 2], ["agent.team_1", "agent.team_2"] * 2, [(1, "green")] * 4),
        ([1, 4, 1], ["agent.team_1", "agent.default", "agent.purple"], [(0, "blue"), (0, "blue"), (1, "purple")]),
        ([4, 4, 0], ["agent.team_1", "agent.blue", "agent.red"], [(0, "purple")] * 3),
        ([9, 9, 2, 2, 0], ["agent.green", "agent.team_1"], [(0, "group_0"), (1, "green")]),
    ],
)
def test_a_name_that_several_teams_claim_means_one_of_them(build, teams, cells, expected):
    with pytest.warns(ConfigWarning, match="could mean teams"):
        assert groups(build(cells, team(*teams))) == expected


def test_a_name_that_several_teams_claim_is_refused_when_strict(game):
    with pytest.raises(
        CompileError, match=r"^The map cell 'agent\.green' could mean teams 2 and 5; it means team 5\. "
    ):
        MettaGrid(game(agents=team(2, 1, 5), num_agents=1), [["agent.green"]], 0, strict=True)


def test_a_name_that_two_teams_claim_may_go_unused(build):
    world = build(["agent.green.0", "agent.blue", "agent.orange"], team(2, 1, 5))
    assert groups(world) == [(0, "green"), (1, "blue"), (2, "orange")]


def test_agents_of_a_team_must_have_the_same_tags(build):
    agents = [*team(0, 1, tags=["a", "b"]), AgentConfig(team_id=0, tags=["c", "b"])]
    with pytest.raises(CompileError) as error:
        build(["agent.red"], agents)
    assert str(error.value) == (
        "game.agents[2].tags: All agents in team 0 must have identical tags; this one has ['b', 'c'], "
        "the first one ['a', 'b']"
    )


def test_the_order_of_tags_does_not_matter(build):
    agents = [AgentConfig(tags=["a", "b"]), AgentConfig(tags=["b", "a", "a"])]
    assert listed(build(["agent.red", "agent.red"], agents)) == [0, 1]


def test_cells_are_counted_under_the_names_of_the_agents(build):
    stats = build(["agent.agent", "agent.agent", "agent.blue"], team(0, 0, 1)).get_episode_stats()["game"]
    counted = {name: value for name, value in stats.items() if name.startswith("objects.")}
    assert counted == {"objects.agent.red.0": 1, "objects.agent.red.1": 1, "objects.agent.blue": 1}
