"""Stopwatch: timers, laps, rates and saved state, on a clock that the tests set."""

import json
import logging

import pytest

from mettagrid.profiling import _timer, stopwatch
from mettagrid.profiling.stopwatch import Checkpoint, Stopwatch, Timer, with_instance_timer, with_timer


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def time(self) -> float:
        return self.now

    def tick(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(_timer, "time", clock)
    monkeypatch.setattr(stopwatch, "time", clock)
    return clock


def test_intervals_add_up_and_a_running_one_counts(clock: Clock) -> None:
    watch = Stopwatch()
    watch.start("load")
    clock.tick(2)
    assert watch.stop("load") == 2
    watch.start("load")
    clock.tick(3)
    assert watch.get_elapsed("load") == 5
    assert watch.get_last_elapsed("load") == 3
    assert watch.get_all_elapsed() == {"load": 5}
    assert watch.get_all_elapsed(exclude_global=False) == {"global": 0, "load": 5}


def test_a_with_block_logs_how_long_it_took(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    watch = Stopwatch(log_level=logging.INFO)
    with watch("save", log_level=logging.INFO) as entered:
        clock.tick(0.25)
    assert entered is watch
    assert caplog.messages == ["save took 0.250s"]
    with pytest.raises(KeyError), watch.time("save"):
        raise KeyError
    assert not watch.get_summary("save")["is_running"]


def test_starting_twice_and_stopping_a_stopped_timer_warn(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    watch = Stopwatch()
    watch.start("a")
    watch.start("a")
    assert watch.stop("b") == 0.0
    assert caplog.messages == ["Timer 'a' already running", "Timer 'b' not running"]


def test_laps_count_from_the_end_and_the_oldest_are_dropped(clock: Clock) -> None:
    watch = Stopwatch(max_laps=2)
    watch.start("train")
    for steps in (100, 250, 600):
        clock.tick(1 if steps < 600 else 2)
        watch.lap(steps, "train")
    assert [watch.get_lap_steps(index, "train") for index in (-1, -2, -3, 0, 1)] == [350, 150, None, None, None]
    assert [watch.get_lap_time(index, "train") for index in (-1, -2, -3)] == [2, 1, None]
    clock.tick(2)
    assert watch.get_lap_rate(700, "train") == 50
    assert watch.get_rate(1200, "train") == 200
    assert watch.lap_all() == {"train": 2}
    # Without steps a lap counts checkpoints.
    assert watch.get_summary("train")["checkpoints"]["_lap_4"] == {"elapsed_time": 6, "steps": 4}


def test_a_checkpoint_may_have_a_name_and_all_timers_can_get_one(clock: Clock) -> None:
    watch = Stopwatch()
    watch.start("a")
    clock.tick(1)
    watch.checkpoint(7, "half", "a")
    watch.checkpoint_all(9)
    assert watch.get_summary("a")["checkpoints"] == {
        "_start": {"elapsed_time": 0.0, "steps": 0},
        "half": {"elapsed_time": 1, "steps": 7},
        "_lap_2": {"elapsed_time": 1, "steps": 9},
    }
    assert set(watch.get_summary()["checkpoints"]) == {"_start", "_lap_1"}


@pytest.mark.parametrize(
    "seconds, text",
    [(0.4, "0 sec"), (45, "45 sec"), (90, "1.5 min"), (3600, "1.0 hours"), (86_400, "1.0 days"), (1e6, "11.6 days")],
)
def test_time_as_text(seconds: float, text: str) -> None:
    assert Stopwatch().format_time(seconds) == text


def test_progress_is_logged_with_rate_and_remaining_time(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    watch = Stopwatch(log_level=logging.INFO)
    assert watch.estimate_remaining(0, 100, "train") == (float("inf"), "unknown")
    watch.start("train")
    clock.tick(5)
    assert watch.estimate_remaining(50, 100, "train") == (5, "5 sec")
    watch.log_progress(50, 100, "train", prefix="Epoch")
    watch.log_progress(0, 0)
    assert caplog.messages == [
        "Epoch [train]: 50/100 [10 steps/sec] (50.00%) - 5 sec remaining",
        "Progress: 0/0 [0 steps/sec] (0.00%) - unknown remaining",
    ]


def test_saved_timers_resume_and_replace_all_others(clock: Clock) -> None:
    watch = Stopwatch(max_laps=3)
    watch.start("running", filename="train.py", lineno=3)
    clock.tick(2)
    state = json.loads(json.dumps(watch.save_state()))
    assert state["version"] == "1.0"
    assert state["timers"]["running"]["total_elapsed"] == 2
    clock.tick(100)

    resumed = Stopwatch()
    resumed.start("other")
    resumed.load_state(state)
    clock.tick(1)
    assert resumed.get_all_elapsed(exclude_global=False) == {"global": 0, "running": 3}
    assert resumed.max_laps == 3
    assert resumed.get_filename("running") == "train.py"

    stopped = Stopwatch()
    stopped.load_state(state, resume_running=False)
    assert stopped.get_all_summaries()["running"]["is_running"] is False


@pytest.mark.parametrize("state", ["text", {}, {"version": "1.0"}])
def test_other_state_is_refused(state: object) -> None:
    with pytest.raises(ValueError, match="Invalid state format"):
        Stopwatch().load_state(state)  # type: ignore[arg-type]


def test_reset_stops_a_timer(clock: Clock) -> None:
    watch = Stopwatch()
    watch.start("a")
    clock.tick(1)
    watch.reset("a")
    assert watch.get_elapsed("a") == 0
    assert watch.get_all_summaries() == {}
    watch.start()
    watch.reset_all()
    assert not watch.get_summary()["is_running"]


def test_decorators_time_calls(clock: Clock) -> None:
    shared = Stopwatch()

    class Learner:
        def __init__(self) -> None:
            self.timer = Stopwatch()

        @with_instance_timer("learn")
        def learn(self, seconds: float) -> float:
            """Learn."""
            clock.tick(seconds)
            return seconds

        @with_timer(shared, "collect")
        def collect(self) -> None:
            clock.tick(4)

    learner = Learner()
    assert learner.learn(2) + learner.learn(seconds=3) == 5
    learner.collect()
    assert learner.timer.get_elapsed("learn") == 5
    assert shared.get_elapsed("collect") == 4
    assert Learner.learn.__doc__ == "Learn."
    assert learner.timer.get_filename("learn") == __file__

    @with_instance_timer("x")
    def function() -> None: ...

    with pytest.raises(ValueError, match="instance methods"):
        function()


def test_files_that_start_a_timer() -> None:
    watch = Stopwatch()
    assert watch.get_filename("new") == "unknown"
    watch.start("here")
    assert watch.get_filename("here") == __file__
    watch.stop("here")
    watch.start("here", filename="other.py", lineno=1)
    assert watch.get_filename("here") == "multifile"


def test_a_timer_is_plain_data() -> None:
    timer = Timer.from_dict({"name": "t", "references": [["a.py", 3]], "later": 1})
    assert timer == Timer("t", references={("a.py", 3)})
    timer.checkpoints["x"] = Checkpoint(elapsed_time=1.0, steps=2)
    timer.cleanup_old_checkpoints()
    assert list(timer.checkpoints) == ["x"]
