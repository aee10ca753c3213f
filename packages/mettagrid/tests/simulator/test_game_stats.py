"""Handlers that watch the game stats: ending an episode, averaging."""

import pytest

from mettagrid.config.handler_config import Handler
from mettagrid.config.mutation import logStatToGame
from mettagrid.simulator import Simulation, SimulatorEventHandler
from mettagrid.simulator.game_stat_end_handler import GameStatEndEpisodeHandler
from mettagrid.simulator.time_averaged_stats import TimeAveragedStatsHandler


@pytest.fixture
def counting(game):
    """A game with the stat `ticks`, which counts steps."""

    def make(**fields):
        return game(on_tick=Handler(mutations=[logStatToGame("ticks")]), **fields)

    return make


def test_a_stat_that_reaches_its_threshold_truncates_the_episode(counting):
    simulation = Simulation(counting(end_episode_on_game_stats={"ticks": 3}))
    for _ in range(2):
        simulation.step()
        assert not simulation.is_done()
        assert simulation._context == {}
    simulation.step()
    assert simulation._c_sim.truncations().tolist() == [True, True]
    assert simulation._context == {
        "termination": {"reason": "game_stat_threshold", "stat": "ticks", "threshold": 3.0, "value": 3.0}
    }


def test_the_reason_is_there_at_the_end_of_the_step_but_after_the_callers_handlers(counting):
    class Watcher(SimulatorEventHandler):
        def on_step(self):
            self.at_step = dict(self._sim._context)

        def on_episode_end(self):
            self.at_end = dict(self._sim._context)

    watcher = Watcher()
    Simulation(counting(end_episode_on_game_stats={"ticks": 1}), event_handlers=[watcher]).step()
    assert watcher.at_step == {}
    assert watcher.at_end["termination"]["stat"] == "ticks"


def test_the_reason_stays_the_first_one_when_stepping_goes_on(counting):
    simulation = Simulation(counting(end_episode_on_game_stats={"ticks": 2}))
    for _ in range(4):
        simulation.step()
    assert simulation._context["termination"]["value"] == 2.0


def test_the_first_threshold_in_the_config_wins(counting):
    simulation = Simulation(counting(end_episode_on_game_stats={"ticks": 1, "objects.wall": 1}))
    simulation.step()
    assert simulation._context["termination"]["stat"] == "ticks"


@pytest.mark.parametrize("threshold", [0, -1])
def test_a_stat_nobody_wrote_is_absent_and_not_zero(counting, threshold):
    simulation = Simulation(counting(end_episode_on_game_stats={"unheard": threshold}))
    simulation.step()
    assert not simulation.is_done()


def test_nothing_is_checked_before_the_first_step(counting):
    simulation = Simulation(counting(end_episode_on_game_stats={"objects.wall": 1}))
    assert not simulation.is_done()
    simulation.step()
    assert simulation.is_done()


def test_the_handler_can_be_used_by_hand_again_and_again(counting):
    handler = GameStatEndEpisodeHandler({"ticks": 1})
    for _ in range(2):
        simulation = Simulation(counting(), event_handlers=[handler])
        simulation._context["termination"] = {"note": "kept"}
        simulation.step()
        assert simulation.is_done()
        assert simulation._context["termination"]["note"] == "kept"
        assert simulation._context["termination"]["threshold"] == 1.0


def test_time_averages_are_means_over_the_steps_and_start_anew_each_episode(counting):
    handler = TimeAveragedStatsHandler()
    assert handler.time_averaged_game_stats == {}
    simulation = Simulation(counting(), event_handlers=[handler])
    for _ in range(3):
        simulation.step()
    assert handler.time_averaged_game_stats["ticks"] == 2.0
    assert handler.time_averaged_game_stats["objects.wall"] == 18.0
    Simulation(counting(), event_handlers=[handler])
    assert handler.time_averaged_game_stats == {}
