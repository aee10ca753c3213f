"""Coworlds of a server: `cow_...` ids and API paths in every command that takes a manifest, and what goes wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from coworld.errors import SourceError
from coworld.manifest.installed_worlds import manifest_of
from coworld.uris.manifests import materialized_manifest_path

from .conftest import coworld

COWORLD = "cow_00000000-0000-0000-0000-000000000001"
PATH = f"/v2/coworlds/{COWORLD}"


@dataclass
class Served:
    """A server of Coworlds: its address, what it answers at each path, and which paths were asked for."""

    address: str
    answers: dict[str, tuple[int, bytes]]
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Served]:
    path = manifest_of("paintarena")
    assert path is not None
    document = json.dumps({"id": COWORLD, "manifest": json.loads(path.read_text())}).encode()
    answers = {PATH: (200, document), f"/api/observatory{PATH}": (200, document)}

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            status, body = served.answers.get(self.path, (404, b'{"detail": "not found"}'))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as http:
        served = Served(f"http://127.0.0.1:{http.server_address[1]}", answers)
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield served
        http.shutdown()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no server in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COGAMES_API_URL", raising=False)
    return tmp_path


@pytest.mark.parametrize("reference", [COWORLD, PATH])
@pytest.mark.parametrize(("site", "asked"), [("", PATH), ("/", PATH), ("/api", f"/api/observatory{PATH}")])
def test_ids_and_api_paths_are_resolved_against_the_server(
    server: Served, reference: str, site: str, asked: str
) -> None:
    with materialized_manifest_path(reference, server=server.address + site) as path:
        assert json.loads(path.read_text())["game"]["name"] == "paintarena"
    assert server.asked == [asked]
    assert not path.exists()


def test_the_environment_names_the_server(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGAMES_API_URL", server.address)
    with materialized_manifest_path(COWORLD) as path:
        assert path.is_file()


def test_a_local_folder_with_the_name_of_an_id_comes_first(server: Served, folder: Path) -> None:
    (folder / "cow_mine").mkdir()
    manifest = folder / "cow_mine" / "coworld_manifest.json"
    manifest.write_text("{}")
    for reference in ("cow_mine", "cow_mine/coworld_manifest.json"):
        with materialized_manifest_path(reference, server=server.address) as path:
            assert path == manifest
    assert server.asked == []


def test_an_id_is_downloaded_once_and_its_results_lie_beside_it(server: Served, folder: Path) -> None:
    run = ["run-episode", COWORLD, "--variant", "quick-small"]
    first = coworld(*run, "--server", server.address)
    assert first.code == 0, first.err
    home = folder / "coworld" / COWORLD
    assert f"Artifacts: {home / 'results'}\n" in first.out
    assert sorted(path.name for path in home.iterdir()) == ["coworld_manifest.json", "results"]
    again = coworld("certify", COWORLD, "--no-open-report", "-o", folder / "certified", "--profile", "current")
    assert "[pass] matriculate" in again.out, again.err
    assert "delete it to download it again" in again.err
    assert server.asked == [PATH]


def test_the_results_of_an_api_path_lie_in_the_folder_of_its_id(server: Served, folder: Path) -> None:
    said = coworld("run-episode", PATH, "--variant", "quick-small", "--server", server.address)
    assert said.code == 0, said.err
    assert (folder / "coworld" / COWORLD / "results" / "results.json").is_file()
    assert f"--server {server.address}" in next(line for line in said.out.splitlines() if "Inspect replay" in line)


COMMANDS = [
    ["certify", "MANIFEST", "--no-open-report"],
    ["run-episode", "MANIFEST"],
    ["scrimmage", "MANIFEST", "image:latest"],
    ["play", "MANIFEST", "--no-open-browser"],
    ["replay", "MANIFEST", "replay", "--no-open-browser"],
    ["grade", "MANIFEST", "episode"],
    ["report", "MANIFEST", "episode", "-o", "report.zip"],
    ["diagnose", "MANIFEST", "episode", "--policy", "0", "-o", "diagnosis.zip"],
    ["optimize", "MANIFEST", "player", "--improve", "improve.sh", "--no-open-browser"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("reference", ["cow_unknown", "/v2/coworlds/cow_unknown"])
def test_every_command_says_in_a_sentence_that_the_server_has_no_such_coworld(
    server: Served, words: list[str], reference: str
) -> None:
    host = server.address.removeprefix("http://")
    called = [reference if word == "MANIFEST" else word for word in words]
    said = coworld(*called, "--server", server.address)
    assert (said.code, said.out) == (1, "")
    assert f"Error: The server {host} has no Coworld cow_unknown (status 404)" in said.err
    assert server.asked == ["/v2/coworlds/cow_unknown"]


@pytest.mark.parametrize("reference", [COWORLD, PATH])
def test_a_server_is_required(reference: str) -> None:
    refused = pytest.raises(SourceError, match=f"{reference} is on a server and requires --server")
    with refused, materialized_manifest_path(reference):
        pass
    said = coworld("run-episode", reference)
    assert said.code == 1
    assert "requires --server" in said.err and "COGAMES_API_URL" in said.err


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, b"", "refused"),
        (500, b"", "the server answered 500"),
        (200, b"not json", "is not JSON"),
        (200, b"[]", "object"),
        (200, b'{"manifest": {}}', "empty manifest"),
        (200, b'{"x": "' + b"x" * (16 << 20) + b'"}', "larger than 16777216 bytes"),
    ],
    ids=["refused", "failed", "text", "array", "empty", "huge"],
)
def test_answers_that_are_no_manifest_are_refused(server: Served, status: int, body: bytes, message: str) -> None:
    server.answers[PATH] = (status, body)
    said = coworld("run-episode", COWORLD, "--server", server.address)
    assert said.code == 1
    assert message in said.err
    assert server.asked == [PATH]
    assert not Path("coworld").exists()


def test_a_server_that_does_not_listen_is_named(server: Served) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as closed:
        address = f"127.0.0.1:{closed.server_address[1]}"
    said = coworld("run-episode", COWORLD, "--server", f"http://{address}")
    assert said.code == 1
    assert f"Error: The server {address} could not be reached: Connection refused" in said.err
    said = coworld("run-episode", COWORLD, "--server", "league.example.org")
    assert (said.code, "is not an http(s) address" in said.err) == (1, True)
