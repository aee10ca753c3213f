"""The planner plays games that are not Cogs vs Clips: without its tags, positions, actions or window."""

from __future__ import annotations

import pytest

from cogames import missions
from cogames_agents.planner import PlannerPolicy
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episode

STEPS = 60


def play(env: MettaGridConfig) -> EpisodeOutcome:
    env.game.max_steps = STEPS
    policy = PolicySpec(class_path="cogsguard")
    outcome = play_episode(EpisodePlan(env, [policy], [0] * env.game.num_agents, seed=1))
    assert [verdict.status for verdict in outcome.verdicts] == ["ok"]
    assert outcome.steps == STEPS
    return outcome


def test_an_empty_room_is_explored() -> None:
    outcome = play(MettaGridConfig.EmptyRoom(num_agents=3, width=20, height=20))
    assert all(agent.get("action.move.success", 0) > 5 for agent in outcome.stats["agent"])


@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_a_game_without_noop() -> None:
    env = missions.load("arena", cogs=4, seed=1)
    env.game.actions.noop.enabled = False
    assert "noop" not in PolicyEnvInterface.from_mg_cfg(env).all_action_names
    outcome = play(env)
    assert all(agent.get("action.move.success", 0) > 5 for agent in outcome.stats["agent"])


@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_a_game_without_moves() -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=2)
    env.game.actions.move.enabled = False
    assert not any(name.startswith("move") for name in PolicyEnvInterface.from_mg_cfg(env).all_action_names)
    play(env)


def test_a_game_with_two_directions() -> None:
    env = missions.load("arena", cogs=4, seed=1)
    env.game.actions.move.allowed_directions = ["east", "west"]
    play(env)


def test_a_game_that_shows_no_positions() -> None:
    env = missions.load("arena", cogs=8, seed=1)
    env.game.obs.global_obs.local_position = False
    outcome = play(env)
    assert sum(agent.get("action.move.success", 0) for agent in outcome.stats["agent"]) > STEPS


@pytest.mark.parametrize("window", [(3, 3), (5, 11), (11, 5), (15, 15)], ids=str)
def test_another_window(window: tuple[int, int]) -> None:
    env = missions.load("arena", cogs=8, seed=1)
    env.game.obs.height, env.game.obs.width = window
    outcome = play(env)
    assert sum(agent.get("action.move.success", 0) for agent in outcome.stats["agent"]) > STEPS


def test_observations_that_are_not_tokens_are_refused() -> None:
    interface = PolicyEnvInterface.from_mg_cfg(MettaGridConfig.EmptyRoom(num_agents=1))
    pixels = interface.model_copy(update={"observation_kind": "pixels"})
    with pytest.raises(ValueError, match="Observations must be tokens; this game has 'pixels'"):
        PlannerPolicy(pixels)
