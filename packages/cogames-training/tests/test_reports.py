"""What a run tells while it trains: evaluations, times, Weights & Biases; and how it stops when asked to."""

import json
import os
import signal
import sys
from types import SimpleNamespace

import pytest
import torch

from cogames_training.args import TrainArgs
from cogames_training.evaluation import evaluate
from cogames_training.runs.lines import read_evaluations, read_metrics
from cogames_training.training import TrainingStopped, train


def weights(result):
    return torch.load(result.run / f"model_{result.epochs:06d}.pt")


@pytest.mark.parametrize("optimizer", ["adam", "adamw_schedulefree"])
def test_evaluations_and_checkpoints_are_timed_and_change_nothing(small_run, corridor, optimizer):
    settings = {"missions": [corridor("#@..M#"), corridor("#M..@#", extra=True)], "cogs": None}
    settings |= {"policy": "class=sparse", "optimizer": optimizer, "total_steps": 64}
    plain = small_run("plain", **settings)
    told = small_run("told", **settings, evaluate_every=2, evaluation_seeds=3, checkpoint_every=1)
    assert all(torch.equal(tensor, weights(told)[name]) for name, tensor in weights(plain).items())

    reports = read_metrics(told.run)
    assert [sorted({"evaluate", "checkpoint"} & set(report.phases)) for report in reports] == [
        [],
        ["checkpoint", "evaluate"],
        ["checkpoint"],
        ["checkpoint", "evaluate"],
    ]
    for report in reports:
        assert sum(report.phases.values()) == pytest.approx(report.seconds, rel=0.2)
    assert sum(report.seconds for report in reports) == pytest.approx(reports[-1].uptime)
    evaluations = read_evaluations(told.run)
    assert [evaluation["epoch"] for evaluation in evaluations] == [2, 4]
    assert [len(evaluation["missions"]) for evaluation in evaluations] == [2, 2]
    assert evaluations[0]["low"] <= evaluations[0]["score"] <= evaluations[0]["high"]
    assert evaluations[0]["episodes"] == 6


def test_an_evaluation_draws_actions_as_the_policy_does(small_trainer, corridor):
    trainer = small_trainer(missions=[corridor("#@..M#")], cogs=None, policy="class=stateless")
    with torch.no_grad():
        for parameter in trainer.network.parameters():
            parameter.zero_()
        trainer.network.state_dict()["action_head.bias"][4] = 2.0  # east: 65%
    given = {"action_names": ["noop", "north", "south", "west", "east"], "seeds": 6}
    tasks = trainer.rollout.parts[0].worlds.tasks
    assert evaluate(trainer.actor, tasks, **given, greedy=True)["score"] == 14
    drawn = evaluate(trainer.actor, tasks, **given)
    assert 3 < drawn["score"] < 13 and drawn["low"] < drawn["high"]
    assert evaluate(trainer.actor, tasks, **given) == drawn


class FakeRun:
    def __init__(self):
        self.logged, self.exit_code = [], None

    def log(self, values, step):
        self.logged.append((step, values))

    def finish(self, exit_code):
        self.exit_code = exit_code


def test_weights_and_biases_gets_texts_and_whether_a_run_failed(small_run, corridor, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    runs = [FakeRun(), FakeRun()]
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=lambda **given: runs[len(started) - 1]))
    started = [1]
    small_run("fine", layout="recipe", checkpoint_every=1)
    assert [step for step, _ in runs[0].logged] == [32, 64, 96] and runs[0].exit_code == 0
    uris = [values.get("checkpoint/latest_uri") for _, values in runs[0].logged]
    assert [uri and uri.rpartition("/")[2] for uri in uris] == [None, "fine:v1", "fine:v2"]

    started.append(2)
    mission = corridor("#@M..#", reward=3e38)
    with pytest.raises(TrainingStopped):
        small_run("bad", missions=[mission], cogs=None, policy="class=sparse", reward_clip=0.0, total_steps=1000)
    assert runs[1].exit_code == 1


def test_rolling_means_continue_with_the_run(small_run, corridor, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    logs = []

    def init(**given):
        logs.append(FakeRun())
        return logs[-1]

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    settings = {
        "layout": "recipe",
        "policy": "class=stateless",
        "missions": [corridor("#@..M#", steps=5)],
        "cogs": None,
    }
    small_run("whole", **settings)
    small_run("parts", **settings, epochs=3)
    small_run("parts", **settings)
    (_, whole), (_, parts) = logs[0].logged[-1], logs[2].logged[-1]
    rolling = {name: value for name, value in whole.items() if name.endswith((".avg", "avg_reward_estimate"))}
    assert len(rolling) > 3
    assert rolling == {name: parts[name] for name in rolling}


def test_the_first_interrupt_ends_the_run_after_its_epoch(small_run, small_settings, tmp_path):
    whole = small_run("whole")
    before = signal.getsignal(signal.SIGINT)
    for number in (signal.SIGINT, signal.SIGTERM):
        result = train(
            TrainArgs(**small_settings),
            run=f"cut{number:d}",
            checkpoints=tmp_path,
            tell=lambda text: None,
            stop=lambda report, number=number: os.kill(os.getpid(), number) is not None,
        )
        assert (result.epochs, result.is_finished) == (2, False)  # `stop` is asked after the end of an epoch
        assert json.loads((result.run / "run.json").read_text())["status"] == "interrupted"
        again = small_run(f"cut{number:d}")
        assert all(torch.equal(tensor, weights(again)[name]) for name, tensor in weights(whole).items())
    assert signal.getsignal(signal.SIGINT) is before
