"""The order of events in an episode: steps, handlers, the end, closing."""

import gc
import weakref

import pytest

from mettagrid.simulator import Simulation, SimulationClosedError, Simulator, SimulatorEventHandler


def test_handlers_are_told_in_order_of_registration_and_the_first_step_is_step_1(game, recorder):
    log = []
    simulation = Simulation(game(max_steps=2), event_handlers=[recorder("a", log), recorder("b", log)])
    simulation.step()
    simulation.step()
    simulation.close()
    assert log == [
        *[("a", "start", 0), ("b", "start", 0)],
        *[("a", "step", 1), ("b", "step", 1)],
        *[("a", "step", 2), ("b", "step", 2), ("a", "end", 2), ("b", "end", 2)],
        *[("a", "close", 2), ("b", "close", 2)],
    ]


def test_a_finished_simulation_can_be_stepped_and_ends_again(game, recorder):
    log = []
    simulation = Simulation(game(max_steps=1), event_handlers=[recorder("a", log)])
    simulation.step()
    simulation.step()
    assert simulation.current_step == 2
    assert log[1:] == [("a", "step", 1), ("a", "end", 1), ("a", "step", 2), ("a", "end", 2)]


def test_a_handler_gets_the_simulation_before_the_engine_exists(game):
    class Early(SimulatorEventHandler):
        def set_simulation(self, simulation):
            super().set_simulation(simulation)
            self.agents_then = len(simulation.config.game.agents)
            simulation._context["mine"] = 1

    handler = Early()
    simulation = Simulation(game(), event_handlers=[handler])
    assert handler._sim is simulation
    assert handler.agents_then == 0
    assert simulation._context == {"mine": 1}


def test_the_list_of_handlers_is_copied(game, recorder):
    handlers = [recorder("a", [])]
    simulation = Simulation(game(), event_handlers=handlers)
    handlers.append(recorder("late", []))
    simulation.step()
    assert handlers[1].log == []


@pytest.mark.parametrize("truncates", [False, True])
def test_the_last_step_sets_terminals_or_truncations_of_all_agents(game, truncates):
    simulation = Simulation(game(max_steps=2, episode_truncates=truncates))
    simulation.step()
    assert not simulation.is_done()
    simulation.step()
    assert simulation.is_done()
    assert simulation._c_sim.truncations().tolist() == [truncates] * 2
    assert simulation._c_sim.terminals().tolist() == [not truncates] * 2


@pytest.mark.parametrize("flags", ["terminals", "truncations"])
def test_done_needs_every_agent_to_be_done_in_the_same_way(game, flags):
    simulation = Simulation(game())
    getattr(simulation._c_sim, flags)()[0] = True
    assert simulation.is_done() is False
    getattr(simulation._c_sim, flags)()[1] = True
    assert simulation.is_done() is True


def test_one_terminal_and_one_truncated_agent_are_not_done(game):
    simulation = Simulation(game())
    simulation._c_sim.terminals()[0] = True
    simulation._c_sim.truncations()[1] = True
    assert not simulation.is_done()


def test_end_episode_truncates_everybody_and_ends_the_running_step(game, recorder):
    class Stop(SimulatorEventHandler):
        def on_step(self):
            self._sim.end_episode()

    log = []
    simulation = Simulation(game(), event_handlers=[Stop(), recorder("a", log)])
    simulation.step()
    assert simulation.is_done()
    assert simulation._c_sim.truncations().tolist() == [True, True]
    assert log == [("a", "start", 0), ("a", "step", 1), ("a", "end", 1)]


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s.current_step,
        lambda s: s.episode_stats,
        lambda s: s.episode_rewards,
        lambda s: s.map_width,
        lambda s: s.step(),
        lambda s: s.is_done(),
        lambda s: s.end_episode(),
        lambda s: s.observations(),
        lambda s: s.grid_objects(),
        lambda s: s.talk_states(),
        lambda s: s.agent(0).set_action("noop"),
    ],
)
def test_a_closed_simulation_raises_attribute_errors(game, use):
    simulation = Simulation(game())
    simulation.close()
    with pytest.raises(AttributeError):
        use(simulation)


