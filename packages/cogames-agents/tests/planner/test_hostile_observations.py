"""Any observation gets a valid action: bytes without meaning, contradictions, jumps, agents in any order."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from cogames import missions
from cogames_agents.planner import BatchedPlanner, PlannerPolicy
from cogames_agents.starter import BatchedStarter
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

AGENTS, TOKENS, STEPS = 8, 60, 120


@cache
def interface_of(window: tuple[int, int] = (13, 13)) -> PolicyEnvInterface:
    env = missions.load("arena", cogs=AGENTS, seed=1)
    env.game.obs.height, env.game.obs.width = window
    return PolicyEnvInterface.from_mg_cfg(env)


def feature_ids(interface: PolicyEnvInterface, *starts: str) -> list[int]:
    return [feature.id for feature in interface.obs_features if feature.name.startswith(starts)]


def random_bytes(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    return rng.integers(0, 256, (AGENTS, TOKENS, 3), np.uint8)


def no_tokens(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    return np.full((AGENTS, TOKENS, 3), 255, np.uint8)


def full_rows(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    """Known features of the game in every cell of the window, with any value and without an empty token."""
    rows = rng.integers(0, 256, (AGENTS, TOKENS, 3), np.uint8)
    height, width = interface.egocentric_shape
    rows[..., 0] = rng.integers(0, height, (AGENTS, TOKENS)) << 4 | rng.integers(0, width, (AGENTS, TOKENS))
    rows[..., 1] = rng.choice([feature.id for feature in interface.obs_features], (AGENTS, TOKENS))
    return rows


def contradictions(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    """Every object is of several types and teams, the cog in the centre too."""
    rows = full_rows(rng, interface)
    rows[:, :, 0] = np.repeat(rows[:, ::6, 0], 6, axis=1)
    rows[:, :6, 0] = interface.egocentric_shape[0] // 2 << 4 | interface.egocentric_shape[1] // 2
    rows[..., 1] = feature_ids(interface, "tag")[0]
    rows[..., 2] = rng.integers(0, len(interface.tags) + 2, (AGENTS, TOKENS))
    return rows


def jumps(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    """The cogs are somewhere else in every step, and say that they have moved."""
    rows = contradictions(rng, interface)
    rows[:, -8:, 0] = 254
    rows[:, -8:, 1] = rng.choice(feature_ids(interface, "lp:", "last_action_move"), (AGENTS, 8))
    return rows


def places(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    """Tags at locations that the window does not have."""
    rows = contradictions(rng, interface)
    rows[..., 0] = rng.integers(0, 254, (AGENTS, TOKENS))
    return rows


def edges(rng: np.random.Generator, interface: PolicyEnvInterface) -> np.ndarray:
    """The same, from positions at which the planner's map has to grow."""
    rows = places(rng, interface)
    rows[:, :4, 0] = 254
    rows[:, :4, 1] = feature_ids(interface, "lp:")
    rows[:, :4, 2] = rng.integers(40, 64, (AGENTS, 4)) * rng.integers(0, 2, (AGENTS, 4))
    return rows


KINDS: list[Callable[[np.random.Generator, PolicyEnvInterface], np.ndarray]] = [
    random_bytes,
    no_tokens,
    full_rows,
    contradictions,
    jumps,
    places,
    edges,
]
WINDOWS = [(13, 13), (3, 3), (5, 11), (15, 15), (8, 6)]


def check_infos(infos: dict[str, Any]) -> None:
    assert {"role", "goal", "known_junctions"} <= infos.keys()
    if "target" in infos:
        assert len(infos["target"]) == 2


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_any_tokens_get_valid_actions(
    kind: Callable[[np.random.Generator, PolicyEnvInterface], np.ndarray], window: tuple[int, int]
) -> None:
    interface = interface_of(window)
    rng = np.random.default_rng(KINDS.index(kind))
    policy, batched = PlannerPolicy(interface), BatchedPlanner(interface, 1)
    for step in range(STEPS):
        rows = kind(rng, interface)
        actions, labels = np.full(AGENTS, -1, np.int32), np.full(AGENTS, -1, np.int32)
        policy.step_batch(rows, actions)
        assert actions.min() >= 0 and actions.max() < len(interface.all_action_names), step
        batched.step(rows, labels)
        np.testing.assert_array_equal(actions, labels)
    check_infos(policy.agent_policy(AGENTS - 1).infos)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_any_tokens_get_valid_actions_of_the_batched_starter(
    kind: Callable[[np.random.Generator, PolicyEnvInterface], np.ndarray], window: tuple[int, int]
) -> None:
    interface = interface_of(window)
    rng = np.random.default_rng(KINDS.index(kind))
    teams = [BatchedStarter(interface, 1, role=role) for role in (None, "scout", "scrambler")]
    for step in range(STEPS):
        rows = kind(rng, interface)
        for team in teams:
            actions = np.full(AGENTS, -1, np.int32)
            team.step(rows, actions)
            assert actions.min() >= 0 and actions.max() < len(interface.all_action_names), step


