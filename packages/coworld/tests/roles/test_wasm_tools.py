"""The calls of a reporter component, without WebAssembly: what they return, and what counts against which budget."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from coworld.bundle.reader import opened_bundle
from coworld.roles.report_checks import Event, read_event_log
from coworld.roles.wasm.errors import ToolError
from coworld.roles.wasm.limits import LARGEST_VALUE, ReporterLimits
from coworld.roles.wasm.tools import LOG_BYTES, REFUSED_CALLS, IgnoredBudget, Tools

OUTPUTS = [
    ("page", "render-html"),
    ("notes", "render-markdown"),
    ("log", "event-log"),
    ("data", "json"),
    ("raw", "file"),
]
ATTRIBUTES = {"outputs": [{"name": name, "type": kind, "description": name} for name, kind in OUTPUTS]}
FILES = {
    "results": ("results.json", b'{"scores": [1]}'),
    "replay": ("replay", b"x" * 100),
    "game_logs": {"combined": ("logs/game.log", b"game\xff")},
    "player_logs": {"1": ("logs/policy_agent_1.log", b"player")},
    "error_info": ("error_info.json", b'{"error_type": "crash"}'),
}


@contextmanager
def tools(files: dict[str, Any] = FILES, events: bytes | None = None, **limits: Any) -> Iterator[Tools]:
    named: dict[str, Any] = {}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for token, value in files.items():
            table = value if isinstance(value, dict) else {"": value}
            for name, data in table.values():
                archive.writestr(name, data)
            names = {key: name for key, (name, _) in table.items()}
            named[token] = names if isinstance(value, dict) else names[""]
        document = {"ereq_id": "ereq_1", "status": "failed", "include": [*named], "files": named}
        archive.writestr("manifest.json", json.dumps(document))
    with opened_bundle(buffer.getvalue()) as bundle:
        yield Tools(bundle, events, ATTRIBUTES, ReporterLimits(**limits))


def error(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(ToolError) as raised:
        call()
    return raised.value.kind, raised.value.message


def test_the_files_of_the_bundle_are_readable() -> None:
    with tools(events=b"") as calls:
        assert calls.results("ereq_1") == b'{"scores": [1]}'
        assert calls.replay("ereq_1") == b"x" * 100
        assert calls.game_logs("ereq_1") == "game\ufffd"
        assert calls.player_logs("ereq_1", 1) == "player"
        assert error(lambda: calls.player_logs("ereq_1", 0)) == ("not-found", "the bundle has no log of seat 0")
        assert json.loads(calls.error_info("ereq_1") or "") == {"error_type": "crash"}
        assert calls.event_stream("ereq_1") == b""  # an empty file is present
        assert calls.calls == 7 and calls.read_bytes == 15 + 100 + 5 + 6 + 23


def test_missing_files_are_not_found_and_missing_events_absent() -> None:
    with tools({}) as calls:
        assert calls.event_stream("ereq_1") == "the episode has no event stream"
        assert calls.error_info("ereq_1") is None
        for call in (calls.results, calls.replay, calls.game_logs):
            assert error(lambda call=call: call("ereq_1"))[0] == "not-found"  # type: ignore[misc]
        assert error(lambda: calls.event_stream("ereq_2"))[0] == "not-found"
        assert error(lambda: calls.missing_run("rrun_1"))[0] == "not-found"
        assert calls.no_runs() == "[]"
        assert error(lambda: calls.platform_get("/v2/leagues", ""))[0] == "forbidden"
        assert error(lambda: calls.missing_model("{}"))[0] == "forbidden"


def test_reads_have_a_budget() -> None:
    with tools(read_mib=0.0002) as calls:  # 209 bytes
        calls.replay("ereq_1")
        calls.replay("ereq_1")
        assert error(lambda: calls.replay("ereq_1"))[0] == "budget-exhausted"
    with tools({"replay": ("replay", bytes(LARGEST_VALUE + 1))}) as calls:
        assert "at most 16 MiB at once" in error(lambda: calls.replay("ereq_1"))[1]


def test_each_part_is_checked_against_its_type() -> None:
    def row(ts: int, player: int) -> SimpleNamespace:
        return SimpleNamespace(ts=ts, player=player, key="k", value="v")

    def payload(media_type: str) -> SimpleNamespace:
        return SimpleNamespace(**{"media-type": media_type, "bytes": b"x"})

    with tools() as calls:
        calls.emit("page", "render-html", "<p>1</p>")
        calls.emit("page", "render-html", "<p>2</p>")  # replaces
        calls.emit("notes", "render-markdown", "<script>is text</script>")
        calls.emit("log", "event-log", [row(1, -1)])
        calls.emit("data", "json", "[1]")
        calls.emit("raw", "file", payload("image/svg+xml"))
        assert calls.parts["page"].data == b"<p>2</p>"
        assert read_event_log(calls.parts["log"].data) == [Event(1, -1, "k", "v")]
        assert calls.parts["raw"].file == "parts/raw.bin"  # a browser would run scripts of an .svg
        for name, kind, value in [
            ("log", "event-log", [row(1 << 63, 0)]),
            ("log", "event-log", [row(0, -2)]),
            ("data", "json", "{"),
            ("data", "json", "[" * 100_000),
            ("raw", "file", payload("no type")),
            ("raw", "file", payload("text/html; charset=x\nX: y")),
            ("../raw", "file", payload("image/png")),
        ]:
            assert error(lambda name=name, kind=kind, value=value: calls.emit(name, kind, value))[0] == "invalid"  # type: ignore[misc]


def test_a_refused_page_is_kept_until_a_good_one_replaces_it() -> None:
    with tools(output_mib=0.0001) as calls:  # 104 bytes
        kind, message = error(lambda: calls.emit("page", "render-html", "<p onclick=x><iframe>"))
        assert kind == "invalid" and "'onclick' on <p>" in message and "<iframe>" in message
        assert calls.refused == {"page": "<p onclick=x><iframe>"}
        calls.emit("page", "render-html", "x" * 100)
        assert calls.refused == {}
        assert error(lambda: calls.emit("data", "json", "[1, 2]"))[0] == "budget-exhausted"
        calls.emit("page", "render-html", "y")
        calls.emit("data", "json", "[1, 2]")


def test_calls_have_a_budget_and_declared_parts_one_more_chance() -> None:
    with tools(tool_calls=2) as calls:
        calls.no_runs()
        calls.no_runs()
        assert error(calls.no_runs)[0] == "budget-exhausted"
        calls.emit("data", "json", "1")
        assert error(lambda: calls.emit("data", "json", "2"))[0] == "budget-exhausted"
        assert error(lambda: calls.emit("other", "json", "2"))[0] == "budget-exhausted"
        with pytest.raises(IgnoredBudget):
            for _ in range(REFUSED_CALLS):
                calls.log("info", "more")


def test_the_log_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    with tools() as calls:
        for _ in range(5):
            calls.log("info", "x" * (LOG_BYTES // 4))
    assert len(capsys.readouterr().out) == LOG_BYTES
