"""`create-bundle`, `validate-bundle` and `tutorial make-policy`: from a template to a bundle that plays."""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def made(cogames: Any, tmp_path: Path) -> Path:
    """A policy of one's own and its bundle."""
    assert cogames("tutorial", "make-policy", "--scripted", "-o", "bundled_policy.py").code == 0
    ran = cogames("create-bundle", "-p", "class=bundled_policy.StarterPolicy", "-f", "bundled_policy.py")
    assert ran.code == 0, ran.err
    return tmp_path / "submission.zip"


def test_make_policy_writes_a_file_and_prints_the_play_command(cogames: Any, tmp_path: Path) -> None:
    ran = cogames("tutorial", "make-policy", "--scripted")
    assert (ran.code, ran.err) == (0, "")
    command = ran.out.splitlines()[-1].split()
    assert command == ["cogames", "play", "-m", "arena", "-p", "class=my_policy.StarterPolicy"]
    assert "short_names" not in (tmp_path / "my_policy.py").read_text()
    assert cogames(*command[1:], "-s", "5", "-r", "none").code == 0
    (tmp_path / "my_policy.py").write_text("mine")
    again = cogames("tutorial", "make-policy", "--scripted")
    assert (again.code, again.error) == (1, "Error: my_policy.py exists")
    assert (tmp_path / "my_policy.py").read_text() == "mine"
    forced = cogames("tutorial", "make-policy", "--scripted", "--force")
    assert (forced.code, forced.err) == (0, "warning: my_policy.py was replaced\n")
    assert "class StarterPolicy" in (tmp_path / "my_policy.py").read_text()


def test_the_source_of_a_class_is_packed_without_being_named(cogames: Any, tmp_path: Path) -> None:
    def packed(policy: str, *words: str) -> set[str]:
        ran = cogames("create-bundle", "-p", policy, *words)
        assert ran.code == 0, ran.err
        return {name for name in zipfile.ZipFile("submission.zip").namelist() if name != "policy_spec.json"}

    cogames("tutorial", "make-policy", "--scripted", "-o", "lonely.py")
    cogames("tutorial", "make-policy", "--scripted", "-o", "pack/inner/deep.py")
    for folder in ("pack", "pack/inner"):
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "pack/helper.py").touch()
    assert packed("lonely.StarterPolicy") == {"lonely.py"}
    assert packed("class=pack.inner.deep.StarterPolicy") == {
        "pack/__init__.py",
        "pack/helper.py",
        "pack/inner/__init__.py",
        "pack/inner/deep.py",
    }
    assert packed("lonely.StarterPolicy", "-f", "pack/helper.py") == {"pack/__init__.py", "pack/helper.py"}
    assert packed("cogames.policy.starter_agent.StarterPolicy") == set()


def test_a_trainable_policy_is_made(cogames: Any, tmp_path: Path) -> None:
    ran = cogames("tutorial", "make-policy", "--trainable", "-o", "nets/my_net.py")
    assert ran.code == 0
    assert "class=my_net.MyTrainablePolicy" in ran.out
    assert ran.hints == ["networks need PyTorch: pip install cogames[neural]"]
    assert "class MyTrainablePolicy" in (tmp_path / "nets" / "my_net.py").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Specify exactly one of --trainable, --scripted and --amongthem"),
        (["--trainable", "--scripted"], "Specify exactly one of --trainable, --scripted and --amongthem"),
        (["--scripted", "-o", "1bad.py"], "'1bad' cannot be imported as a Python module"),
        (["--scripted", "-o", "class.py"], "'class' cannot be imported as a Python module"),
        (["--scripted", "-o", "policy.txt"], "policy.txt is not a Python file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_policy_needs_one_type_and_a_name_that_can_be_imported(
    cogames: Any, tmp_path: Path, words: list[str], message: str
) -> None:
    ran = cogames("tutorial", "make-policy", *words)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.error
    assert not list(tmp_path.iterdir())


def test_create_bundle_prints_the_contents(cogames: Any, tmp_path: Path) -> None:
    (tmp_path / "packed_policy.py").write_text("class MyPolicy: pass\n")
    (tmp_path / "weights.bin").write_bytes(b"0" * 3000)
    (tmp_path / "prepare.py").write_text("print('ready')\n")
    words = ["-p", "class=packed_policy.MyPolicy,data=weights.bin,kw.speed=2", "-k", "some-name=x", "-o", "out/b.zip"]
    ran = cogames("create-bundle", *words, "-f", "packed_policy.py", "--setup-script", "prepare.py")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "Policy class: packed_policy.MyPolicy",
        "Init kwargs: {'speed': '2', 'some_name': 'x'}",
        "Data path: weights.bin",
        "Setup script: prepare.py",
        "Including 3 file(s)",
        "Bundle size: 1 KB",
        f"Bundle created: {tmp_path / 'out' / 'b.zip'}",
    ]
    with zipfile.ZipFile(tmp_path / "out" / "b.zip") as bundle:
        assert sorted(bundle.namelist()) == ["packed_policy.py", "policy_spec.json", "prepare.py", "weights.bin"]
        spec = json.loads(bundle.read("policy_spec.json"))
    assert (spec["class_path"], spec["setup_script"]) == ("packed_policy.MyPolicy", "prepare.py")