def test_a_closed_simulation_says_so_and_still_knows_its_config(game):
    simulation = Simulation(game(), seed=4)
    simulation.close()
    with pytest.raises(SimulationClosedError, match="This simulation is closed"):
        simulation.step()
    assert (simulation.seed, simulation.num_agents, simulation.action_names[0]) == (4, 2, "noop")


def test_closing_twice_tells_the_handlers_once(game, recorder):
    log = []
    simulation = Simulation(game(), event_handlers=[recorder("a", log)])
    simulation.close()
    simulation.close()
    assert log == [("a", "start", 0), ("a", "close", 0)]


def test_a_simulator_gives_its_handlers_to_every_new_simulation(game, recorder):
    log = []
    simulator = Simulator()
    handler = recorder("a", log)
    simulator.add_event_handler(handler)
    first = simulator.new_simulation(game())
    simulator.add_event_handler(recorder("late", log))
    first.step()
    second = simulator.new_simulation(game())
    assert handler._sim is second
    assert log == [("a", "start", 0), ("a", "step", 1), ("a", "start", 0), ("late", "start", 0)]


def test_closing_a_simulator_closes_its_last_simulation_and_it_can_go_on(game):
    simulator = Simulator()
    first, second = simulator.new_simulation(game()), simulator.new_simulation(game())
    simulator.close()
    first.step()
    with pytest.raises(AttributeError):
        second.step()
    simulator.close()
    simulator.new_simulation(game()).step()


def test_empty_agents_are_written_into_the_callers_config_in_team_0(game):
    config = game()
    config.game.agent.team_id = 3
    simulation = Simulation(config)
    assert simulation.config is config
    assert [agent.team_id for agent in config.game.agents] == [0, 0]
    assert config.game.agent.team_id == 3
    assert config.game.agents[0] is not config.game.agents[1]


def test_the_properties_describe_the_game(game):
    simulation = Simulation(game(), seed=5)
    assert (simulation.seed, simulation.num_agents, simulation.current_step) == (5, 2, 0)
    assert (simulation.map_width, simulation.map_height) == (7, 4)
    assert simulation.resource_names == ["gold", "ore"]
    assert simulation.object_type_names[:2] == ["agent", "wall"]
    assert (simulation.num_observation_tokens, simulation.observation_shape) == (500, (500, 3))
    assert simulation.episode_rewards.tolist() == [0.0, 0.0]
    assert simulation.action_success == [False, False]
    assert [simulation.get_feature(feature.id) for feature in simulation.features] == simulation.features
    assert [feature.id for feature in simulation.features] == list(range(len(simulation.features)))
    assert simulation.talk_states() == {}


def test_episode_stats_have_one_table_for_the_game_and_one_per_agent(game):
    simulation = Simulation(game())
    simulation.agent(1).set_action("move_south")
    simulation.step()
    stats = simulation.episode_stats
    assert stats["game"]["objects.wall"] == 18.0
    assert [agent.get("action.noop.success") for agent in stats["agent"]] == [1.0, None]
    assert stats["agent"][1]["action.move.success"] == 1.0


def test_without_a_seed_one_is_drawn_and_reported(game):
    seeds = {Simulation(game(), seed=None).seed for _ in range(4)}
    assert len(seeds) > 1
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_a_simulation_that_is_dropped_frees_its_engine_at_once(game):
    simulation = Simulation(game())
    assert simulation.agent(0).observation.tokens
    left = [weakref.ref(simulation), weakref.ref(simulation._c_sim)]
    gc.disable()
    try:
        del simulation
        assert [reference() for reference in left] == [None, None]
    finally:
        gc.enable()
