"""The recipe runner through its command line, with a trainer that only records its settings."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from cogames_training.args import TrainArgs
from cogames_training.recipes import main

SMART_GEAR = (
    '\'teacher={mode: sliced_cloner, policy_uri: "metta://policy/cogsguard?gear=10", '
    "teacher_led_proportion: 0.5, student_led_proportion: 0.5}'"
)
MINER = "'teacher={mode: sliced_cloner, policy_uri: \"metta://policy/miner\", teacher_led_proportion: 0.7}'"
FULL = (
    '\'teacher={mode: sliced_cloner, policy_uri: "metta://policy/cogsguard?gear=10", '
    "teacher_led_proportion: 0.3, student_led_proportion: 0.7}'"
)
TRAIN = "recipes.experiment.cogsguard.train"
BIG = "trainer.total_timesteps=5_000_000_000 trainer.batch_size=2097152"
GUIDE = [
    "recipes.experiment.cogsguard.play policy_uri=metta://policy/role render=gui max_steps=1000",
    "recipes.experiment.cogsguard.evaluate",
    f"{TRAIN} run=my-cogsguard-bc-001 {SMART_GEAR} {BIG}",
    f"{TRAIN} run=my-cogsguard-ppo-001 trainer.total_timesteps=10_000_000_000",
    f"{TRAIN} run=my-cogsguard-miner-001 {MINER} trainer.total_timesteps=2_000_000_000",
    f"{TRAIN} run=my_experiment_name {SMART_GEAR} {BIG}",
    f"{TRAIN} run=cogsguard-bc-smartgear-v1 {SMART_GEAR} {BIG}",
    f"{TRAIN} run=cogsguard-curriculum-miner {MINER} trainer.total_timesteps=2_000_000_000",
    f"{TRAIN} run=cogsguard-curriculum-full {FULL} trainer.total_timesteps=5_000_000_000",
    f"{TRAIN} run=cogsguard-ppo-baseline trainer.total_timesteps=10_000_000_000",
    f"{TRAIN} run=my-run {SMART_GEAR} {BIG}",
]


class Trainer:
    """Stands in for `cogames_training.training`."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.error: BaseException | None = None
        self.is_finished = True

    def train(self, args: TrainArgs, *, run: str | None, layout: str, checkpoints: Path) -> SimpleNamespace:
        self.calls.append({"args": args, "run": run, "layout": layout, "checkpoints": checkpoints})
        if self.error is not None:
            raise self.error
        return SimpleNamespace(bundle=checkpoints / f"{run}:v1", is_finished=self.is_finished)


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Trainer:
    fake = Trainer()
    monkeypatch.setitem(sys.modules, "cogames_training.training", SimpleNamespace(train=fake.train))  # type: ignore[misc]
    return fake


@pytest.mark.parametrize("line", GUIDE)
def test_the_command_lines_of_the_guide_resolve(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shlex.split(line), "--dry-run"]) == 0
    config = yaml.safe_load(capsys.readouterr().out)
    for word in shlex.split(line)[1:]:
        key, _, text = word.partition("=")
        if key in ("run", "policy_uri", "render"):
            assert config[key] == text
    if "trainer" in config:
        assert config["trainer"]["batch_size"] == 2097152
        assert config["trainer"]["total_timesteps"] >= 2_000_000_000


