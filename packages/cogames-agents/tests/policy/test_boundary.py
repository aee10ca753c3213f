"""The planner takes the same actions in batches, one by one, and behind a process boundary."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import cogbox
from cogames.missions.catalog import load
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.boxed import BoxedPolicy
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, PolicySource, play_episode
from mettagrid.runner.episode.holder import SeatHolder, Seats
from mettagrid.runner.episode.in_process import InProcessHolder
from mettagrid.runner.episode_runner import LocalProcess
from tests.support import missing

STEPS = 300
GAMES = {
    # Two policies share the one team; the teams play against each other.
    "arena": (8, [agent % 2 for agent in range(8)]),
    "four_score": (32, [agent // 8 % 2 for agent in range(32)]),
}
POLICIES = ("cogsguard", "role")
Played = tuple[dict[str, Any], EpisodeOutcome]


@dataclass(frozen=True)
class OneByOne:
    """Asks `agent_policy(i).step` agent by agent, also where the class has `step_batch`."""

    name: str

    def open(self) -> SeatHolder:
        return InProcessHolder(self._make)

    def _make(self, seats: Seats) -> MultiAgentPolicy:
        policy = initialize_or_load_policy(seats.interface, PolicySpec(class_path=self.name))
        policy.supports_step_batch = False  # type: ignore[attr-defined]
        return policy


def in_a_process(name: str) -> PolicySource:
    return LocalProcess(name, f"metta://policy/{name}")


def in_a_box(name: str) -> PolicySource:
    try:
        cogbox.sandbox()
    except cogbox.LevelMissing as error:
        missing(f"no sandbox works here: {error}")
    return BoxedPolicy.from_uri(f"metta://policy/{name}")


@pytest.fixture(scope="module")
def batched(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Played]:
    """Returns a mission's actions and outcome with batched policies in this process, played once."""
    played: dict[str, Played] = {}

    def get(mission: str) -> Played:
        if mission not in played:
            policies = [PolicySpec(class_path=name) for name in POLICIES]
            played[mission] = play(mission, policies, tmp_path_factory.mktemp(mission))
        return played[mission]

    return get


def play(mission: str, policies: list[PolicySpec] | list[PolicySource], folder: Path) -> Played:
    """Play a mission; return all actions and infos, and the outcome."""
    cogs, seats = GAMES[mission]
    env = load(mission, cogs=cogs)
    env.game.max_steps = STEPS
    path = folder / "actions.json.z"
    outcome = play_episode(EpisodePlan(env, policies, seats, seed=7, actions_path=path, max_action_time_ms=600_000))
    assert [verdict.status for verdict in outcome.verdicts] == ["ok", "ok"]
    return json.loads(zlib.decompress(path.read_bytes())), outcome


@pytest.mark.parametrize("mission", GAMES)
@pytest.mark.parametrize("way", [OneByOne, in_a_process, in_a_box])
def test_actions_are_the_same_on_both_sides_of_the_boundary(
    mission: str,
    way: Callable[[str], PolicySource],
    tmp_path: Path,
    batched: Callable[[str], Played],
) -> None:
    expected, outcome = batched(mission)
    actual, other = play(mission, [way(name) for name in POLICIES], tmp_path)
    assert actual["actions"] == expected["actions"] and actual["vibes"] == expected["vibes"]
    assert actual["infos"] == expected["infos"]
    assert other.compared() == outcome.compared()


@pytest.mark.parametrize("mission", GAMES)
def test_the_compared_episodes_have_every_action_of_a_team_at_work(
    mission: str, batched: Callable[[str], Played]
) -> None:
    _, outcome = batched(mission)
    stats = outcome.stats["agent"]
    assert all(agent.get("action.move.success", 0) > STEPS / 4 for agent in stats)
    assert sum(agent.get("heart.gained", 0) for agent in stats) > 0
