"""Talk between agents: when it is heard, by which agents, and which texts are rejected."""

import pytest

from mettagrid.compiler import ConfigWarning
from mettagrid.config.mettagrid_config import ObsConfig, TalkConfig
from mettagrid.simulator import Location, Simulation, SimulatorEventHandler, VisibleTalk

HALL = """
#########
#@.....@#
#.......#
#########
"""


@pytest.fixture
def talking(game):
    def make(cooldown=3, map_data=HALL, window=(5, 5), handlers=(), **talk):
        talk_config = TalkConfig(enabled=True, max_length=10, cooldown_steps=cooldown, **talk)
        config = game(map_data, talk=talk_config, obs=ObsConfig(height=window[0], width=window[1]))
        return Simulation(config, event_handlers=handlers)

    return make


def spoken(simulation, agent_id=0):
    state = simulation.talk_states().get(agent_id)
    return None if state is None else (state.text, state.remaining_steps)


def test_a_text_is_heard_after_the_tick_for_as_many_steps_as_the_cooldown(talking):
    simulation = talking(cooldown=3)
    simulation.agent(0).set_talk("hello")
    assert spoken(simulation) is None
    heard = []
    for _ in range(4):
        simulation.step()
        heard.append(spoken(simulation))
    assert heard == [("hello", 3), ("hello", 2), ("hello", 1), None]


def test_a_text_may_be_replaced_from_the_step_that_starts_after_the_cooldown(talking):
    simulation = talking(cooldown=3)
    agent = simulation.agent(0)
    agent.set_talk("one")
    for _ in range(2):
        simulation.step()
        with pytest.raises(ValueError, match="cooldown"):
            agent.set_talk("two")
    simulation.step()
    agent.set_talk("two")
    simulation.step()
    assert spoken(simulation) == ("two", 3)


@pytest.mark.parametrize("cooldown", [0, 1])
def test_a_short_cooldown_lets_an_agent_talk_at_every_step(talking, cooldown):
    simulation = talking(cooldown=cooldown)
    for text in ("a", "b", "c"):
        simulation.agent(0).set_talk(text)
        simulation.step()
        assert spoken(simulation) == (text, 1)
    simulation.step()
    assert spoken(simulation) is None


def test_the_last_text_queued_in_a_step_is_said(talking):
    simulation = talking()
    simulation.agent(0).set_talk("first")
    simulation.agent(0).set_talk("second")
    simulation.step()
    assert spoken(simulation) == ("second", 3)


def test_handlers_see_the_text_in_the_step_that_starts_it(talking):
    class Listener(SimulatorEventHandler):
        def on_step(self):
            self.heard = spoken(self._sim)

    listener = Listener()
    simulation = talking(handlers=[listener])
    simulation.agent(0).set_talk("hello")
    simulation.step()
    assert listener.heard == ("hello", 3)


@pytest.mark.parametrize(
    ("text", "reason"), [("", "empty"), (None, "empty"), ("x" * 11, "max_length 10")], ids=["empty", "none", "long"]
)
def test_a_text_that_is_empty_or_too_long_is_refused(talking, text, reason):
    simulation = talking()
    with pytest.raises(ValueError, match=reason):
        simulation.agent(0).set_talk(text)
    simulation.step()
    assert spoken(simulation) is None


def test_talk_is_refused_where_the_game_has_none(game):
    with pytest.raises(ValueError, match="talk is not enabled"):
        Simulation(game()).agent(0).set_talk("hello")


@pytest.mark.parametrize("text", [5, b"hello", ["hello"]])
def test_a_text_must_be_a_string(talking, text):
    with pytest.raises(TypeError, match="must be a string"):
        talking().agent(0).set_talk(text)


def test_speakers_hear_themselves_but_not_others_outside_their_window(talking):
    simulation = talking()
    near, far = simulation.agents()
    near.set_talk("hello")
    simulation.step()
    assert near.observation.talk == [VisibleTalk(0, "hello", Location(2, 2), 3)]
    assert far.observation.talk == []


