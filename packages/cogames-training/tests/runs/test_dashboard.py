"""The display in the terminal, and the lines elsewhere."""

import io

import pytest
from rich.console import Console

from cogames_training.reports.dashboard import Dashboard, Progress, plain_line
from cogames_training.reports.dashboard_view import view
from cogames_training.reports.epoch import EpochReport
from cogames_training.reports.units import duration, number, short_count

from .conftest import report

EVALUATION = {"score": 2.5, "low": 2.0, "high": 3.0, "episodes": 20}


def shown(*reports: EpochReport, width: int = 80) -> list[str]:
    progress = Progress("run my_run on arena")
    for each in reports:
        progress.add(each)
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(view(progress))
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [80, 100, 200])
def test_everything_fits_the_terminal(width: int) -> None:
    many = {f"env_agent/a.very.long.name.of.a.statistic.{index}": 1e9 for index in range(40)}
    lines = shown(report(1), report(2, episode={"reward": 1.0, **many}, evaluation=EVALUATION), width=width)
    assert max(map(len, lines)) <= width and len(lines) < 24
    text = "\n".join(lines)
    for part in ("run my_run on arena", "steps/s", "500", "entropy", "reward", "25%", "2.500 (2.000 to 3.000)"):
        assert part in text, part


def test_the_newest_evaluation_and_episodes_stay_visible() -> None:
    text = "\n".join(shown(report(1, evaluation=EVALUATION), report(2, episode={}, episodes=1)))
    assert "Evaluation 2.500 (2.000 to 3.000) at epoch 1" in text and "0.100" in text


def test_a_run_without_numbers_can_be_shown() -> None:
    assert "none ended yet" in "\n".join(shown(EpochReport(1, 0, 0, 0.0, 0.0)))


def test_the_time_left_comes_from_the_last_epochs() -> None:
    progress = Progress("x")
    assert progress.seconds_left is None
    for epoch in range(1, 31):
        progress.add(report(epoch, seconds=20.0 if epoch < 20 else 2.0))
    assert progress.steps_per_second == 500.0 and progress.seconds_left == 140.0


def test_files_get_a_line_every_ten_seconds_each_evaluation_and_the_last_epoch() -> None:
    stream, time = io.StringIO(), 0.0
    with Dashboard("x", stream=stream, clock=lambda: time) as dashboard:
        for epoch in range(1, 26):
            time += 1.0
            dashboard.update(report(epoch, evaluation=EVALUATION if epoch == 15 else None))
        dashboard.note("checkpoint saved")
    lines = stream.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == ["epoch 1", "epoch 11", "epoch 15", "epoch 25", "checkpoint saved"]
    assert lines[2] == (
        "epoch 15, 15.0k of 100k steps (15%), 500 steps/s, reward 1.500, kl 0.010, "
        "evaluation 2.500 (2.000 to 3.000), 2:50 min left"
    )


def test_a_terminal_gets_the_display_and_no_colours_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    texts = {}
    for colours in (True, False):
        if not colours:
            monkeypatch.setenv("NO_COLOR", "1")
        stream = io.StringIO()
        with Dashboard("my run", stream=stream, live=True) as dashboard:
            dashboard.update(report(1, evaluation=EVALUATION))
            dashboard.note("a remark")
            dashboard.update(report(2))
        texts[colours] = stream.getvalue()
        assert "my run" in texts[colours] and "a remark" in texts[colours]
    assert "\x1b[36m" in texts[True] and "\x1b[36m" not in texts[False]


def test_the_last_update_may_go_beyond_the_steps() -> None:
    progress = Progress("my run")
    progress.add(report(1, agent_steps=1024, total_steps=1000))
    assert "(100%)" in plain_line(progress) and "0 s left" in plain_line(progress)


def test_a_line_before_the_first_epoch_is_the_title() -> None:
    assert plain_line(Progress("my run")) == "my run"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1234, "1.23k"),
        (12_345, "12.3k"),
        (2_097_152, "2.10M"),
        (1e10, "10.0B"),
        (123e9, "123B"),
    ],
)
def test_counts(value: float, text: str) -> None:
    assert short_count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (0.0, "0.000"),
        (-0.00012, "-1.2e-04"),
        (3.14159, "3.142"),
        (31.4159, "31.42"),
        (314.159, "314.2"),
        (3141.59, "3142"),
        (31415.9, "31.4k"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0, "0 s"), (59.4, "59 s"), (187, "3:07 min"), (8100, "2:15 h"), (4 * 86400 + 3 * 3600, "4 d 3 h")],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text
