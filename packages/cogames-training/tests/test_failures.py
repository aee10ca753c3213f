"""Numbers, disks, files, missions and teachers that fail: nothing older is lost, and a sentence says why."""

import json
import os
import resource
import sys

import pytest
import torch

from cogames_training.args import SettingError
from cogames_training.reports import tensorboard
from cogames_training.runs import RunFolderError, lines
from cogames_training.runs.lines import read_metrics
from cogames_training.training import TrainingStopped
from mettagrid.cogame.errors import MissionError

POISONED = """
import torch
from mettagrid.policy.stateless import StatelessPolicy


class Policy(StatelessPolicy):
    def network(self):
        network = super().network()
        if not hasattr(network, "calls"):
            network.calls, original = 0, network.forward

            def forward(observations, state=None):
                network.calls += 1
                logits, values = original(observations, state)
                return (logits * float("nan") if network.calls > 3 else logits), values

            network.forward = forward
        return network
"""


def status(run):
    return json.loads((run / "run.json").read_text())


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and "trainer" in path.name}


@pytest.fixture
def poisoned(tmp_path, monkeypatch):
    (tmp_path / "poisoned.py").write_text(POISONED)
    monkeypatch.syspath_prepend(tmp_path)
    yield "class=poisoned.Policy"
    sys.modules.pop("poisoned", None)


def test_a_nan_stops_the_run_with_its_minibatch_saved_and_no_checkpoint(small_run, tmp_path, poisoned):
    with pytest.raises(TrainingStopped, match=r"not_finite\.pt.*lower learning rate") as stopped:
        small_run(policy=poisoned)
    run = tmp_path / "run"
    batch = torch.load(run / "not_finite.pt", weights_only=True)
    assert str(run / "not_finite.pt") in str(stopped.value)
    assert batch["observations"].shape[:2] == (2, 8) and batch["observations"].dtype == torch.uint8
    assert {"actions", "log_probs", "advantages", "rewards", "values", "rows", "weights", "kinds"} <= set(batch)
    assert torch.isfinite(batch["advantages"]).all()  # what went into the update was still finite
    assert status(run)["status"] == "failed" and "not a finite number" in status(run)["reason"]
    for pattern in ("policy_spec.json", "model_*", "trainer_state*"):
        assert not list(run.rglob(pattern))


def test_the_checkpoint_before_a_nan_stays(small_run, tmp_path, poisoned):
    with pytest.raises(TrainingStopped):
        small_run(policy=poisoned, checkpoint_every=1)
    run = tmp_path / "run"
    assert [path.name for path in run.glob("model_*")] == ["model_000001.pt"]
    assert all(torch.isfinite(tensor).all() for tensor in torch.load(run / "model_000001.pt").values())
    assert [report.epoch for report in read_metrics(run)] == [1]


@pytest.mark.parametrize("sampling", ["prioritized", "sequential"])
def test_rewards_beyond_all_numbers_stop_the_run(small_run, corridor, tmp_path, sampling):
    mission = corridor("#@M..#", reward=3e38)
    settings = {"missions": [mission], "cogs": None, "policy": "class=sparse", "reward_clip": 0.0}
    with pytest.raises(TrainingStopped, match="not a finite number"):
        small_run(**settings, total_steps=1000, sampling=sampling)
    assert (tmp_path / "run" / "not_finite.pt").exists()


@pytest.mark.parametrize("layout", ["tutorial", "recipe"])
@pytest.mark.parametrize("damaged", ["trainer_state.pt", "weights"])
def test_a_damaged_checkpoint_is_skipped_with_a_sentence(small_run, tmp_path, layout, damaged):
    whole = small_run("whole", layout=layout)
    small_run("cut", layout=layout, checkpoint_every=1, epochs=2)
    folder = tmp_path / "cut" / ("" if layout == "tutorial" else "checkpoints")
    weights = folder / ("model_000002.pt" if layout == "tutorial" else "cut:v2/weights.safetensors")
    path = folder / damaged if damaged != "weights" else weights
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    told = []
    result = small_run("cut", layout=layout, checkpoint_every=1, tell=told.append)
    assert any(path.name in line and ("damaged" in line or "checksum" in line) for line in told)
    assert any("Continuing cut after epoch 1" in line for line in told)
    same = [[(r.epoch, r.losses) for r in read_metrics(run)] for run in (whole.run, result.run)]
    assert same[0] == same[1]


