"""`cogames tutorial train`: settings, errors, continuing, what it prints."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cogames_training.commands.train
import cogames_training.training
from cogames_training.args import TrainArgs
from cogames_training.commands.train_settings import FIELDS
from cogames_training.training import TrainingStopped

from .conftest import only_run

LITTLE = "-m tutorial.miner -c 2 --parallel-envs 2 --horizon 4 --minibatch-size 16 --num-workers 1 --device cpu".split()


def test_the_defaults_are_the_documented_ones(cogames: Any, tiny: list[TrainArgs]) -> None:
    assert cogames("tutorial", "train", "-m", "arena").code == 0
    (args,) = tiny
    assert (args.policy, args.total_steps, args.minibatch_size) == ("class=lstm", 10_000_000_000, 4096)
    assert (args.device, args.seed, args.map_seed, args.threads) == ("auto", 42, None, None)
    assert args == TrainArgs(missions=["arena"], policy="class=lstm")  # the others are those of the trainer
    assert {*FIELDS.values()} <= {*TrainArgs.names()}


def test_a_run_prints_commands_that_work(cogames: Any, tmp_path: Path) -> None:
    ran = cogames("tutorial", "train", *LITTLE, "--steps", 32, "--run", "a run")
    assert ran.code == 0, ran.err
    first, *lines = ran.out.splitlines()
    assert first == "Run a run finished after 2 epochs and 32 agent steps"
    commands = {name: shlex.split(command) for name, _, command in (line.partition(":") for line in lines)}
    assert list(commands) == ["Continue", "Play", "Evaluate"]
    assert all(command[-2:] == ["-p", "./train_dir/a run"] for command in commands.values())
    assert cogames(*commands["Play"][1:], "-r", "none", "-s", 3).code == 0
    assert cogames(*commands["Evaluate"][1:], "-e", 1, "-s", 3).code == 0
    more = ["--steps", 16, "--parallel-envs", 2, "--horizon", 4, "--device", "cpu"]
    assert cogames(*commands["Continue"][1:], *more).code == 0
    record = json.loads((tmp_path / "train_dir/a run/run.json").read_text())
    assert record["command"][:5] == ["cogames", "tutorial", "train", "--mission", "tutorial.miner"]
    assert record["args"]["missions"] == ["tutorial.miner"]


def test_the_name_of_a_run_continues_it_with_its_settings(cogames: Any, tmp_path: Path) -> None:
    assert cogames("tutorial", "train", *LITTLE, "--steps", 16, "--run", "one", "--checkpoints", "runs").code == 0
    ran = cogames("tutorial", "train", "--run", "one", "--checkpoints", "runs", "--steps", 40, "--log-outputs")
    assert ran.code == 0, ran.err
    assert [json.loads(line)["agent_steps"] for line in ran.out.splitlines()] == [32, 48]
    assert "Continuing one after epoch 1" in ran.err
    assert "Continue:  cogames tutorial train -m tutorial.miner -c 2 -p ./runs/one --checkpoints ./runs" in ran.err
    changed = cogames("tutorial", "train", "--run", "one", "--checkpoints", "runs", "--seed", 7)
    assert (changed.code, "seed" in changed.error) == (1, True)


def test_a_run_from_the_weights_of_another_takes_its_missions(cogames: Any, tiny: list[TrainArgs]) -> None:
    words = ["-m", "tutorial.miner", "-c", 2, "--run", "first", "-p", "class=sparse"]
    assert cogames("tutorial", "train", *words).code == 0
    for policy in ("./train_dir/first", "./train_dir/first:v5", "./train_dir/first/checkpoints/first:v5"):
        ran = cogames("tutorial", "train", "-p", policy, "--run", f"next{len(tiny)}")
        assert ran.code == 0, ran.err
        assert (list(tiny[-1].missions), tiny[-1].cogs, tiny[-1].policy) == (["tutorial.miner"], 2, policy)
        assert "Training on tutorial.miner, like first" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("-m nowhere", "Mission 'nowhere' not found"),
        ("-m arena -c 999", "cogs"),
        ("-m arena -p class=nothing", "nothing"),
        ("-m arena -p starter", "has no network"),
        ("-m arena -p ./train_dir/nothing", "does not exist"),
        ("-m arena -p class=lstm,kw.depth=2", "takes no argument 'depth'"),
        ("-m arena --teacher unknown", "unknown"),
        ("-m arena --teacher-led 0.7 --student-led 0.7", "at most 1"),
        ("-m arena --device cuda:77", "device"),
        ("-m arena --learning-rate 0", "learning_rate"),
        ("-m arena --run a/b", "cannot be the name of a run"),
    ],
)
def test_settings_that_cannot_work_are_one_sentence(cogames: Any, words: str, says: str, tmp_path: Path) -> None:
    ran = cogames("tutorial", "train", *words.split(), "--steps", 1)
    assert (ran.code, ran.out) == (1, "")
    assert says in ran.err
    assert "--debug" not in ran.err
    assert not list((tmp_path / "train_dir").glob("*/*"))


def test_a_run_whose_numbers_are_not_finite_fails(cogames: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def train(*args: Any, **more: Any) -> None:
        raise TrainingStopped("Training stopped: a loss is not a finite number")

    monkeypatch.setattr(cogames_training.training, "train", train)
    ran = cogames("tutorial", "train")
    assert (ran.code, ran.error) == (1, "Error: Training stopped: a loss is not a finite number")


def test_other_teams_have_opponents(cogames: Any, tiny: list[TrainArgs]) -> None:
    words = ["-m", "four_score", "-c", 4, "-p", "class=sparse", "--opponent", "starter", "--opponent", "self"]
    ran = cogames("tutorial", "train", *words)
    assert ran.code == 0, ran.err
    assert tiny[-1].opponents == ["starter", "self"]
    assert cogames("tutorial", "train", *words, "--opponent", "./nothing").code == 1


def test_a_second_interrupt_ends_the_command(cogames: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def train(*args: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cogames_training.training, "train", train)
    assert cogames("tutorial", "train").code == 130


def test_the_first_interrupt_saves_the_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cogames", "tutorial", "train", *LITTLE]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stderr.readline().startswith("epoch 1, ")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    run = only_run(tmp_path / "train_dir")
    assert f"Continue:  cogames tutorial train --run {run.name}\n" in out
    assert (run / "policy_spec.json").is_file()


def test_without_pytorch_the_command_says_what_to_install(cogames: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cogames_training.commands.train, "find_spec", lambda name: None)
    for words in (["tutorial", "train"], ["train"]):
        ran = cogames(*words, "-m", "arena")
        assert (ran.code, ran.error) == (1, "Error: Training needs PyTorch, which is not installed")
        assert ran.hints == ["pip install cogames[neural]"]


def test_help_and_refusals_import_no_pytorch() -> None:
    program = """\
import sys
import cogames_training.commands.train as command
from cogames.main import app
command.find_spec = lambda name: None
for words in (["tutorial", "train", "--help"], ["train", "--help"], ["tutorial", "train"]):
    try:
        app(words)
    except SystemExit as end:
        print(end.code, file=sys.stderr)
print("torch" in sys.modules, file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [line for line in ran.stderr.splitlines() if line in "0 1 True False".split()] == ["0", "0", "1", "False"]
    assert ran.stdout.count("pip install cogames[neural]") == 2


def test_waiting_threads_do_not_spin() -> None:
    code = "import os, cogames_training; print(os.environ['OMP_WAIT_POLICY'])"
    for given, expected in (({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE")):
        env = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"} | given
        assert subprocess.check_output([sys.executable, "-c", code], env=env, text=True).strip() == expected
