"""Policies after `-p`, and the command that lists them; `policy/test_arguments.py` tests the grammar."""

import json
from pathlib import Path
from typing import Any

import pytest

from cogames.policy.descriptions import describe_policy

POLICY = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

class Agent(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class MyPolicy(MultiAgentPolicy):
    def __init__(self, policy_env_info, speed="1"):
        super().__init__(policy_env_info)
        {body}

    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info)
"""


def test_short_names_are_listed_in_order_with_a_last_row_for_your_own(cogames: Any) -> None:
    rows = [line.split() for line in cogames("policies").out.splitlines()]
    names = [name for name, _ in rows]
    assert [name for name in names if name in ("noop", "random", "starter", "miner")] == [
        "noop", "random", "starter", "miner",
    ]  # fmt: skip
    assert {"scout", "aligner", "scrambler", "chaos-monkey", "substrate_memory", "tutorial_noop"} <= set(names)
    assert rows[-1] == ["custom", "path.to.your.PolicyClass"]
    assert dict(rows)["starter"] == "cogames.policy.starter_agent.StarterPolicy"


def test_names_are_described_without_importing_the_classes(cogames: Any) -> None:
    ran = cogames("policies", "--describe")
    lines = dict(line.split("  ", 1) for line in ran.out.splitlines())
    assert lines["starter"].strip() == "Half miners, half aligners."
    assert all(text.strip() for text in lines.values()) and "custom" not in lines


def test_a_class_without_a_description_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "described.py").write_text('class A:\n    """Walk."""\nclass B:\n    pass\nraise RuntimeError\n')
    monkeypatch.syspath_prepend(tmp_path)
    described = {name: describe_policy(f"described.{name}") for name in ("A", "B", "C")}
    assert described == {"A": "Walk.", "B": None, "C": None}
    assert describe_policy("no_such_module.A") is None


@pytest.mark.parametrize("text", ["my_policy_a.MyPolicy", "class=my_policy_a.MyPolicy,kw.speed=3"])
def test_a_class_in_the_working_folder_is_found(cogames: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "my_policy_a.py").write_text(POLICY.format(body="pass"))
    ran = cogames("play", "-m", "arena", "-p", text, "-s", "2", "-r", "none")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Policy specification cannot be empty."),
        ("a::b", "cannot include ':'"),
        ("class=starter?speed=1", "write 'class=starter,kw.speed=1'"),
        ("class=starter,speed=1", "use 'kw.speed=1'"),
        ("class=starter,proportion=0", "Policy proportion must be a positive number"),
        ("class=starter,data=weights.pt", "Policy data path does not exist: weights.pt"),
        ("./nowhere.zip", "Policy path does not exist"),
        ("./old.mpt", ""),
        ("./a.zip,class=b", "Only proportion is supported after a checkpoint URI"),
    ],
)  # fmt: skip
def test_an_invalid_policy_is_refused_with_the_accepted_forms(cogames: Any, text: str, message: str) -> None:
    ran = cogames("run", "-m", "arena", "-p", text)
    assert (ran.code, ran.out) == (1, "")
    assert ran.error.startswith("Error parsing policy argument: ")
    assert message in ran.error
    assert "class=NAME,data=FILE,proportion=F,kw.K=V" in ran.err
    assert ran.err.endswith("\nUsage: cogames run [OPTIONS]\n")


def test_bundles_of_training_runs_are_offered(cogames: Any, tmp_path: Path) -> None:
    bundle = tmp_path / "train_dir" / "my_run"
    bundle.mkdir(parents=True)
    (bundle / "policy_spec.json").write_text('{"class_path": "mettagrid.policy.noop.NoopPolicy"}')
    refused = cogames("play", "-m", "arena", "-p", "./nowhere.zip", "-r", "none")
    assert "Local checkpoint bundles" in refused.err
    assert any(line.startswith("./train_dir/my_run  ") for line in refused.err.splitlines())
    words = ["-p", "./train_dir/my_run,proportion=3", "-p", "random", "-e", "1", "-s", "2"]
    played = cogames("run", "-m", "arena", *words)
    assert played.code == 0, played.err
    assert "NoopPolicy                       6  ok " in played.out


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("nope", "did you mean noop?", "write a class as module.Class"),
        ("nowhere_at_all.MyPolicy", "No module named 'nowhere_at_all'", "if 'nowhere_at_all' is your own code"),
        ("my_policy_b.MyPolicy", "ImportError: I am not ready", None),
        ("class=my_policy_c.MyPolicy,kw.colour=red", "takes no argument 'colour'", None),
        ("my_policy_c.Agent", "is an AgentPolicy", None),
    ],
)
def test_a_policy_that_cannot_be_made_is_refused(
    cogames: Any, tmp_path: Path, text: str, message: str, hint: str | None
) -> None:
    (tmp_path / "my_policy_b.py").write_text(POLICY.format(body="raise ImportError('I am not ready')"))
    (tmp_path / "my_policy_c.py").write_text(POLICY.format(body="pass"))
    ran = cogames("scrimmage", "-m", "arena", "-p", text, "-e", "1", "-s", "2")
    assert ran.code == 1
    assert message in ran.error
    if hint is not None:
        assert any(line.startswith(hint) for line in ran.hints)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["run", "-m", "arena"], "Supply at least one: --policy / -p"),
        (["scrimmage", "-m", "arena"], "Supply at least one: --policy / -p"),
        (["pickup", "--pool", "noop"], "Missing: --policy / -p"),
        (["pickup", "-p", "noop"], "Supply at least one: --pool"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_without_a_policy_there_is_help(cogames: Any, words: list[str], what: str) -> None:
    ran = cogames(*words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"Usage: cogames {words[0]} ")
    assert f"\n{what}\n" in ran.err


def test_scrimmage_is_for_one_policy_that_has_all_seats(cogames: Any) -> None:
    two = cogames("scrimmage", "-m", "arena", "-p", "noop", "-p", "random")
    assert (two.code, two.error) == (1, "Error: scrimmage accepts exactly one --policy / -p value.")
    for text in ("noop:2", "class=noop,proportion=0.5"):
        ran = cogames("scrimmage", "-m", "arena", "-p", text)
        assert (ran.code, ran.error) == (1, "Error: scrimmage does not support policy proportions.")


def test_a_policy_that_fails_gets_a_verdict_and_the_others_play_on(cogames: Any) -> None:
    ran = cogames("run", "-m", "arena", "-p", "chaos-monkey", "-p", "random", "-e", "2", "-s", "20", "--format", "json")
    assert ran.code == 1
    episodes = json.loads(ran.out)["statistics"]["missions"][0]["episodes"]
    for episode in episodes:
        assert [verdict["status"] for verdict in episode["verdicts"]] == ["crashed", "ok"]
        assert (episode["steps"], episode["verdicts"][0]["step"]) == (20, 10)
    assert "warning: arena: ChaosMonkeyPolicy failed in 2 of 2 episodes (crashed: RuntimeError:" in ran.err


BREAKS = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
        print("step number", self.steps)
        return helper(self) if self.steps > 2 else Action(name="noop")


def helper(agent):
    return agent.no_such_thing


class MyPolicy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)
"""
PLACE = """\
    File "my_breaking_policy.py", line 12, in step
      return helper(self) if self.steps > 2 else Action(name="noop")
"""


@pytest.mark.parametrize(
    "words",
    [
        ["scrimmage", "-e", "1"],
        ["run", "-e", "2", "-p", "noop"],
        ["play", "-r", "none"],
        ["pickup", "--pool", "noop", "-c", "2"],
    ],
    ids=" ".join,
)
def test_a_policy_that_crashes_is_in_the_table_and_shows_where_it_was(
    cogames: Any, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "my_breaking_policy.py").write_text(BREAKS)
    ran = cogames(*words, "-m", "arena", "-s", "5", "-p", "my_breaking_policy.MyPolicy")
    assert ran.code == 1
    row = next(line for line in ran.out.splitlines() if "MyPolicy" in line and "crashed" in line)
    assert row.split()[-1] == "0"  # of the column for missed deadlines
    assert "Missed Deadlines" in ran.out
    assert ran.err.count(PLACE) == 1
    assert '    File "my_breaking_policy.py", line 16, in helper\n      return agent.no_such_thing\n' in ran.err
    assert "  AttributeError: 'Agent' object has no attribute 'no_such_thing'\n" in ran.err
    assert "step number 3\n" in ran.err
    assert "mettagrid/" not in ran.err
    assert str(tmp_path) not in ran.err and str(Path.home()) not in ran.err