def test_a_mixture_in_any_order_with_skipped_steps_and_resets(observation: Callable[..., Any]) -> None:
    interface = interface_of()
    rng = np.random.default_rng(99)
    policy = PlannerPolicy(interface)
    cogs = [policy.agent_policy(agent) for agent in range(AGENTS)]
    names = set(interface.all_action_names)
    for step in range(4 * STEPS):
        rows = KINDS[int(rng.integers(len(KINDS)))](rng, interface)
        for agent in rng.permutation(AGENTS)[: rng.integers(0, AGENTS + 1)]:
            assert cogs[agent].step(observation(int(agent), rows[agent])).name in names
            check_infos(cogs[agent].infos)
        if step % 100 == 99:
            policy.reset()


def test_real_observations_between_false_ones(open_worlds: Callable[..., Any]) -> None:
    """A cog that saw impossible things still acts when the game shows the truth again."""
    worlds = open_worlds("arena", seeds=(4,))
    rng = np.random.default_rng(5)
    policy = PlannerPolicy(worlds.interface)
    actions = np.zeros(AGENTS, np.int32)
    moved = 0
    for step in range(3 * STEPS):
        rows = worlds.observations.copy()
        if step % 3 == 0:
            agent = int(rng.integers(AGENTS))
            rows[agent] = 255
            rows[agent, :TOKENS] = KINDS[int(rng.integers(len(KINDS)))](rng, worlds.interface)[agent]
        policy.step_batch(rows, actions)
        assert actions.min() >= 0 and actions.max() < len(worlds.interface.all_action_names)
        moved += int((actions > 0).sum())
        worlds.take(actions)
    assert moved > STEPS


def test_agents_in_any_order_play_a_real_game(open_worlds: Callable[..., Any], observation: Callable[..., Any]) -> None:
    worlds = open_worlds("arena", seeds=(4,))
    rng = np.random.default_rng(6)
    policy = PlannerPolicy(worlds.interface)
    numbers = {name: number for number, name in enumerate(worlds.interface.all_action_names)}
    cogs = [policy.agent_policy(agent) for agent in range(AGENTS)]
    rewards = 0.0
    for _ in range(2 * STEPS):
        actions = np.zeros(AGENTS, np.int32)
        for agent in rng.permutation(AGENTS)[: rng.integers(AGENTS // 2, AGENTS + 1)]:
            row = worlds.observations[agent]
            actions[agent] = numbers[cogs[agent].step(observation(int(agent), row)).name]
        worlds.take(actions)
        rewards += float(worlds.batch.rewards.sum())
    assert rewards > 0  # the team still takes junctions


def test_agent_numbers_out_of_range_are_refused(observation: Callable[..., Any]) -> None:
    interface = interface_of()
    policy = PlannerPolicy(interface)
    rows = no_tokens(np.random.default_rng(0), interface)
    for number in (-1, 1 << 20):
        with pytest.raises(ValueError, match=f"no agent {number}"):
            policy.agent_policy(number).step(observation(number, rows[0]))
        assert policy.agent_policy(number).infos == {}
    policy.set_batch_agents([0, AGENTS])
    with pytest.raises(ValueError, match=f"no observation of agent {AGENTS}"):
        policy.step_batch(rows, np.zeros(AGENTS, np.int32))
    # A number that the game does not have, but might: it plays.
    assert policy.agent_policy(AGENTS + 3).step(observation(AGENTS + 3, rows[0])).name in interface.all_action_names


def test_arrays_of_another_shape_are_refused() -> None:
    policy = PlannerPolicy(interface_of())
    with pytest.raises(ValueError, match="observations must be"):
        policy.step_batch(np.zeros((AGENTS, TOKENS, 3), np.uint8), np.zeros(AGENTS + 1, np.int32))
    with pytest.raises(ValueError, match="observations must be"):
        policy.step_batch(np.zeros((AGENTS, TOKENS, 4), np.uint8), np.zeros(AGENTS, np.int32))
    policy.step_batch(np.zeros((AGENTS, 0, 3), np.uint8), np.zeros(AGENTS, np.int32))
