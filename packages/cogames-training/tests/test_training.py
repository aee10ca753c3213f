"""Whole runs: repeatable, resumable, over several missions, with teachers."""

import json
import subprocess
import sys
from typing import get_args

import pytest
import torch

from cogames_training.args import Precision, SettingError
from cogames_training.reports.epoch import EpochReport
from mettagrid.policy._cpu_kernels import has_fast_bfloat16


def weights(result):
    return torch.load(result.run / f"model_{result.epochs:06d}.pt", weights_only=True)


def curve(result):
    lines = (result.run / "metrics.jsonl").read_text().splitlines()
    reports = [EpochReport.from_json(line) for line in lines]
    return [(report.epoch, report.agent_steps, report.losses, report.episode, report.experience) for report in reports]


def assert_same(a, b):
    assert list(weights(a)) == list(weights(b))
    for name, tensor in weights(a).items():
        assert torch.equal(tensor, weights(b)[name]), name
    assert json.dumps(curve(a)) == json.dumps(curve(b))


TEACHER = {"teacher": "miner", "teacher_led_proportion": 0.4, "student_led_proportion": 0.3, "teacher_steps": 500}


@pytest.mark.parametrize(
    "settings",
    [
        {"policy": "class=lstm"},
        {"policy": "class=sparse"},
        {"policy": "class=sparse", **TEACHER},
        {"policy": "class=sparse", "critic_update": "gtd_lambda", "sampling": "sequential", "reward_centering": 0.01},
        {"policy": "class=stateless", "optimizer": "adamw_schedulefree", "schedule": "constant"},
        {"policy": "class=sparse", "missions": ["tutorial.miner", "tutorial.scout", "arena"], "cogs": None},
        {"policy": "class=sparse", "missions": ["tutorial.miner", "arena"], "curriculum": "learning_progress"},
    ],
    ids=["lstm", "sparse", "teacher", "gradient critic", "stateless", "missions", "progress"],
)
def test_a_seed_repeats_a_run_and_resuming_continues_it(small_run, settings, tmp_path, monkeypatch):
    whole = small_run("whole", **settings)
    assert_same(whole, small_run("again", **settings))
    assert not small_run("parts", **settings, epochs=1).is_finished
    assert_same(whole, small_run("parts", **settings))


def test_the_number_of_threads_does_not_matter(small_run):
    one = small_run("one", policy="class=sparse")
    torch.set_num_threads(3)
    assert_same(one, small_run("three", policy="class=sparse", threads=3))
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize("policy", ["sparse", "lstm"])
def test_bfloat16_on_the_cpu_learns_nearly_the_same(small_run, policy):
    runs = {name: weights(small_run(name, policy=f"class={policy}", precision=name)) for name in get_args(Precision)}
    same = runs["bfloat16" if has_fast_bfloat16() else "float32"]
    assert all(torch.equal(tensor, same[name]) for name, tensor in runs["auto"].items())
    start = weights(small_run("start", policy=f"class={policy}", learning_rate=1e-30))
    for name, tensor in runs["float32"].items():
        moved, differs = (tensor - start[name]).norm(), (tensor - runs["bfloat16"][name]).norm()
        assert moved > 0 and differs < 0.3 * moved, name


def test_training_does_not_import_the_compiler(corridor, tmp_path):
    program = f"""
import sys
from cogames_training.args import TrainArgs
from cogames_training.training import train
train(TrainArgs(missions=[{corridor("#@.M#")!r}], policy="class=sparse", parallel_envs=2, horizon=4, total_steps=8))
print("torch._dynamo" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split()[-1] == "False"


def test_another_seed_gives_another_run(small_run):
    first, other = weights(small_run("a")), weights(small_run("b", seed=6))
    assert any(not torch.equal(tensor, other[name]) for name, tensor in first.items())


def test_settings_that_cannot_work_are_refused_before_anything_is_written(small_run, tmp_path):
    for settings, words in (
        ({"policy": "class=random"}, "has no network"),
        ({"teacher": "no_such_teacher"}, "teacher"),
        ({"critic_update": "gtd_lambda", "policy": "class=lstm"}, "auxiliary head"),
        ({"teacher_led_proportion": 0.7, "student_led_proportion": 0.4}, "at most 1"),
        ({"horizon": 0}, "horizon"),
    ):
        with pytest.raises(SettingError, match=words):
            small_run("refused", **settings)
    assert not list(tmp_path.iterdir())
