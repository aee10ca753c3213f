"""The documented names of policies, in every form and command that takes a policy."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cogames_agents
from cogames.main import app
from cogames.policy.arguments import parse_policy_spec
from mettagrid.policy.installed_policies import installed_policies
from mettagrid.policy.policy import MultiAgentPolicy

DOCUMENTED = (
    "role", "role_py", "baseline", "teacher", "cogsguard", "cogsguard_v2", "wombo", "cogsguard_control",
    "cogsguard_targeted", "nlanky", "greedy", "scripted.basic", "miner", "scout", "aligner", "scrambler",
)  # fmt: skip
WITH_ROLES = ("role", "role_py", "cogsguard", "nlanky")
QUICK = ("-s", "3", "-e", "1")
AXES = tuple(
    word
    for name in ("eval_balanced_spread", "eval_collect_resources", "eval_divide_and_conquer")
    for word in ("--experiments", name)
)

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def cogames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Calls the command in this process and an empty folder; returns the exit status and all output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COGBOX_LEVEL", "bubblewrap")  # starts faster than a container

    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.output

    return run


def test_entry_points_and_classes_have_the_same_names() -> None:
    registered = {
        policy.name: policy.class_path for policy in installed_policies() if policy.package == "cogames_agents"
    }
    for module in pkgutil.walk_packages(cogames_agents.__path__, "cogames_agents."):
        importlib.import_module(module.name)
    named: dict[str, str] = {}
    classes = list(MultiAgentPolicy.__subclasses__())
    while classes:
        policy_class = classes.pop()
        classes += policy_class.__subclasses__()
        if policy_class.__module__.startswith("cogames_agents."):
            for name in vars(policy_class).get("short_names") or ():
                named[name] = f"{policy_class.__module__}.{policy_class.__qualname__}"
    assert named == registered


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_documented_name_plays_in_every_form(name: str, cogames: Command) -> None:
    forms = [name, f"class={name}", f"metta://policy/{name}"]
    if name in WITH_ROLES:
        forms += [f"class={name},kw.miner=4", f"metta://policy/{name}?miner=4&scout=2&aligner=2&scrambler=2"]
    assert len({parse_policy_spec(form).class_path for form in forms}) == 1
    policies = [word for form in forms for word in ("-p", form)]
    code, output = cogames("run", "-m", "arena", "-c", "8", *policies, *QUICK)
    assert code == 0, output


@pytest.mark.parametrize(
    "uri",
    ["cogsguard?gear=10", "cogsguard?role_cycle=aligner,miner", "role?role_order=scout,miner", "role?evolution=1",
     "teacher?role_vibes=miner,scout", "nlanky?stem=8&trace=1"],
)  # fmt: skip
def test_documented_parameters_are_accepted(uri: str, cogames: Command) -> None:
    code, output = cogames("run", "-m", "arena", "-p", f"metta://policy/{uri}", *QUICK)
    assert code == 0, output


@pytest.mark.parametrize(
    "words",
    [
        ("run", "-m", "arena", *QUICK, "-p"),
        ("run", "-m", "arena", *QUICK, "--isolate", "-p"),
        ("play", "-m", "arena", "-s", "3", "-r", "none", "-p"),
        ("scrimmage", "-m", "arena", *QUICK, "-p"),
        ("pickup", *QUICK, "--pool", "random", "-p"),
        ("diagnose", *AXES, *QUICK, "--scripted-baseline-policy", "scripted.basic"),
        ("upload", "-n", "mine", "--dry-run", "-p"),
    ],
    ids=lambda words: words[0] + ("-boxed" if "--isolate" in words else ""),
)
def test_every_command_plays_a_name_and_explains_a_wrong_parameter_in_one_sentence(
    words: tuple[str, ...], cogames: Command
) -> None:
    code, output = cogames(*words, "metta://policy/role?miner=4")
    assert code == 0, output
    for uri, sentence in {
        "metta://policy/role?miner=many": "miner is 'many'; it must be a number of cogs from 0 to 10000",
        "metta://policy/role?pilot=1": "role has no option 'pilot'",
        "metta://policy/baseline?pilot=1": "BaselinePolicy takes no argument 'pilot'",
    }.items():
        code, output = cogames(*words, uri)
        errors = [line for line in output.splitlines() if line.startswith("Error")]
        assert code != 0 and len(errors) == 1 and sentence in errors[0], output
        assert "Traceback" not in output


@pytest.mark.parametrize(
    "line",
    [
        "play -m arena -c 4 -p class=baseline -r none",
        "play -m four_score -p nlanky -p baseline -p random -p noop -r none",
        "play -m four_score -p nlanky:1 -p random:2 -r none",
        "play -m cogsguard_arena.basic -p role -r unicode",
        "play -m cogsguard_arena.basic -p role -r log",
        "scrimmage -m cogsguard_arena.basic -p role --format json",
        "run -m cogsguard_arena.basic -p role -p random",
        "run -S integrated_evals -p role",
        "pickup -p greedy --pool random",
    ],
)
def test_documented_command_lines_run(line: str, cogames: Command) -> None:
    words = line.split()
    short = ("-s", "5") if words[0] == "play" else QUICK
    code, output = cogames(*words, *short)
    assert code == 0, output
