"""Reporters as WebAssembly components: what a good one writes, and how each hostile one ends."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from wasmtime import wat2wasm

from coworld.certification.roles import ReporterCertificationError, check_reporters
from coworld.certification.steps import package_file_digests
from coworld.errors import CoworldError
from coworld.manifest.package import load_package
from coworld.roles.report_checks import read_report
from coworld.roles.wasm.limits import ReporterLimits, requested_limits
from coworld.roles.wasm.run import WasmReport, WasmReporterFailed, check_component, run_wasm_reporter
from coworld.roles.wasm.watchdog import Watchdog
from packages.coworld.tests.cli.conftest import coworld
from packages.coworld.tests.roles.components import RETURN_ERROR, SUCCESS, component, emit, emitting
from packages.coworld.tests.worlds import manifest_document

HTML, MARKDOWN, EVENTS, JSON, FILE = range(5)
SCRIPT = "<h1>Recap</h1><script>alert(1)</script><img src=x onerror=alert(2)>"
FOREVER = "(loop (br 0)) (unreachable)"


def attributes(*outputs: tuple[str, str]) -> dict[str, Any]:
    declared = [{"name": name, "type": kind, "description": f"The {name}."} for name, kind in outputs]
    return {"purpose": "narrative", "world": "softmax:reporter@0.6.0", "outputs": declared}


RECAP = attributes(("recap", "render-html"))
STARTS_WITH_A_LOOP = "(core module $s (func $f (loop (br 0))) (start $f)) (core instance (instantiate $s))"
OTHER_RUN = """(component (core module $m (func (export "run") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m)) (func (export "run") (result u32) (canon lift (core func $i "run"))))"""
OTHER_LOG = """(component
  (import "softmax:reporter/output@0.6.0" (instance $output (export "log" (func (param "level" u32) (result u32)))))
  (core func $log (canon lower (func $output "log")))
  (core module $m (import "h" "log" (func $log (param i32) (result i32)))
    (func (export "run") (param i32 i32) (result i32) (call $log (i32.const 1)))
    (memory (export "memory") 1) (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))
  (core instance $i (instantiate $m (with "h" (instance (export "log" (func $log))))))
  (func (export "run") (param "request" string) (result u32)
    (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc")))))"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "bundle.zip"
    files = {"results": "results.json"}
    manifest = {"ereq_id": "ereq_1", "status": "success", "include": ["results"], "files": files}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("results.json", json.dumps({"scores": [1, 2]}))
    return path


def run(data: bytes, bundle: Path, declared: dict[str, Any] = RECAP, **limits: Any) -> WasmReport:
    path = bundle.with_name("reporter.wasm")
    path.write_bytes(data)
    return run_wasm_reporter(path, bundle, reporter_id="recap", attributes=declared, limits=ReporterLimits(**limits))


def failure(data: bytes, bundle: Path, declared: dict[str, Any] = RECAP, **limits: Any) -> WasmReporterFailed:
    with pytest.raises(WasmReporterFailed) as raised:
        run(data, bundle, declared, **limits)
    return raised.value


def test_a_component_reads_the_episode_and_emits_its_parts(bundle: Path) -> None:
    texts = {
        1024: "recap",
        1040: "table",
        1056: "data",
        1072: "ereq_1",
        1088: "info",
        1100: "hel\x1bo",
        2048: "<h1>Hi</h1>",
    }
    texts[1120] = "text/csv"
    code = [
        "(call $log (i32.const 1088) (i32.const 4) (i32.const 1100) (i32.const 5))",
        emit((1024, 5), HTML, (2048, 11)),
        "(call $results (i32.const 1072) (i32.const 6) (i32.const 64))",  # the results: place at 68, length at 72
        "(call $emit (i32.const 1056) (i32.const 4) (i32.const 3) (i32.load (i32.const 68)) (i32.load (i32.const 72))"
        " (i32.const 0) (i32.const 0) (i32.const 128))",
        emit((1040, 5), FILE, (1120, 8), (1024, 5)),
        SUCCESS,
    ]
    declared = attributes(("recap", "render-html"), ("data", "json"), ("table", "file"))
    report = run(component("".join(code), texts=texts), bundle, declared)
    assert "info: hel o" in report.log  # without characters that control a terminal
    assert report.outcome.usage["tool_calls"] == 5 and report.outcome.usage["read_bytes"] == 18
    read = read_report(report.data)
    assert read.render == ("parts/recap.html", "<h1>Hi</h1>")
    path = bundle.with_name("report.zip")
    path.write_bytes(report.data)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("parts/data.json")) == {"scores": [1, 2]}
        assert archive.read("parts/table.csv") == b"recap"
        listed = json.loads(archive.read("parts.json"))
    assert [(part["name"], part["type"], part["media_type"]) for part in listed] == [
        ("recap", "render-html", "text/html"),
        ("data", "json", "application/json"),
        ("table", "file", "text/csv"),
    ]


def test_an_endless_loop_ends_with_its_cpu_time(bundle: Path) -> None:
    error = failure(component(FOREVER), bundle, cpu_seconds=0.3)
    assert error.verdict == "budget-exhausted" and "0.3 seconds of CPU time" in error.reason


def test_a_component_that_sleeps_ends_with_its_time(bundle: Path) -> None:
    sleep = "(call $block (call $subscribe (i64.const 3600000000000)))"
    error = failure(component(sleep + SUCCESS, sleeps=True), bundle, wall_seconds=0.5)
    assert error.verdict == "budget-exhausted" and "did not end in 0.5 seconds" in error.reason


def test_a_component_that_takes_all_memory_is_stopped(bundle: Path) -> None:
    grow = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) (unreachable)"
    error = failure(component(grow), bundle, memory_mib=64)
    assert error.verdict == "budget-exhausted" and "64 MiB of memory" in error.reason
    error = failure(component(SUCCESS, memory="2000"), bundle, memory_mib=64)
    assert error.verdict == "budget-exhausted", error


def test_many_memories_count_together(bundle: Path) -> None:
    """The runtime limits each memory alone; the watchdog limits their sum."""
    modules = "".join(
        f"(core module $m{index} (memory 900)) (core instance (instantiate $m{index}))" for index in range(20)
    )
    error = failure(component(FOREVER, more=modules), bundle, memory_mib=64, cpu_seconds=60)
    assert error.verdict == "budget-exhausted" and "more than 64 MiB of memory" in error.reason


def test_a_host_that_is_killed_ends_with_a_verdict(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coworld.roles.wasm.run.HOST_MEMORY", 8 << 20)
    error = failure(emitting(HTML, "x"), bundle, memory_mib=1)
    assert error.verdict == "budget-exhausted" and "the host" in error.reason


def test_scratch_space_is_limited(tmp_path: Path) -> None:
    interrupts: list[str] = []
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * (2 << 20))
    limits = ReporterLimits(scratch_mib=1)
    with Watchdog(limits, tmp_path, lambda: interrupts.append("interrupted"), interrupts.append) as watchdog:
        while not interrupts:
            time.sleep(0.01)
    assert watchdog.reason is not None and "/scratch" in watchdog.reason


def test_host_calls_are_counted(bundle: Path) -> None:
    call = "(call $results (i32.const 1024) (i32.const 6) (i32.const 64))"
    error = failure(component(f"(loop {call} (br 0)) (unreachable)", texts={1024: "ereq_1"}), bundle, tool_calls=50)
    assert error.verdict == "budget-exhausted" and "its budget is 50" in error.reason
    log = "(call $log (i32.const 1024) (i32.const 4) (i32.const 1024) (i32.const 4))"
    error = failure(component(f"(loop {log} (br 0)) (unreachable)", texts={1024: "info"}), bundle, tool_calls=50)
    assert error.verdict == "budget-exhausted"


def test_a_component_may_end_well_after_its_budget_of_calls(bundle: Path) -> None:
    """The error is typed, and declared parts can still be emitted."""
    call = "(call $results (i32.const 1040) (i32.const 6) (i32.const 64))"
    texts = {1024: "recap", 1040: "ereq_1", 2048: "<p>partial</p>"}
    code = call * 3 + emit((1024, 5), HTML, (2048, 14)) + SUCCESS
    report = run(component(code, texts=texts), bundle, tool_calls=2)
    assert read_report(report.data).render == ("parts/recap.html", "<p>partial</p>")


def test_a_page_with_a_script_is_refused_and_kept_as_text(bundle: Path) -> None:
    error = failure(emitting(HTML, SCRIPT), bundle)
    assert error.verdict == "invalid" and "unsafe to embed" in error.reason
    assert error.refused == {"recap": SCRIPT}
    error = failure(emitting(HTML, SCRIPT, then=RETURN_ERROR), bundle)  # it returns the error that it got
    assert error.verdict == "invalid"
    assert "inline <script> element" in error.reason and "'onerror' on <img>" in error.reason


@pytest.mark.parametrize(
    ("data", "declared", "verdict", "reason"),
    [
        (lambda: component("(unreachable)"), RECAP, "internal", "unreachable"),
        (lambda: component(SUCCESS), RECAP, "invalid", "did not emit its declared parts: recap"),
        (lambda: emitting(HTML, "x", name="other", then=RETURN_ERROR), RECAP, "invalid", "not a declared output"),
        (lambda: emitting(JSON, "{}", then=RETURN_ERROR), RECAP, "invalid", "declared as render-html, not json"),
        (lambda: b"x", RECAP, "invalid", "not WebAssembly"),
        (lambda: wat2wasm("(module)"), RECAP, "invalid", "a core module, not a component"),
        (lambda: wat2wasm("(component)"), RECAP, "invalid", "does not export `run`"),
        (
            lambda: wat2wasm('(component (import "wasi:http/types@0.2.0" (instance)))'),
            RECAP,
            "invalid",
            "imports wasi:http/types@0.2.0",
        ),
        (lambda: emitting(HTML, "x" * 2000, then=RETURN_ERROR), RECAP, "budget-exhausted", "would exceed"),
        (lambda: component(SUCCESS, more=STARTS_WITH_A_LOOP), RECAP, "budget-exhausted", "CPU time"),
        (
            lambda: component(SUCCESS, more="(core module (memory 1 65536 shared))"),
            RECAP,
            "invalid",
            "cannot be compiled",
        ),
        (lambda: wat2wasm(OTHER_RUN), RECAP, "invalid", "other types"),
        (lambda: wat2wasm(OTHER_LOG), RECAP, "invalid", "other types"),
    ],
    ids=[
        "crash",
        "no part",
        "undeclared",
        "wrong type",
        "no wasm",
        "module",
        "no run",
        "http",
        "too much output",
        "loop at its start",
        "shared memory",
        "another run",
        "another import",
    ],
)
def test_how_a_bad_component_ends(data: Any, declared: dict[str, Any], verdict: str, reason: str, bundle: Path) -> None:
    error = failure(data(), bundle, declared, output_mib=0.001, cpu_seconds=0.5)
    assert (error.verdict, reason in error.reason) == (verdict, True), error


def test_an_unknown_episode_is_not_found(bundle: Path) -> None:
    call = "(call $info (i32.const 1024) (i32.const 6) (i32.const 64))"
    # The error lies at 68, behind the tag of the result; its own tag must lie where a result of `run` has it.
    copied = "(memory.copy (i32.const 20) (i32.const 68) (i32.const 12)) (i32.store8 (i32.const 16) (i32.const 1))"
    error = failure(component(f"{call}{copied}(i32.const 16)", texts={1024: "ereq_2"}), bundle)
    assert error.verdict == "not-found" and "'ereq_2'" in error.reason
    checked = bundle.with_name("reporter.wasm")
    check_component(checked, "recap")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package whose reporter is a component that emits a page with a script."""
    folder = tmp_path / "world"
    folder.mkdir()
    document = manifest_document()
    document["reporter"] = [{"wasm": "recap.wasm", "id": "recap", "attributes": RECAP}]
    (folder / "coworld_manifest.json").write_text(json.dumps(document))
    (folder / "recap.wasm").write_bytes(emitting(HTML, SCRIPT))
    return folder


def test_the_command_shows_an_unsafe_page_as_text(package: Path, bundle: Path, tmp_path: Path) -> None:
    page, output = tmp_path / "page.html", tmp_path / "report.zip"
    said = coworld("report", package, bundle, "-o", output, "--render", page)
    assert said.code == 1 and "failed (invalid)" in said.err and not output.exists()
    text = page.read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "<script" not in text and "<img" not in text

    said = coworld("report", package, bundle, "-o", output, "--json")
    assert said.code == 1 and json.loads(said.out)["error"]["type"] == "invalid"

    (package / "recap.wasm").write_bytes(emitting(HTML, "<h1 style='color:red'>Hi</h1>"))
    said = coworld("report", package, bundle, "-o", output, "--render", page, "--json")
    assert said.code == 0, said.err
    document = said.document("report")
    assert document["id"] == "recap" and "parts/recap.html" in document["files"]
    assert '<h1 style="color:red">Hi</h1>' in page.read_text()


def test_without_wasmtime_the_error_says_how_to_install_it(
    package: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coworld.roles.wasm.run.find_spec", lambda name: None)
    said = coworld("report", package, bundle)
    assert said.code == 1 and "need wasmtime" in said.err and "pip install 'coworld[reporters]'" in said.err


def test_requested_limits_have_ceilings() -> None:
    assert requested_limits({}) == ReporterLimits()
    assert requested_limits({"requested_limits": {"memory_mib": 1024, "llm_usd": 0}}).memory_bytes == 1 << 30
    for wrong in ({"memory_mib": 10**6}, {"memory": 1}, {"cpu_seconds": 0}, {"wall_seconds": "60"}, [1]):
        with pytest.raises(CoworldError, match="requested_limits"):
            requested_limits({"requested_limits": wrong})


def test_certification_compares_a_component_with_the_world(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome(**changes: Any) -> str:
        path = package / "coworld_manifest.json"
        document = json.loads(path.read_text())
        document["reporter"][0]["attributes"] = {**RECAP, **changes}
        path.write_text(json.dumps(document))
        try:
            return check_reporters(load_package(path))[0]
        except ReporterCertificationError as error:
            return f"refused: {error}"

    assert outcome() == "reporter[0]: wasm component recap.wasm (id recap)"
    assert "outputs[0].type is none of" in outcome(outputs=[{"name": "x", "type": "video", "description": "x"}])
    assert "requested_limits.memory_mib is 9999999" in outcome(requested_limits={"memory_mib": 9999999})
    (package / "recap.wasm").write_bytes(wat2wasm("(module)"))
    assert outcome() == "refused: reporter[0].wasm: the file is a core module, not a component"
    monkeypatch.setattr("coworld.certification.roles.find_spec", lambda name: None)
    assert "imports were not checked" in outcome()


def test_a_changed_component_is_certified_anew(package: Path) -> None:
    world = load_package(package / "coworld_manifest.json")
    before = package_file_digests(world)
    assert len(before) == 1 and before == package_file_digests(world)
    (package / "recap.wasm").write_bytes(b"other")
    assert package_file_digests(world) != before
