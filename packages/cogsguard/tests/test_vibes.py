"""Vibes and talk (rules, section 7)."""

from mettagrid.config.filter import targetVibe
from mettagrid.config.mutation import changeTargetVibe

from .conftest import World

ROWS = ["########", "#@@&...#", "########"]


def test_vibes_can_be_switched_off() -> None:
    world = World(ROWS, ["no_vibes"])
    assert [action.name for action in world.env.game.actions.actions()][-1] == "move_east"
    assert len(world.env.game.vibe_names) == 7


def test_forced_roles_go_round_within_the_team() -> None:
    world = World(["########", "#@@@@@&#", "########"], ["forced_role_vibes"])
    names = world.env.game.vibe_names
    assert [names[agent.vibe] for agent in world.env.game.agents] == "miner aligner scrambler scout miner".split()
    assert not world.env.game.actions.change_vibe.enabled


def test_a_heart_is_cleared_by_using_its_object_and_a_cog_has_no_use() -> None:
    world = World(ROWS, ["clear_vibes"])
    handler = world.env.game.agents[0].on_after_use_handler
    assert (handler.filters, handler.mutations) == ([targetVibe("heart")], [changeTargetVibe("default")])
    world.step("noop", "change_vibe_heart")
    assert world.step("move_east")[0] is False
    assert [item["vibe"] for item in world.objects("agent")] == [0, 1]


def test_talk_takes_the_place_of_vibes() -> None:
    world = World(ROWS, ["talk"])
    talk = world.env.game.talk
    assert (talk.enabled, talk.max_length, talk.cooldown_steps) == (True, 140, 50)
    assert not world.env.game.actions.change_vibe.enabled
    world.sim.agent(0).set_talk("hello")
    world.step()
    heard = world.sim.agent(1).observation.talk
    assert [item.text for item in heard] == ["hello"]
