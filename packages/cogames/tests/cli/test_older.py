"""Spellings of older documents: they work, and say on stderr what to write today."""

import json
from pathlib import Path
from typing import Any

import pytest


def without_advice(ran: Any, old: str, new: str) -> str:
    """Return stderr without the line about the current spelling."""
    advice = f"warning: `{old}` is an older spelling; write `{new}`\n"
    assert ran.err.count(advice) == 1
    return str(ran.err.replace(advice, ""))


@pytest.mark.parametrize("name", ["eval", "evaluate"])
def test_eval_is_run(cogames: Any, name: str) -> None:
    words = ["-m", "arena", "-p", "noop", "-e", "1", "-s", "2", "--format", "json"]
    old, new = cogames(name, *words), cogames("run", *words)
    assert (old.code, old.out) == (0, new.out)
    assert without_advice(old, f"cogames {name}", "cogames run") == new.err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["games"], ["missions"]),
        (["mission", "-m", "arena"], ["missions", "-m", "arena"]),
        (["evals"], ["missions", "--evals"]),
        (["variants"], ["missions", "--variants"]),
        (["describe", "arena", "-c", "4"], ["missions", "-m", "arena", "-c", "4"]),
        (["describe", "arena", "--format", "yaml"], ["missions", "-m", "arena", "--format", "yaml"]),
        (["make-mission", "-m", "arena", "-c", "2"], ["missions", "-m", "arena", "-c", "2", "--format", "yaml"]),
        (["make-game", "-m", "arena", "--width", "70", "--format", "json"],
         ["missions", "-m", "arena", "--width", "70", "--format", "json"]),
    ],
    ids=lambda words: " ".join(words),
)  # fmt: skip
def test_lists_and_exports(cogames: Any, old: list[str], new: list[str]) -> None:
    before, today = cogames(*old), cogames(*new)
    assert (before.code, before.out) == (0, today.out)
    assert before.err.startswith(f"warning: `cogames {old[0]}` is an older spelling; write `cogames missions")


def test_a_mission_made_the_old_way_can_be_played(cogames: Any) -> None:
    assert cogames("make-mission", "-m", "arena", "-c", "2", "--output", "mine.json").code == 0
    assert cogames("play", "-m", "mine.json", "-s", "2", "-r", "none").code == 0
    assert cogames("make-mission").code == 1


def test_make_policy_without_tutorial(cogames: Any, tmp_path: Path) -> None:
    ran = cogames("make-policy", "-s", "-o", "old_way.py")
    assert ran.code == 0
    assert without_advice(ran, "cogames make-policy", "cogames tutorial make-policy") == ""
    assert (tmp_path / "old_way.py").exists()
    assert cogames("make-policy", "-t", "-o", "old_net.py").code == 0


@pytest.mark.parametrize("words", [["starter"], ["-p", "class=starter"]], ids=" ".join)
def test_validate_policy_plays_ten_steps_here(cogames: Any, words: list[str]) -> None:
    ran = cogames("validate-policy", *words)
    assert (ran.code, ran.out) == (0, "Mission: arena\nSteps: 10\nPolicy validated successfully\n")
    assert without_advice(ran, "cogames validate-policy", "cogames validate-bundle") == ""


def test_validate_policy_refuses_broken_policies(cogames: Any) -> None:
    assert cogames("validate-policy", "noop").error == "Error: The policy is not valid: The policy did nothing but noop"
    assert "did you mean noop?" in cogames("validate-policy", "nope").error
    assert cogames("validate-policy").code == 1


@pytest.mark.parametrize(
    ("old", "today"),
    [
        ("cogsguard_arena.basic", "arena"),
        ("cogsguard_arena:basic", "arena"),
        ("cogsguard_machina_1.basic", "machina_1"),
        ("training_facility_1", "training_facility_open_1"),
        ("training_facility.harvest", "training_facility_open_1"),
        ("training_facility:harvest", "training_facility_open_1"),
        ("hello_world", "arena"),
        ("hello_world.energy_starved", "energy_starved"),
        ("machina_1.open_world", "machina_1"),
    ],
)
def test_older_names_of_missions(cogames: Any, old: str, today: str) -> None:
    words = ["-p", "noop", "-e", "1", "-s", "1", "--format", "json"]
    ran = cogames("run", "-m", old, *words)
    assert json.loads(ran.out)["missions"][0]["mission_name"] == today
    without_advice(ran, f"-m {old}", f"-m {today}")


def test_repeats_and_missions_of_diagnose(cogames: Any) -> None:
    words = ["noop", "-m", "eval_balanced_spread", "--repeats", "1", "-s", "2", "--output-dir", "out"]
    ran = cogames("diagnose", *words)
    assert ran.code == 0
    without_advice(ran, "-m", "--experiments")
    without_advice(ran, "--repeats", "--episodes")
    config = json.loads(Path("out/run_config.json").read_text())
    assert config["episodes"] == 1
