"""`pickup`: value over replacement, on a game whose rewards are known."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

# Every move pays 1.
MISSION = """
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.game_value import stat
from mettagrid.config.reward_config import reward

def get_config():
    env = MettaGridConfig.EmptyRoom(num_agents=4, width=12, height=12)
    env.game.map_builder.seed = 1
    for agent in env.game.agents or [env.game.agent]:
        agent.rewards = {"moves": reward(stat("action.move.success"))}
    return env
"""
MOVER = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

class Agent(AgentPolicy):
    def __init__(self, policy_env_info, moves):
        super().__init__(policy_env_info)
        self.moves = moves

    def step(self, obs):
        self.moves -= 1
        return Action(name=("move_east", "move_west")[self.moves % 2] if self.moves >= 0 else "noop")

class Mover(MultiAgentPolicy):
    def __init__(self, policy_env_info, moves="0"):
        super().__init__(policy_env_info)
        self.moves = int(moves)

    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info, self.moves or agent_id + 2)
"""


@pytest.fixture
def scripted(cogames: Any, tmp_path: Path) -> Any:
    (tmp_path / "moves.py").write_text(MISSION)
    (tmp_path / "mover.py").write_text(MOVER)

    def pickup(*words: object) -> Any:
        pool = "class=mover.Mover,kw.moves=1"
        return cogames("pickup", "-m", "moves.py", "-p", "mover.Mover", "--pool", pool, "-s", "6", *words)

    return pickup


def test_the_arithmetic(scripted: Any) -> None:
    ran = scripted("-e", "3", "--format", "json")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    # Agent i of the candidate earns i + 2, those of the pool 1. One generator shuffles the seats of all scenarios.
    rng = random.Random(50)
    scores = {}
    for seats in (4, 3, 2, 1, 0):
        assignments, means = [0] * seats + [1] * (4 - seats), []
        for _ in range(3):
            rng.shuffle(assignments)
            earned = [i + 2 for i, policy in enumerate(assignments) if policy == 0] or [1, 1, 1, 1]
            means.append(sum(earned) / len(earned))
        scores[seats] = sum(means) / 3
    assert len(set(scores.values())) == 5
    assert document["replacement_mean"] == 1.0
    for scenario, (seats, score) in zip(document["scenarios"], scores.items(), strict=True):
        assert scenario["name"] == f"moves-c{seats}-r{4 - seats}"
        assert (scenario["candidate_count"], scenario["pool_counts"]) == (seats, [4 - seats])
        assert scenario["score"] == pytest.approx(score)
        assert scenario["vor"] == (pytest.approx(score - 1) if seats else None)
    overall = sum(seats * 3 * score for seats, score in scores.items()) / (3 * 10) - 1
    assert document["overall_vor"] == pytest.approx(overall)
    interval = document["statistics"]["overall_vor"]
    assert interval["mean"] == pytest.approx(overall) and interval["low"] <= overall <= interval["high"]
    assert list(document)[-1] == "statistics"


def test_the_pool_shares_the_other_seats_evenly(cogames: Any) -> None:
    words = ["-p", "noop", "--pool", "random", "--pool", "noop", "--pool", "scout", "-s", "2", "--format", "json"]
    document = json.loads(cogames("pickup", *words).out)
    mixes = [scenario["pool_counts"] for scenario in document["scenarios"]]
    assert mixes == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1]]
    assert (document["mission_name"], document["cogs"], document["episodes"], document["seed"]) == ("arena", 4, 1, 50)
    assert document["pool"] == ["RandomMultiAgentPolicy", "NoopPolicy (2)", "ScoutRolePolicy"]


def test_tables(scripted: Any) -> None:
    ran = scripted("-e", "2")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[1:3] == ["Candidate: mover.Mover", "Pool: 1:class=mover.Mover,kw.moves=1"]
    at = lines.index("Scenario Scores")
    assert re.split("  +", lines[at + 1]) == ["Scenario", "Candidate", "Pool Mix", "Score", "95% Interval"]
    assert lines[at + 3].split()[:3] == ["moves-c4-r0", "4", "0"]
    assert "Replacement Baseline 1.00" in lines
    assert lines[lines.index("Value Over Replacement") + 3].split()[0] == "4"
    assert any(line.startswith("Overall VOR ") and "95% Interval [" in line for line in lines)
    assert lines[-1] == "Pool order in the mix: Mover (2)"


def test_one_episode_has_no_intervals(scripted: Any) -> None:
    ran = scripted()
    assert next(line for line in ran.out.splitlines() if line.startswith("Overall VOR")).count("[") == 0


def test_the_folder_for_replays_is_made(scripted: Any, tmp_path: Path) -> None:
    ran = scripted("--save-replay-dir", "deep/down")
    assert ran.code == 0, ran.err
    assert len(list((tmp_path / "deep" / "down").iterdir())) == 5
    assert "Saved 5 replays." in ran.out