def test_a_recipe_trains_with_its_settings(trainer: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    assert main([TRAIN, "run=first", "trainer.batch_size=4096", "mission=[arena, machina_1]"]) == 0
    (call,) = trainer.calls
    assert (call["run"], call["layout"], call["checkpoints"]) == ("first", "recipe", tmp_path)
    assert (call["args"].batch_size, list(call["args"].missions)) == (4096, ["arena", "machina_1"])


@pytest.mark.parametrize(
    "words", [["cogsguard.train"], ["train", "cogsguard"], ["train", "arena"], ["recipes.arena.train"]]
)
def test_other_spellings_of_a_recipe(trainer: Trainer, words: list[str]) -> None:
    assert main([*words, "data_dir=there"]) == 0
    assert list(trainer.calls[0]["args"].missions) == ["arena"]
    assert trainer.calls[0]["checkpoints"] == Path("there")


def test_a_mission_is_a_recipe_and_a_run_without_a_name_gets_one(trainer: Trainer) -> None:
    assert main(["train", "machina_1"]) == 0
    assert list(trainer.calls[0]["args"].missions) == ["machina_1"]
    assert trainer.calls[0]["run"].startswith("cogsguard-20")
    assert main(["cogsguard.train", "initial_policy_uri=./train_dir/first:v3"]) == 0
    assert trainer.calls[1]["run"] == "first"
    assert trainer.calls[1]["args"].policy == "./train_dir/first:v3"


def test_a_module_of_the_user_is_a_recipe(
    trainer: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my_own_recipes").mkdir()
    (tmp_path / "my_own_recipes" / "mine.py").write_text(
        "from cogames_training.recipes.cogsguard import train as base\n"
        "from cogames_training.recipes.tools import TrainTool\n"
        "def train(steps: int, extra=None) -> TrainTool:\n"
        "    tool = base(mission='machina_1')\n"
        "    tool.trainer.total_timesteps = steps\n"
        "    return tool\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["my_own_recipes.mine.train", "steps=1e6", "trainer.batch_size=8192"]) == 0
    args = trainer.calls[0]["args"]
    assert (args.total_steps, args.batch_size, list(args.missions)) == (1_000_000, 8192, ["machina_1"])
    assert main(["my_own_recipes.mine.train"]) == 2
    assert "Missing: steps=VALUE" in capsys.readouterr().err
    assert main(["my_own_recipes.mine.trian"]) == 1
    assert "did you mean my_own_recipes.mine.train" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("cogsguard.train word", 2, "'word' is not key=value"),
        ("cogsguard.train batch_size=1", 2, "did you mean trainer.batch_size?"),
        ("cogsguard.train trainer.batch=1", 2, "available here: trainer.total_timesteps"),
        ("cogsguard.train 'teacher={mod: x}'", 2, "teacher.mode"),
        ("cogsguard.train misson=arena", 2, "did you mean mission"),
        ("train", 2, "is not RECIPE.TOOL"),
        ("", 2, "Name a tool"),
        ("run=x", 2, "Name a tool"),
        ("train nowhere", 1, "Recipe 'nowhere' not found"),
        ("cogsguard.tarin", 1, "did you mean cogsguard.train"),
        ("cogsguard.train trainer.batch_size=many", 1, "trainer.batch_size"),
        ("cogsguard.train teacher.mode=x", 1, "teacher.mode"),
        ("cogsguard.train trainer.losses.grpo.enabled=true", 1, "does not have this loss"),
        ("cogsguard.evaluate_remote policy_uri=./mine", 1, "cogames upload -p ./mine"),
        ("cogsguard.replay file=missing.cogreplay", 1, "not found"),
    ],
)
def test_errors(line: str, code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)) == code
    assert says in capsys.readouterr().err


def test_an_interrupt_has_its_own_exit_code(trainer: Trainer) -> None:
    trainer.error = KeyboardInterrupt()
    assert main(["cogsguard.train"]) == 130


def test_a_run_that_was_stopped_says_how_to_continue(trainer: Trainer, capsys: pytest.CaptureFixture[str]) -> None:
    trainer.is_finished = False
    assert main(["cogsguard.train", "run=first", "data_dir=there"]) == 130
    captured = capsys.readouterr()
    assert "Checkpoint: there/first:v1" in captured.out
    assert "run=first continues" in captured.err


def test_a_list_and_help_name_tools_and_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert "cogsguard.train" in capsys.readouterr().out
    assert main(["cogsguard.train", "-h"]) == 0
    out = capsys.readouterr().out
    assert "trainer.losses.ppo_actor.ent_coef" in out
    assert "agent steps per update" in out
    assert main(["--help"]) == 0


def test_wandb_settings_become_its_environment(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("WANDB_MODE", "")
    monkeypatch.setenv("WANDB_PROJECT", "")
    assert main(["cogsguard.train", "wandb={mode: disabled, project: mine}"]) == 0
    assert (os.environ["WANDB_MODE"], os.environ["WANDB_PROJECT"]) == ("disabled", "mine")


def test_playing_evaluating_and_recording_an_episode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cogsguard.play", "policy_uri=noop", "render=none", "max_steps=5", "cogs=1"]) == 0
    assert "5 steps" in capsys.readouterr().out
    words = ["episodes=1", "max_steps=5", "cogs=1", "workers=1", "format=json"]
    assert main(["evaluate", "arena", "policy_uri=noop", *words]) == 0
    assert '"missions"' in capsys.readouterr().out
    replay, page = tmp_path / "a.cogreplay", tmp_path / "a.html"
    words = [f"replay_path={replay}", f"html={page}", "max_steps=5", "cogs=1"]
    code = main(["cogsguard.replay", "policy_uri=noop", *words])
    assert replay.is_file()
    assert code == 0 or "pages" in capsys.readouterr().err  # the viewer's pages may not be built