def test_a_bundle_can_be_packed_again_with_changes(cogames: Any, made: Path) -> None:
    ran = cogames("create-bundle", "-p", made, "-k", "device=cpu", "-o", "again.zip")
    assert ran.code == 0, ran.err
    with zipfile.ZipFile("again.zip") as bundle:
        assert json.loads(bundle.read("policy_spec.json"))["init_kwargs"] == {"device": "cpu"}
        assert "bundled_policy.py" in bundle.namelist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "noop", "-f", "missing.py"], "Path does not exist: missing.py"),
        (["-p", "noop", "-f", "/etc/hostname"], "Path must be within the current directory: /etc/hostname"),
        (["-p", "metta.agent.policy.Policy"], "needs code that is not in the bundle"),
        (["-p", "./missing.zip"], "does not exist"),
        (["-p", "a::b"], "cannot include ':'"),
        (["-p", "noop", "--setup-script", "note.txt"], "Setup script must be a .py file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_create_bundle_refuses_invalid_input(cogames: Any, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "note.txt").write_text("hello")
    ran = cogames("create-bundle", *words)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.error
    assert not (tmp_path / "submission.zip").exists()


def test_a_bundle_without_its_code_is_warned_about(cogames: Any) -> None:
    ran = cogames("create-bundle", "-p", "elsewhere.MyPolicy")
    assert ran.code == 0
    assert ran.err == "warning: elsewhere.MyPolicy is not in the bundle; include its source with -f PATH\n"


def test_a_good_bundle_is_valid_and_its_mission_and_sandbox_are_printed(cogames: Any, made: Path) -> None:
    ran = cogames("validate-bundle", "-p", made)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "Mission: arena" and lines[1].startswith("Sandbox: ")
    assert lines[2:] == ["Steps: 10", "Policy validated successfully"]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("raise ImportError('not today')", "not today"),
        ("class MyPolicy:\n    def __init__(self, info): pass", "is not a MultiAgentPolicy"),
        ("from mettagrid.policy.noop import NoopPolicy as MyPolicy", "did nothing but noop"),
    ],
)
def test_a_bundle_that_does_not_play_is_not_valid(cogames: Any, tmp_path: Path, code: str, problem: str) -> None:
    (tmp_path / "bad_policy.py").write_text(code)
    assert cogames("create-bundle", "-p", "class=bad_policy.MyPolicy", "-f", "bad_policy.py").code == 0
    ran = cogames("validate-bundle", "-p", "./submission.zip", "-m", "vanilla_small")
    assert ran.code == 1
    assert ran.error.startswith("Error: The bundle is not valid: ")
    assert problem in ran.error


BREAKS = """
import sys
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
        print("I am at", self.steps, __file__)
        if self.steps == 3:
            raise ValueError("no way " + __file__)
        return Action(name="noop")


class MyPolicy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)
"""


@pytest.mark.parametrize("words", [["validate-bundle"], ["scrimmage", "-e", "1", "-s", "5", "--isolate"]], ids=" ".join)
def test_a_bundle_that_crashes_shows_where(cogames: Any, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "bad_policy.py").write_text(BREAKS)
    assert cogames("create-bundle", "-p", "class=bad_policy.MyPolicy", "-f", "bad_policy.py").code == 0
    ran = cogames(*words, "-p", "./submission.zip", "-m", "vanilla_small")
    assert ran.code == 1
    assert "crashed: ValueError: no way bad_policy.py" in ran.err
    assert '    File "bad_policy.py", line 14, in step\n      raise ValueError("no way " + __file__)\n' in ran.err
    if "--isolate" in words:
        assert "[step 2 agent 0] I am at 3 bundle/bad_policy.py\n" in ran.err
        assert any("crashed" in line for line in ran.out.splitlines())
    told = ran.err + ran.out
    assert "mettagrid/" not in told
    assert str(tmp_path) not in told and str(Path.home()) not in told and sys.prefix not in told


def test_a_path_that_is_not_a_bundle_is_refused(cogames: Any, tmp_path: Path) -> None:
    (tmp_path / "junk.zip").write_bytes(b"junk")
    (tmp_path / "empty").mkdir()
    assert cogames("validate-bundle", "-p", "./missing.zip").code == 1
    assert cogames("validate-bundle", "-p", "./junk.zip").code == 1
    ran = cogames("validate-bundle", "-p", "./empty")
    assert ran.code == 1 and "policy_spec.json" in ran.error


def test_a_bundle_plays_in_this_process_and_in_a_sandbox_with_the_same_result(cogames: Any, made: Path) -> None:
    words = ["scrimmage", "-m", "arena", "-p", made, "-e", "1", "-s", "15", "--format", "json"]
    plain, boxed = cogames(*words), cogames(*words, "--isolate")
    assert (plain.code, boxed.code) == (0, 0), boxed.err
    assert json.loads(plain.out) == json.loads(boxed.out)
