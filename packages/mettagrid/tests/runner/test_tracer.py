"""Traces that Chrome and Perfetto can open."""

import gc
import json
import time

import pytest

from mettagrid.util.tracer import NullTracer, Tracer


def events(path, kind="X"):
    return [event for event in json.loads(path.read_text()) if event["ph"] == kind]


def test_spans_are_events_with_their_process_and_metadata(tmp_path):
    tracer = Tracer(tmp_path / "trace.json")
    with tracer.span("agent_step", pid=3, step=7) as span:
        span.set(timed_out=False)
    tracer.record_span("env_step", 5_000_000, 2_000_000, step=7)
    tracer.flush()
    first, second = (event for event in events(tmp_path / "trace.json") if event["name"] != "gc")
    assert (first["name"], first["pid"], first["args"]) == ("agent_step", 3, {"step": 7, "timed_out": False})
    assert (second["pid"], second["dur"]) == (Tracer.PID_ENV, 2000)
    names = [event["args"] for event in events(tmp_path / "trace.json", "M") if event["name"] == "process_name"]
    assert {"name": "Env"} in names and {"name": "Agent 3"} in names


def test_a_span_is_kept_when_its_code_raises(tmp_path):
    tracer = Tracer(tmp_path / "trace.json")
    with pytest.raises(KeyError), tracer.span("agent_step", pid=0):
        raise KeyError
    tracer.flush()
    assert "agent_step" in [event["name"] for event in events(tmp_path / "trace.json")]


def test_garbage_collections_are_spans_until_the_end(tmp_path):
    tracer = Tracer(tmp_path / "trace.json")
    gc.collect()
    tracer.flush()
    before = (tmp_path / "trace.json").read_text()
    gc.collect()
    assert any(event["name"] == "gc" and event["args"]["generation"] == 2 for event in json.loads(before))
    assert (tmp_path / "trace.json").read_text() == before


def test_a_second_flush_and_late_spans_do_nothing(tmp_path):
    tracer = Tracer(tmp_path / "trace.json")
    tracer.flush()
    tracer.record_span("late", 0, 1)
    tracer.flush()
    assert [event for event in events(tmp_path / "trace.json") if event["name"] == "late"] == []


def test_a_null_tracer_keeps_nothing():
    tracer = NullTracer()
    with tracer.span("agent_step", pid=1) as span:
        span.set(x=1)
    tracer.record_span("x", 0, 1)
    tracer.flush()


def test_the_environment_is_named_before_any_span_and_late_events_are_dropped(tmp_path):
    tracer = Tracer(tmp_path / "trace.json")
    tracer._gc_callback("start", {"generation": 0, "collected": 0})
    tracer.flush()
    tracer._gc_callback("stop", {"generation": 0, "collected": 0})
    tracer.record_span("late", time.time_ns(), 1000, marker="ignored")
    with tracer.span("late"):
        pass
    names = [event["name"] for event in json.loads((tmp_path / "trace.json").read_text())]
    assert names == ["process_name", "process_sort_index"]


def test_a_collection_while_an_event_is_written_is_dropped(tmp_path):
    tracer = Tracer(tmp_path / "trace.json")
    file = tracer._file

    class Collecting:
        def write(self, text):
            tracer._gc_callback("stop", {"generation": 0, "collected": 0})
            return file.write(text)

        def close(self):
            file.close()

    gc.callbacks.remove(tracer._gc_callback)
    tracer._file = Collecting()
    tracer.record_span("kept", time.time_ns(), 1000)
    tracer.flush()
    assert [event["name"] for event in events(tmp_path / "trace.json")] == ["kept"]


def test_times_are_those_of_the_wall_clock(tmp_path):
    before = time.time_ns() // 1000
    tracer = Tracer(tmp_path / "trace.json")
    tracer.record_span("measured", 5_000_000, 2_000_000)
    with tracer.span("here"):
        pass
    tracer.flush()
    starts = {event["name"]: event["ts"] for event in events(tmp_path / "trace.json")}
    assert starts["measured"] == 5000
    assert before - 1000 <= starts["here"]