class Full:
    """Lets the first `allowed` writes of a file pass and refuses all others, as a full disk does."""

    def __init__(self, write, allowed):
        self._write, self._left = write, allowed

    def __call__(self, *args, **kwargs):
        self._left -= 1
        if self._left < 0:
            raise OSError(28, os.strerror(28))
        return self._write(*args, **kwargs)


def test_a_disk_without_room_for_reports_costs_one_warning_each(small_run, monkeypatch):
    monkeypatch.setattr(lines.EpochLines, "append", _method(Full(lines.EpochLines.append, 1)))
    monkeypatch.setattr(tensorboard.EventWriter, "add", _method(Full(tensorboard.EventWriter.add, 1)))
    told = []
    result = small_run(tell=told.append)
    assert result.is_finished and result.epochs == 3 and (result.run / "model_000003.pt").exists()
    assert [line for line in told if "Training continues" in line] == told and len(told) == 2
    assert any("metrics.jsonl" in line for line in told) and any("event file" in line for line in told)


def _method(function):
    return lambda *args, **kwargs: function(*args, **kwargs)


def test_a_disk_without_room_for_a_checkpoint_stops_the_run_and_keeps_the_older_one(small_run, tmp_path):
    """A limit on the size of files, which only weights exceed, stands for a small disk."""
    small_run(checkpoint_every=1, epochs=1)
    before = files(tmp_path / "run")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(RunFolderError, match=r"checkpoint of epoch 2: .*; the checkpoint of epoch 1 is intact"):
            small_run(checkpoint_every=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files(tmp_path / "run") == before
    assert status(tmp_path / "run")["status"] == "failed"
    assert [report.epoch for report in read_metrics(tmp_path / "run")] == [1, 2]
    assert small_run(checkpoint_every=1).is_finished


def test_a_run_does_not_continue_with_other_missions_rows_or_networks(small_run, tmp_path):
    small_run(epochs=1)
    before = status(tmp_path / "run")
    for settings, words in (
        ({"missions": ["tutorial.scout"]}, "missions: the run run has"),
        ({"seed": 6}, "seed"),
        ({"parallel_envs": 3}, "4 agents in all, not 6"),
    ):
        with pytest.raises(SettingError, match=words):
            small_run(**settings)
        assert status(tmp_path / "run") == before
    with pytest.raises(SettingError, match="network of the run run is another one"):
        small_run(policy="class=stateless")
    assert small_run().is_finished


LOST_TEACHER = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy


class Lost(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return LostAgent(self.policy_env_info)


class LostAgent(AgentPolicy):
    def step(self, obs):
        raise KeyError("no hub")
"""


def test_missions_and_teachers_that_do_not_fit_are_refused_before_anything_is_written(
    small_run, corridor, tmp_path, monkeypatch
):
    (tmp_path / "lost.py").write_text(LOST_TEACHER)
    (tmp_path / "broken.json").write_text('{"game": {"num_agents": "many"}}')
    monkeypatch.syspath_prepend(tmp_path)
    elsewhere = small_run("elsewhere", folder=tmp_path / "other", epochs=1)  # weights of another observation size
    mission = {"missions": [corridor("#@..M#")], "cogs": None}
    for settings, error, words in (
        ({"missions": ["broken.json"], "cogs": None}, MissionError, "not a valid environment"),
        ({"missions": ["missing.json"], "cogs": None}, MissionError, "does not exist"),
        ({"missions": ["tutorial.miner", mission["missions"][0]], "cogs": None}, SettingError, "different"),
        ({**mission, "teacher": "class=lost.Lost"}, SettingError, "teacher: it failed on an observation: KeyError"),
        ({**mission, "teacher": str(elsewhere.run)}, SettingError, "teacher"),
        ({**mission, "teacher": "no_such_teacher"}, SettingError, "teacher"),
        ({**mission, "policy": str(elsewhere.run)}, SettingError, "policy"),
        ({"schedule_rules": [{"field": "no_such_field"}]}, SettingError, "scheduler|no_such_field"),
    ):
        with pytest.raises(error, match=words):
            small_run("refused", folder=tmp_path / "runs", **settings)
        assert not (tmp_path / "runs").exists()


def test_an_error_of_the_file_system_is_a_sentence(small_run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="Cannot create the run"):
        small_run(folder=tmp_path / "file")