def test_listeners_hear_speakers_in_their_window_in_order_of_id(talking):
    simulation = talking(map_data="@.@\n...\n..@")
    for agent in (2, 1, 0):
        simulation.agent(agent).set_talk(f"text {agent}")
    simulation.step()
    heard = [(talk.agent_id, talk.location) for talk in simulation.agent(1).observation.talk]
    assert heard == [(0, (2, 0)), (1, (2, 2)), (2, (4, 2))]
    assert [talk.agent_id for talk in simulation.agent(0).observation.talk] == [0, 1]


@pytest.mark.parametrize(
    ("window", "map_data", "heard"),
    [
        ((5, 5), "@..\n...\n.@.", True),  # the three cells at each tip of the disc
        ((5, 5), "@..\n...\n..@", False),
        ((3, 3), "@.\n.@", False),  # a disc of radius 1 has no tips
        ((9, 5), "@.\n..\n..\n.@", True),  # ellipse
        ((9, 5), "@..\n..@", False),
        ((6, 6), "@...\n...@", True),  # even windows count as the next odd one
        ((1, 5), "@.@", True),
        ((1, 5), "@\n@", False),
    ],
)
def test_what_is_in_the_window_depends_on_its_shape(talking, window, map_data, heard):
    simulation = talking(map_data=map_data, window=window)
    simulation.agent(0).set_talk("hello")
    simulation.step()
    assert bool(simulation.agent(1).observation.talk) is heard


def test_walls_do_not_stop_a_text(talking):
    simulation = talking(map_data="@#@")
    simulation.agent(0).set_talk("hello")
    simulation.step()
    assert [talk.text for talk in simulation.agent(1).observation.talk] == ["hello"]


def test_a_text_follows_its_speaker(talking):
    simulation = talking()
    speaker, listener = simulation.agents()
    speaker.set_talk("hello")
    speaker.set_action("move_east")
    listener.set_action("move_west")
    heard = []
    for _ in range(2):
        simulation.step()
        heard.append([talk.location for talk in listener.observation.talk])
    assert heard == [[], [(2, 0)]]


def test_holders_of_the_broadcast_resource_hear_each_other_anywhere(talking):
    simulation = talking(broadcast_resource="gold")
    left, right = simulation.agents()
    left.set_inventory({"gold": 1})
    left.set_talk("left")
    right.set_talk("right")
    simulation.step()
    assert [talk.text for talk in left.observation.talk] == ["left"]
    right.set_inventory({"gold": 2})
    simulation.step()
    middle = Location(2, 2)
    expected = [VisibleTalk(0, "left", middle, 2), VisibleTalk(1, "right", middle, 2)]
    assert left.observation.talk == right.observation.talk == expected
    right.set_inventory({})
    simulation.step()
    assert [talk.text for talk in left.observation.talk] == ["left"]


def test_a_broadcast_resource_the_game_does_not_have_changes_nothing(talking):
    with pytest.warns(ConfigWarning, match="radio"):
        simulation = talking(broadcast_resource="radio")
    simulation.agent(0).set_talk("hello")
    simulation.step()
    assert [talk.text for talk in simulation.agent(0).observation.talk] == ["hello"]
    assert simulation.agent(1).observation.talk == []


def test_an_agent_without_a_location_hears_nothing(talking):
    simulation = talking()
    simulation.agent(0).set_talk("hello")
    simulation.step()
    assert [talk.agent_id for talk in simulation._visible_talk(0)] == [0]
    simulation._agent_locations_by_id = {}
    simulation._agent_locations_step = simulation.current_step
    assert simulation._visible_talk(0) == []
    assert list(simulation.agent(0).observation.talk) == []
    simulation.step()
    assert [talk.agent_id for talk in simulation._visible_talk(0)] == [0]
