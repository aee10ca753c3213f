"""Epochs as lines of `metrics.jsonl` and `evaluations.jsonl`."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogames_training.reports.epoch import EpochReport
from cogames_training.runs import RunFolderError
from cogames_training.runs.lines import read_evaluations, read_metrics

from .conftest import MakeRun, report

NUMBERS = st.dictionaries(st.text(), st.floats(), max_size=3)
REPORTS = st.builds(
    EpochReport,
    epoch=st.integers(0, 2**62),
    agent_steps=st.integers(0, 2**62),
    total_steps=st.integers(0, 2**62),
    seconds=st.floats(),
    uptime=st.floats(),
    phases=NUMBERS,
    losses=NUMBERS,
    episode=NUMBERS,
    episodes=st.integers(0),
    learning_rate=st.floats(),
    hyperparameters=NUMBERS,
    experience=NUMBERS,
    evaluation=st.none() | st.dictionaries(st.text(), st.floats() | st.none() | NUMBERS, max_size=3),
    epoch_steps=st.integers(0),
)


@given(REPORTS)
def test_a_report_survives_its_line(given_report: EpochReport) -> None:
    line = given_report.to_json()
    assert "\n" not in line and "NaN" not in line.replace('"NaN"', "")
    assert repr(EpochReport.from_json(line)) == repr(given_report)


def test_numbers_of_other_libraries_become_plain_ones() -> None:
    import numpy as np
    import torch

    line = report(1, losses={"a": np.float32(1.5), "b": torch.tensor(2.5), "c": np.float64("nan")}).to_json()
    losses = EpochReport.from_json(line).losses
    assert (losses["a"], losses["b"]) == (1.5, 2.5) and math.isnan(losses["c"])


@pytest.mark.parametrize(
    "line",
    [
        "",
        "3",
        "[]",
        "{}",
        '{"epoch": 1}',
        report(1).to_json()[:-1],
        report(1).to_json().replace('{"env"', '3,"x":{"env"'),
    ],
)
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(ValueError):
        EpochReport.from_json(line)


def test_unknown_keys_of_newer_versions_are_ignored() -> None:
    document = json.loads(report(3).to_json())
    assert EpochReport.from_json(json.dumps({**document, "colour": "blue"})) == report(3)


def epochs(folder: Path) -> list[int]:
    return [each.epoch for each in read_metrics(folder)]


def test_each_line_is_on_disk_when_the_call_returns(make_run: MakeRun) -> None:
    run = make_run()
    for epoch in (1, 2, 3):
        run.append_metrics(report(epoch))
        assert epochs(run.path) == list(range(1, epoch + 1))


def test_a_resumed_run_replaces_what_came_after_its_checkpoint(make_run: MakeRun) -> None:
    run = make_run()
    for epoch in range(1, 8):
        run.append_metrics(report(epoch, evaluation={"score": float(epoch)} if epoch % 2 == 0 else None))
    run.close()
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write('{"epoch": 8, "agent_st')  # the process was killed while it wrote
    again = make_run()
    again.append_metrics(report(5, learning_rate=0.5))
    again.append_metrics(report(6, evaluation={"score": 60.0}))
    assert epochs(run.path) == [1, 2, 3, 4, 5, 6]
    assert read_metrics(run.path)[4].learning_rate == 0.5
    scores = [(each["epoch"], each["agent_steps"], each["score"]) for each in read_evaluations(run.path)]
    assert scores == [(2, 2000, 2.0), (4, 4000, 4.0), (6, 6000, 60.0)]


def test_a_full_disk_is_one_sentence(make_run: MakeRun) -> None:
    run = make_run()
    run.append_metrics(report(1))

    class Full:
        def write(self, text: str) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            raise OSError(28, "No space left on device")

    run._metrics.close()
    run._metrics._file = Full()  # type: ignore[assignment]
    with pytest.raises(RunFolderError, match=r"Cannot write the metrics: the disk of .* is full"):
        run.append_metrics(report(2))
    run.append_metrics(report(2))
    assert epochs(run.path) == [1, 2]


@pytest.mark.parametrize(
    ("changes", "speed"),
    [({}, 500.0), ({"epoch_steps": 0}, 500.0), ({"seconds": 0.0}, 0.0)],
)
def test_the_speed_is_that_of_the_epoch(changes: dict[str, Any], speed: float) -> None:
    assert report(4, **changes).steps_per_second == speed


def test_the_score_is_the_evaluation_or_else_the_reward() -> None:
    assert report(4).score == pytest.approx(0.4)
    assert report(4, evaluation={"score": 7}).score == 7.0
    assert report(4, episode={}).score is None
    assert report(4, episode={"reward": math.nan}).score is None
