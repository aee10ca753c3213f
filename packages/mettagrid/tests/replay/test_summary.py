"""A replay in a few lines, on the command line too."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mettagrid.replay import frame_at, load_replay, save_replay, summarize, v4_document
from mettagrid.replay.__main__ import main

from .conftest import Played


def test_a_summary_counts_what_happened(busy: Played) -> None:
    summary = summarize(busy.replay)
    assert (summary.label, summary.steps, summary.max_steps, summary.num_agents) == ("busy", 30, 30, 4)
    assert summary.rewards == pytest.approx(busy.simulation.episode_rewards.tolist(), abs=1e-4)
    assert {policy.name: policy.agents for policy in summary.policies} == {"policy 0": [0, 2], "policy 1": [1, 3]}
    assert summary.policies[0].mean_reward == pytest.approx((summary.rewards[0] + summary.rewards[2]) / 2)
    names = busy.replay.action_names
    executed = Counter(names[agent.action] for tick in range(1, 31) for agent in frame_at(busy.replay, tick).agents)
    assert summary.actions == dict(executed)
    assert summary.num_objects["wall"] == 28


def test_a_summary_is_readable(busy: Played) -> None:
    text = summarize(busy.replay).text()
    assert text.startswith("busy: 30 of 30 steps, 4 agents, map 10 x 6\nSeed: 19   Engine: mettagrid ")
    assert "  policy 0: reward " in text
    assert text.endswith("Stats\n  turned: 4")


def test_names_of_a_replay_cannot_steer_the_terminal(busy: Played) -> None:
    document = v4_document(busy.replay)
    document["mg_config"]["label"] = "\x1b]0;title\x07\ud800\nbusy\u202e"
    text = summarize(load_replay(json.dumps(document).encode())).text()
    assert text.startswith("?]0;title???busy?: 30 of 30 steps")
    assert text.encode().decode() == text


def test_a_published_replay_is_summarized_as_well(busy: Played) -> None:
    ours, theirs = summarize(busy.replay), summarize(load_replay(json.dumps(v4_document(busy.replay)).encode()))
    for name in ("label", "steps", "max_steps", "seed", "rewards", "policies", "actions", "game_stats", "num_objects"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_the_command_prints_a_summary_and_converts(
    busy: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "a.json.z", tmp_path / "b.cogreplay"
    save_replay(busy.replay, source)
    assert main([str(source)]) == 0
    assert capsys.readouterr().out.startswith("busy: 30 of 30 steps")
    assert main([str(source), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 30
    assert main([str(source), "--to", str(target)]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"Wrote {target}\n")
    assert v4_document(load_replay(target)) == v4_document(busy.replay)


def test_the_command_refuses_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("{}")
    for arguments in ([str(tmp_path / "x.json")], [str(tmp_path / "missing.json")]):
        assert main(arguments) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("error: ") and printed.err.count("\n") == 1


def test_the_module_can_be_run(busy: Played, tmp_path: Path) -> None:
    save_replay(busy.replay, tmp_path / "a.cogreplay")
    command = [sys.executable, "-m", "mettagrid.replay", str(tmp_path / "a.cogreplay")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("busy: 30 of 30 steps")
