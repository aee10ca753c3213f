"""Sizes of objects, and samples of the machine's load."""

import gc
import sys
import threading

import pytest

from mettagrid.profiling.memory_monitor import MemoryMonitor, get_object_size
from mettagrid.profiling.stopwatch import Stopwatch
from mettagrid.profiling.system_monitor import SystemMonitor


class Replay:
    def __init__(self, name: str | None = None) -> None:
        self.frames = list(range(1000))
        if name is not None:
            self.name = name


class Slotted:
    __slots__ = ("frames",)

    def __init__(self) -> None:
        self.frames = [1] * 100


def test_an_object_counts_with_all_it_holds_once() -> None:
    text = "map"
    assert get_object_size([text, text]) == sys.getsizeof([text, text]) + sys.getsizeof(text)
    assert get_object_size({"a": (1,)}) == sum(map(sys.getsizeof, ({"a": 1}, "a", (1,), 1)))
    replay = Replay()
    held = sum(map(sys.getsizeof, [vars(replay), "frames", replay.frames, *replay.frames]))
    assert get_object_size(replay) == sys.getsizeof(replay) + held
    assert get_object_size(Slotted()) == sys.getsizeof(Slotted()) + get_object_size([1] * 100)
    loop: list[object] = []
    loop.append(loop)
    assert get_object_size(loop) == sys.getsizeof(loop)


def test_tracked_objects_grow_and_disappear() -> None:
    monitor = MemoryMonitor()
    replay = Replay()
    monitor.add(replay, "replay", track_attributes=True)
    replay.frames += range(100_000, 200_000)
    assert set(monitor.stats()) == {"replay", "replay.frames"}
    report = monitor.get("replay")
    assert report["size_change"] == report["current_size"] - report["initial_size"] > 1_000_000
    assert report["size_change_mb"] == round(report["size_change"] / 2**20, 3)
    del replay
    gc.collect()
    assert monitor.get("replay") == {}
    assert "replay" not in monitor.stats()


def test_names_say_where_an_object_was_added() -> None:
    monitor = MemoryMonitor()
    replays = [Replay(), Replay("first")]
    for replay in replays:
        monitor.add(replay)
    line = sys._getframe().f_lineno - 1
    assert list(monitor.stats()) == [f"test_monitors.py:{line}.Replay", f"test_monitors.py:{line}.first[Replay]"]


def test_removing_an_object_removes_its_attributes() -> None:
    monitor = MemoryMonitor()
    kept = [Replay(), Replay()]
    monitor.add(kept[0], "a", track_attributes=True)
    monitor.add(kept[1], "b")
    assert monitor.remove("a") and not monitor.remove("a")
    assert set(monitor.stats()) == {"b"}
    monitor.clear()
    assert monitor.stats() == {}


def test_a_sample_has_the_machine_and_the_process() -> None:
    monitor = SystemMonitor(auto_start=False, history_size=2)
    assert monitor.get_latest() == {} and monitor.stats() == {}
    for _ in range(3):
        monitor._collect_sample()
    latest = monitor.get_latest()
    assert {"cpu_percent", "memory_percent", "process_memory_mb", "process_threads"} <= set(latest)
    assert 0 <= latest["memory_percent"] <= 100 and latest["process_memory_mb"] > 1
    assert monitor.get_latest("process_threads") == threading.active_count() or latest["process_threads"] >= 1
    assert len(monitor.get_history("memory_percent")) == 2
    summary = monitor.get_summary()["metrics"]["memory_percent"]
    assert summary["sample_count"] == 2 and summary["min"] <= summary["average"] <= summary["max"]
    assert monitor.stats()["monitor/memory_percent"] == latest["memory_percent"]
    assert monitor.get_history("no such metric") == []


def test_the_thread_samples_until_it_is_stopped() -> None:
    sampled = threading.Event()

    class Monitor(SystemMonitor):
        def _collect_sample(self) -> None:
            super()._collect_sample()
            sampled.set()

    monitor = Monitor(sampling_interval_sec=0.001)
    assert sampled.wait(10)
    monitor.stop()
    assert monitor._thread is not None and not monitor._thread.is_alive()
    assert monitor.get_latest("cpu_percent") is not None
    monitor.stop()


def test_costs_accrue_on_the_external_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METTA_HOURLY_COST", "3")
    timer = Stopwatch()
    timer._get_timer().total_elapsed = 7200.0
    monitor = SystemMonitor(auto_start=False, external_timer=timer)
    monitor._collect_sample()
    assert monitor.get_latest("cost/hourly_total") == 3
    assert monitor.get_latest("cost/accrued_total") == 6
