"""Handlers of episodes: the early end of the first one, stats at the end of each."""

from datetime import datetime

import numpy as np
import pytest

from mettagrid.config.handler_config import Handler
from mettagrid.config.mutation.stats_mutation import logStatToGame
from mettagrid.envs import EarlyResetHandler, StatsTracker
from mettagrid.envs.early_reset_handler import early_step
from mettagrid.simulator import Simulation, Simulator
from mettagrid.util.stats_writer import NoopStatsWriter, StatsWriter


def play_out(sim: Simulation) -> tuple[int, bool]:
    """Steps until it is done, and whether it was truncated."""
    while not sim.is_done():
        sim.step()
    return sim.current_step, bool(sim._c_sim.truncations().all())


# Seen with the published handler in a game of 100 steps.
@pytest.mark.parametrize(("seed", "step"), [(0, 86), (1, 48), (2, 84), (3, 82), (7, 95), (42, 9)])
def test_the_first_episode_ends_early_and_no_other(room, seed: int, step: int) -> None:
    simulator = Simulator()
    simulator.add_event_handler(EarlyResetHandler())
    episodes = [play_out(simulator.new_simulation(room(max_steps=100), seed=seed)) for _ in range(3)]
    assert episodes == [(step, True), (100, False), (100, False)]


def test_an_episode_that_was_given_up_does_not_count(room) -> None:
    simulator = Simulator()
    simulator.add_event_handler(EarlyResetHandler())
    simulator.new_simulation(room(max_steps=100), seed=0).step()
    assert play_out(simulator.new_simulation(room(max_steps=100), seed=1)) == (86, True)


def test_a_game_without_a_limit_is_not_cut_short(room) -> None:
    assert early_step(0, 0) is None
    simulator = Simulator()
    simulator.add_event_handler(EarlyResetHandler())
    sim = simulator.new_simulation(room(max_steps=0))
    for _ in range(20):
        sim.step()
    assert not sim.is_done()


class Book(StatsWriter):
    """Stores the recorded episodes."""

    def __init__(self) -> None:
        self.episodes: list[tuple] = []
        self.closed = 0

    def record_episode(self, *episode) -> int:
        self.episodes.append(episode)
        return len(self.episodes)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def played(room) -> tuple[Simulation, Book]:
    """Agent 0 tries to go north for four steps, the others stay."""
    config = room(max_steps=4)
    config.label = "small"
    config.game.reward_estimates = {"best_case_optimal_reward": 3.0, "worst_case_optimal_reward": 1.0}
    config.game.on_tick = Handler(mutations=[logStatToGame("chest.heart.deposited", delta=2)])
    book = Book()
    simulator = Simulator()
    simulator.add_event_handler(StatsTracker(book))
    sim = simulator.new_simulation(config, seed=7)
    assert sim._context["infos"] == {}
    sim._context["replay_url"] = "https://example.org/1"
    sim.agent(0).set_action("move_north")
    play_out(sim)
    return sim, book


def test_the_infos_of_an_episode(played: tuple[Simulation, Book]) -> None:
    sim, _ = played
    infos = sim._context["infos"]
    stats = sim.episode_stats
    assert infos["game"] == stats["game"]
    assert infos["per_agent"] == {str(agent): stats["agent"][agent] for agent in range(3)}
    assert infos["agent"]["action.noop.success"] == pytest.approx(8 / 3)  # agent 0 has none: that counts as zero
    mean = sim.episode_rewards.mean()
    assert infos["per_label_rewards"] == {"small": mean}
    assert infos["per_label_chest_deposits"] == {"small": 8.0}
    assert infos["reward_estimates"]["best_case_optimal_diff"] == pytest.approx(3 - mean)
    assert infos["reward_estimates"]["worst_case_optimal_diff"] == pytest.approx(1 - mean)
    attributes = {key: infos["attributes"][key] for key in ("seed", "map_w", "map_h", "steps", "max_steps")}
    assert attributes == {"seed": 7, "map_w": 8, "map_h": 8, "steps": 4, "max_steps": 4}
    for timing in ("timing_per_epoch", "timing_cumulative"):
        assert set(infos[timing]) == {"msec/global", "sps"}


def test_an_episode_goes_to_the_writer(played: tuple[Simulation, Book]) -> None:
    sim, book = played
    ((attributes, metrics, groups, steps, replay_url, created_at),) = book.episodes
    assert attributes["config.label"] == "small" and attributes["config.game.map_builder.seed"] == "11"
    assert attributes["config.game.events"] == "{}" and all(isinstance(value, str) for value in attributes.values())
    assert metrics[0] == {"reward": float(sim.episode_rewards[0]), **sim.episode_stats["agent"][0]}
    assert groups == {0: 0, 1: 0, 2: 0} and steps == 4 and replay_url == "https://example.org/1"
    assert isinstance(created_at, datetime)
    sim.close()
    assert book.closed == 1


def test_the_writer_that_keeps_nothing() -> None:
    writer = NoopStatsWriter()
    assert isinstance(writer.record_episode({}, {}, {}, 0, None, datetime(2026, 1, 1)), int)
    writer.close()


def test_one_estimate_may_be_missing(room) -> None:
    config = room(max_steps=1)
    config.game.reward_estimates = {"best_case_optimal_reward": 3.0}
    simulator = Simulator()
    simulator.add_event_handler(StatsTracker(NoopStatsWriter()))
    sim = simulator.new_simulation(config)
    play_out(sim)
    estimates = sim._context["infos"]["reward_estimates"]
    assert list(estimates) == ["best_case_optimal_diff"] and np.isclose(estimates["best_case_optimal_diff"], 3)
