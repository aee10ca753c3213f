"""`run` and `scrimmage`: documents, tables, seats and seeds."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

SUMMARY_KEYS = [
    "episodes",
    "policy_summaries",
    "avg_game_stats",
    "avg_time_averaged_game_stats",
    "per_episode_per_policy_avg_rewards",
]


def test_the_document_has_the_published_keys_in_order_and_one_more(cogames: Any) -> None:
    ran = cogames("run", "-m", "arena", "-p", "noop", "-p", "random:3", "-e", "2", "-s", "20", "--format", "json")
    assert ran.code == 0
    document = json.loads(ran.out)
    assert list(document) == ["missions", "statistics"]
    (mission,) = document["missions"]
    assert list(mission) == ["mission_name", "mission_summary"]
    summary = mission["mission_summary"]
    assert list(summary) == SUMMARY_KEYS
    assert [list(policy) for policy in summary["policy_summaries"]] == [
        ["agent_count", "avg_agent_metrics", "action_timeouts"]
    ] * 2
    assert [policy["agent_count"] for policy in summary["policy_summaries"]] == [2, 6]
    # Summed over episodes and divided by agents, as published; the means of our own are per episode.
    assert summary["policy_summaries"][0]["avg_agent_metrics"]["action.noop.success"] == 40.0
    assert list(summary["per_episode_per_policy_avg_rewards"]) == ["0", "1"]
    statistics = document["statistics"]
    assert statistics["policies"] == ["NoopPolicy", "RandomMultiAgentPolicy"]
    noops = statistics["missions"][0]["policies"][0]["agent_metrics"]["action.noop.success"]
    assert (noops["mean"], noops["low"], noops["high"], noops["count"]) == (20.0, 20.0, 20.0, 2)


def test_yaml_says_the_same_with_whole_numbers_as_keys(cogames: Any) -> None:
    words = ["run", "-m", "arena", "-p", "noop", "-e", "2", "-s", "5", "--format"]
    as_json, as_yaml = json.loads(cogames(*words, "json").out), yaml.safe_load(cogames(*words, "yaml").out)
    rewards = as_yaml["missions"][0]["mission_summary"].pop("per_episode_per_policy_avg_rewards")
    assert rewards == {0: [0.0], 1: [0.0]}
    del as_json["missions"][0]["mission_summary"]["per_episode_per_policy_avg_rewards"]
    assert as_yaml == as_json


def test_a_policy_without_seats_has_no_reward(cogames: Any) -> None:
    words = ["-m", "arena", "-c", "1", "-p", "noop", "-p", "random", "-e", "1", "-s", "2", "--format", "json"]
    ran = cogames("run", *words)
    summary = json.loads(ran.out)["missions"][0]["mission_summary"]
    assert summary["per_episode_per_policy_avg_rewards"] == {"0": [0.0, None]}
    assert summary["policy_summaries"][1] == {"agent_count": 0, "avg_agent_metrics": {}, "action_timeouts": 0}


def test_seats_are_shared_by_largest_remainders_and_shuffled_again_before_every_episode(cogames: Any) -> None:
    words = ["-m", "arena", "-c", "4", "-p", "noop", "-p", "random", "-e", "3", "-s", "2", "--format", "json"]
    episodes = json.loads(cogames("run", *words).out)["statistics"]["missions"][0]["episodes"]
    assert [episode["assignments"] for episode in episodes] == [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0]]
    assert [episode["seed"] for episode in episodes] == [42, 43, 44]
    rng, seats = random.Random(7), [0, 0, 1, 2]
    ran = cogames("run", *words, "-p", "noop", "--seed", "7")
    episodes = json.loads(ran.out)["statistics"]["missions"][0]["episodes"]
    for number, episode in enumerate(episodes):
        rng.shuffle(seats)
        assert (episode["assignments"], episode["seed"]) == (seats, 7 + number)


@pytest.mark.parametrize(
    ("proportions", "cogs", "counts"), [((3, 5), 8, [3, 5]), ((1, 1, 1), 4, [2, 1, 1]), ((1, 1), 3, [2, 1])]
)
def test_head_counts(cogames: Any, proportions: tuple[int, ...], cogs: int, counts: list[int]) -> None:
    policies = [word for share in proportions for word in ("-p", f"class=noop,proportion={share}")]
    ran = cogames("run", "-m", "arena", "-c", cogs, *policies, "-e", "1", "-s", "1", "--format", "json")
    summaries = json.loads(ran.out)["missions"][0]["mission_summary"]["policy_summaries"]
    assert [policy["agent_count"] for policy in summaries] == counts


def test_maps_differ_from_episode_to_episode_unless_their_seed_is_given(cogames: Any) -> None:
    words = ["run", "-m", "arena", "-p", "noop", "-e", "3", "-s", "1", "--format", "json"]

    def walls(*more: str) -> Any:
        return json.loads(cogames(*words, *more).out)["statistics"]["missions"][0]["game_stats"]["objects.wall"]

    assert walls()["standard_error"] > 0
    assert walls("--map-seed", "3")["standard_error"] == 0


def test_tables_have_an_interval_beside_every_mean(cogames: Any) -> None:
    ran = cogames("run", "-m", "arena", "-m", "tutorial", "-p", "noop", "-p", "noop", "-e", "2", "-s", "20", "-c", "2")
    assert (ran.code, ran.err) == (0, "")
    titles = [line for line in ran.out.splitlines() if line.startswith("Average") or line == "Policy Assignments"]
    assert titles == [
        "Policy Assignments",
        "Average Game Stats",
        "Average Policy Stats: NoopPolicy (per agent and episode)",
        "Average Policy Stats: NoopPolicy (2) (per agent and episode)",
        "Average Per-Agent Reward",
    ]
    assert "tutorial  NoopPolicy (2)           1  ok                      0\n" in ran.out
    assert "arena     action.noop.success                20.00     [20.00, 20.00]" in ran.out
    rewards = ran.out.partition("Average Per-Agent Reward\n")[2].splitlines()
    assert [line.split()[1] for line in rewards[2:6]] == ["0", "1", "mean", "95%"]
    assert "Timeouts" not in ran.out


def test_one_episode_has_no_interval(cogames: Any) -> None:
    ran = cogames("scrimmage", "-m", "arena", "-p", "noop", "-e", "1", "-s", "5")
    assert "arena    action.noop.success                 5.00             -" in ran.out


def test_late_actions_are_counted_and_reported(cogames: Any, tmp_path: Path) -> None:
    (tmp_path / "slow_policy.py").write_text(
        "import time\n"
        "from mettagrid.policy.noop import NoopPolicy\n"
        "from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy\n"
        "from mettagrid.types import Action\n"
        "class Agent(AgentPolicy):\n"
        "    def step(self, obs):\n"
        "        end = time.perf_counter() + 0.003\n"
        "        while time.perf_counter() < end:\n"
        "            pass\n"
        "        return Action(name='move_east')\n"
        "class Slow(MultiAgentPolicy):\n"
        "    def agent_policy(self, agent_id):\n"
        "        return Agent(self.policy_env_info)\n"
    )
    words = ["-m", "arena", "-c", "1", "-p", "slow_policy.Slow", "-e", "2", "-s", "3", "--action-timeout-ms", "1"]
    ran = cogames("run", *words)
    assert ran.code == 0
    assert "Action Generation Timeouts per Policy\n" in ran.out and "arena    Slow           6\n" in ran.out
    assert ran.err.count("warning: An action of Slow took") == 1


def test_a_mission_set_is_played_and_reported(cogames: Any) -> None:
    words = ["-S", "cognitive_substrate_memory", "-p", "noop", "-e", "1", "-s", "2", "--format", "json"]
    ran = cogames("run", *words)
    names = [mission["mission_name"] for mission in json.loads(ran.out)["missions"]]
    assert names == [f"memory_mystery_path_{level}" for level in ("easy", "medium", "hard")]
    assert "Mission set cognitive_substrate_memory: 3 missions\n" in ran.err


def test_replays_are_saved_and_can_be_looked_at(cogames: Any, tmp_path: Path) -> None:
    words = ["-m", "arena", "-p", "random", "-e", "2", "-s", "10", "--save-replay-dir", "a/b"]
    ran = cogames("scrimmage", *words)
    paths = sorted((tmp_path / "a" / "b").iterdir())
    assert len(paths) == 2 and all(path.name.endswith(".json.z") for path in paths)
    assert "Saved 2 replays." in ran.out
    shown = ran.out.splitlines()[-1].split()
    assert shown[:2] == ["cogames", "replay"]
    assert cogames(*shown[1:], "--text").out.startswith("arena: 10 of 10 steps, 8 agents, map 60 x 60\n")


@pytest.mark.parametrize("policies", [["starter"], ["random", "starter:2"]], ids=" ".join)
def test_stdout_is_the_same_with_one_worker_and_with_two(tmp_path: Path, policies: list[str]) -> None:
    chosen = [word for policy in policies for word in ("-p", policy)]
    words = ["run", "-m", "arena", *chosen, "-e", "3", "-s", "40", "--format", "json", "--workers"]
    outputs = []
    for workers in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-m", "cogames", *words, workers], capture_output=True, cwd=tmp_path, check=True
        )
        outputs.append(ran.stdout)
    assert outputs[0] == outputs[1]
    json.loads(outputs[0])


def test_output_of_policies_does_not_mix_with_results(tmp_path: Path) -> None:
    (tmp_path / "loud_policy.py").write_text(
        "import os\n"
        "from mettagrid.policy.noop import NoopPolicy\n"
        "class Loud(NoopPolicy):\n"
        "    short_names = []\n"
        "    def agent_policy(self, agent_id):\n"
        "        print('look at me')\n"
        "        os.write(1, b'and at me')\n"
        "        return super().agent_policy(agent_id)\n"
    )
    words = ["run", "-m", "arena", "-p", "loud_policy.Loud", "-e", "2", "-s", "2", "--format", "json", "--workers"]
    for workers in ("1", "2"):
        command = [sys.executable, "-m", "cogames", *words, workers]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert ran.returncode == 0
        assert list(json.loads(ran.stdout)) == ["missions", "statistics"]
        assert "look at me" in ran.stderr and "and at me" in ran.stderr
