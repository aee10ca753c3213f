"""The planner takes the same actions in batches, one by one, and behind a process boundary."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
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
    # Cogs, and the policy of each; the policies share teams.
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


def play(mission: str, policies: Sequence[PolicySpec | PolicySource], folder: Path) -> Played:
    """Play a mission; return all actions and infos, and the outcome."""
    cogs, seats = GAMES[mission]
    env = load(mission, cogs=cogs)
    env.game.max_steps = STEPS
    path = folder / "actions.json.z"
    replay = folder / "replay.json.z"  # only with a replay are infos recorded
    names, patient = list(POLICIES), 600_000
    outcome = play_episode(
        EpisodePlan(env, policies, seats, 7, None, names, patient, actions_path=path, replay_path=replay)
    )
    assert [verdict.status for verdict in outcome.verdicts] == ["ok", "ok"]
    return json.loads(zlib.decompress(path.read_bytes())), outcome


@pytest.mark.parametrize("mission", GAMES)
def test_actions_are_the_same_in_batches_one_by_one_and_behind_a_process_boundary(mission: str, tmp_path: Path) -> None:
    batched, expected = play(mission, [PolicySpec(class_path=name) for name in POLICIES], tmp_path)
    stats = expected.stats["agent"]
    assert all(agent.get("action.move.success", 0) > STEPS / 4 for agent in stats)  # the teams are at work
    assert sum(agent.get("heart.gained", 0) for agent in stats) > 0
    single, one_by_one = play(mission, [OneByOne(name) for name in POLICIES], tmp_path)
    served, in_process = play(mission, [in_a_process(name) for name in POLICIES], tmp_path)
    isolated, in_box = play(mission, [in_a_box(name) for name in POLICIES], tmp_path)
    for recorded, outcome in ((single, one_by_one), (served, in_process), (isolated, in_box)):
        assert recorded["actions"] == batched["actions"]
        assert recorded["vibes"] == batched["vibes"]
        assert outcome.compared() == expected.compared()
    # One by one, infos are read before the next cog has looked.
    assert served["infos"] == isolated["infos"] == batched["infos"]
    assert len(batched["infos"]) > STEPS
