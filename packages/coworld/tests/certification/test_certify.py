"""Certification: the ten steps in order, the reason of every failure, and the report in three forms."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from coworld.certification.cache import cache_path
from coworld.certification.certify import (
    CertificationFailed,
    certify,
    certify_coworld,
    is_certified,
    load_coworld_package,
)
from coworld.certification.report import CertificationReport, step_line
from coworld.certification.sources import inspect_sources
from coworld.certification.steps import Candidate, StepFailed
from coworld.engines.local_images import LocalImage
from coworld.engines.process import ProcessEngine
from coworld.errors import SourceError
from coworld.manifest.profiles import PROFILES
from coworld.models.manifest import CoworldManifest
from packages.coworld.tests.worlds import BAD, engine, hosted_world, left_running, manifest_document

STEPS = [
    "matriculate",
    "source-resolves",
    "images-reachable",
    "fixture-conforms",
    "smoke-episode",
    "results-conform",
    "replay-present",
    "replay-loadable",
    "players-run",
    "supporting-roles",
]
COMMISSIONER = "counting/commissioner:latest"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield
    assert left_running() == []


def commissioned() -> ProcessEngine:
    """An engine that knows a scripted commissioner too."""
    made = engine()
    made.images.tables[0][COMMISSIONER] = LocalImage(  # type: ignore[index]
        image=COMMISSIONER, root=BAD, argv=("python", str(BAD / "commissioner.py")), workdir=BAD, packages=("coworld",)
    )
    return made


def with_commissioner(document: dict[str, Any], script: str) -> dict[str, Any]:
    entry = {"type": "commissioner", "id": "boss", "name": "Boss", "description": "Runs it.", "image": COMMISSIONER}
    return {**document, "commissioner": [{**entry, "env": {"SCRIPT": script}}]}


def report_on(document: dict[str, Any], folder: Path, **options: Any) -> CertificationReport:
    path = folder / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    options = {"timeout_seconds": 20, "workspace": folder / "out", **options}
    return certify(path, engine=options.pop("engine", None) or commissioned(), **options)


def test_a_good_coworld_passes_all_ten_steps(tmp_path: Path) -> None:
    lines: list[str] = []
    document = with_commissioner(manifest_document(), "good")
    report = report_on(document, tmp_path, on_step=lambda result, step: lines.append(step_line(result)))
    assert report.certified, report.text()
    assert [step.id for step in report.steps] == STEPS
    assert lines[0] == "  [run ] matriculate: the manifest is valid"
    assert lines[1] == "  [pass] matriculate: the manifest is valid"
    assert len(lines) == 20
    assert report.text().splitlines()[-2:] == [
        f"Certified {tmp_path / 'coworld_manifest.json'}",
        "Transcript: coworld-executable (10 steps passed)",
    ]
    assert (report.label, report.isolation) == ("executable (process)", "namespaces")
    passing = {verdict.profile: verdict.passes for verdict in report.profiles}
    assert passing == {"0.1.0": True, "guide": False, "0.1.26": True, "current": True}
    assert "mapped" in str(report.steps[2].detail) or "built in" in str(report.steps[2].detail)
    assert report.scores == [3.0, 3.0]
    logs = tmp_path / "out" / "commissioners" / "boss"
    assert {path.name for path in logs.iterdir()} == {"commissioner.stdout.log", "commissioner.stderr.log"}

    jsonschema.validate(report.model_dump(mode="json"), CertificationReport.model_json_schema())
    assert CertificationReport.model_validate_json(report.model_dump_json()) == report
    page = (tmp_path / "out" / "certification_report.html").read_text()
    assert "Certified" in page and "<script" not in page and "http" not in page

    # A success is remembered for this very package and these very programs, and for no other.
    package = load_coworld_package(tmp_path / "coworld_manifest.json")
    assert is_certified(package, engine=commissioned())
    assert not is_certified(package, engine=commissioned(), profile="current")
    (tmp_path / "coworld_manifest.json").write_text(json.dumps(document, indent=1))
    assert not is_certified(package, engine=commissioned())


def _untagged(document: dict[str, Any]) -> None:
    del document["tags"]


def _unknown_key(document: dict[str, Any]) -> None:
    document["game"]["colour"] = "red"


def _unmapped(document: dict[str, Any]) -> None:
    document["player"][1]["image"] = "registry.example/absent:1"


def _bad_fixture(document: dict[str, Any]) -> None:
    document["certification"]["game_config"]["ticks"] = "three"


def _bad_variant(document: dict[str, Any]) -> None:
    document["variants"][0]["game_config"]["ticks"] = "three"


def _game(script: str, ticks: int = 3) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        document["game"]["runnable"]["env"]["SCRIPT"] = script
        document["certification"]["game_config"]["ticks"] = ticks

    return change


def _unseated(document: dict[str, Any]) -> None:
    document["player"].append({**document["player"][0], "id": "spare"})


def _commissioner(script: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(with_commissioner(document, script))


def _component(document: dict[str, Any]) -> None:
    document["reporter"] = [{"wasm": "nowhere.wasm", "id": "r", "attributes": {}}]


@pytest.mark.parametrize(
    ("change", "step", "reason", "says"),
    [
        (_untagged, "matriculate", "manifest_invalid", "requires at least three manifest tags"),
        (_unknown_key, "matriculate", "manifest_invalid", "game.colour"),
        (_unmapped, "images-reachable", "image_unreachable", "player:player-1: image 'registry.example/absent:1'"),
        (_bad_fixture, "fixture-conforms", "fixture_invalid", "certification.game_config"),
        (_bad_variant, "fixture-conforms", "fixture_invalid", "variants[0].game_config"),
        (_game("no_pong"), "smoke-episode", "game_contract_violation", "Ping"),
        (_game("refuses_reconnect"), "smoke-episode", "game_contract_violation", "second connection"),
        (_game("no_results"), "results-conform", "results_missing", "no results"),
        (_game("results_off_schema"), "results-conform", "results_malformed", "$.scores: 'many' is not of type"),
        (_game("no_replay"), "replay-present", "replay_missing", "no replay"),
        (_game("crashes_on_replay"), "replay-loadable", "replay_unloadable", "exit code 5"),
        (_unseated, "players-run", "players_missing", "spare"),
        (_component, "supporting-roles", "reporter_failed", "reporter[0].wasm"),
        (_commissioner("wrong_answer"), "supporting-roles", "commissioner_protocol_failed", "describe_division"),
        (_commissioner("exits_at_once"), "supporting-roles", "commissioner_protocol_failed", "exit code 2"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_first_failure_stops_with_its_reason(
    change: Callable[[dict[str, Any]], None], step: str, reason: str, says: str, tmp_path: Path
) -> None:
    document = manifest_document()
    change(document)
    report = report_on(document, tmp_path)
    assert not report.certified
    assert [done.id for done in report.steps] == STEPS[: STEPS.index(step) + 1], report.text()
    assert report.failure_reason == reason, report.text()
    failed = report.failed_step
    assert failed is not None and says in str(failed.feedback)
    lines = report.text().splitlines()
    assert f"  [fail] {step}: {failed.checks}" in lines
    assert f"Failed step: {step}" in lines and f"Failure reason: {reason}" in lines
    assert lines[-1].startswith("Details: ")
    assert "Not certified" in (tmp_path / "out" / "certification_report.html").read_text()
    assert not cache_path().exists()


def test_a_profile_that_is_asked_for_must_pass(tmp_path: Path) -> None:
    report = report_on(manifest_document(), tmp_path, profile="guide")
    assert report.failure_reason == "manifest_invalid"
    assert "the guide asks for at least one grader" in report.text()


def test_a_game_that_hosts_its_players_certifies(tmp_path: Path) -> None:
    package = hosted_world(tmp_path)
    document = package.manifest.model_dump(mode="json", by_alias=True, exclude_none=True)
    document["player"] = [{k: v for k, v in entry.items() if k not in ("run", "env")} for entry in document["player"]]
    report = report_on(document, tmp_path)
    assert report.certified, report.text()
    assert report.scores == [1.5, 2.5]


def test_the_page_shows_what_a_manifest_says_and_runs_none_of_it(tmp_path: Path) -> None:
    document = manifest_document()
    document["game"]["name"] = '<script>alert("hi")</script>'
    _unmapped(document)
    page = report_on(document, tmp_path).html()
    assert "<script" not in page and "&lt;script&gt;" in page


def test_the_published_entry_raises_with_the_report(tmp_path: Path) -> None:
    document = manifest_document()
    _untagged(document)
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    with pytest.raises(CertificationFailed, match="manifest_invalid") as raised:
        certify_coworld(path, engine=engine(), workspace=tmp_path / "out")
    assert raised.value.report.failed_step is not None
    path.write_text('{"game": {}, ' + json.dumps(document)[1:])
    with pytest.raises(CertificationFailed, match=r"manifest_invalid.*the key 'game' twice"):
        certify_coworld(path, engine=engine(), workspace=tmp_path / "out")
    with pytest.raises(SourceError, match="could not be read"):
        certify(tmp_path / "nothing.json", engine=engine())


def test_sources_are_recorded_and_looked_up_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("Authorization")))
            found = self.path.startswith("/repos/owner/repo/contents/?") or "/contents/game" in self.path
            listing = [{"name": "Dockerfile"}] if "contents/?" in self.path else [{"name": "game.py"}]
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(json.dumps(listing).encode())

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setenv("GITHUB_TOKEN", "never-sent")
    document = manifest_document()
    pinned = "0123456789" * 4
    document["game"]["runnable"]["source_url"] = f"https://github.com/owner/repo/tree/{pinned}/game"
    document["player"][0]["source_url"] = "https://github.com/owner/gone"
    document["player"][1]["source_url"] = "https://git.example/owner/repo"
    manifest = CoworldManifest.model_validate(document)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        api = f"http://127.0.0.1:{server.server_address[1]}"
        offline = inspect_sources(manifest, look=False, api=api)
        assert [found.status for found in offline] == ["unresolved", "unresolved", "unsupported"]
        assert asked == []
        online = inspect_sources(manifest, look=True, api=api)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert [found.status for found in online] == ["resolved", "unresolved", "unsupported"]
    assert "not pinned" in online[1].detail and "not pinned" not in online[0].detail
    assert {credentials for _, credentials in asked} == {None}


def test_a_certification_uses_no_network_but_the_loopback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        assert not isinstance(address, tuple) or address[0] in ("127.0.0.1", "::1"), address
        original(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    document = manifest_document()
    document["game"]["runnable"]["source_url"] = "https://github.com/owner/repo"
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    candidate = Candidate(path, path.read_bytes(), engine(), tmp_path / "out", 20)
    candidate.matriculate()
    assert candidate.source_resolves() == "1 unresolved, 2 not_declared"


def test_a_manifest_of_an_older_generation_passes_where_every_profile_is_accepted(tmp_path: Path) -> None:
    document = manifest_document()
    del document["tags"]
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    with pytest.raises(StepFailed, match="at least three manifest tags"):
        Candidate(path, path.read_bytes(), engine(), tmp_path / "out", 20).matriculate()
    candidate = Candidate(path, path.read_bytes(), engine(), tmp_path / "out", 20, accepted=PROFILES)
    assert "0.1.26" in candidate.matriculate()
