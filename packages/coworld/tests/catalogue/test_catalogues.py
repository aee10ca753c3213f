"""Catalogues of roles: `CATALOG.yaml` files in folders, and the reporters of a server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from coworld.catalogue.folders import BUILT_IN, read_catalogue
from coworld.engines.local_images import LocalImages
from coworld.models.manifest import CoworldManifest
from coworld.roles.images import ROLES
from packages.coworld.tests.cli.conftest import coworld
from packages.coworld.tests.worlds import manifest_document

RECAP = """
entries:
  - id: recap
    role: reporter
    name: Round recap
    description: "One headline \\e[31mper seat."
    wasm: recap.wasm
    owner: acme
    added: 2026-01-01
    attributes:
      purpose: narrative
      world: softmax:reporter@0.6.0
      outputs:
        - {name: recap, type: render-html, description: The recap., schema: "https://example.org/s.json"}
  - id: margin
    role: grader
    name: Margin
    description: Grades by margin.
    image: acme/margin:1
    source_url: https://example.org/margin
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "CATALOG.yaml").write_text(RECAP)
    (tmp_path / "recap.wasm").write_bytes(b"\0asm")
    return tmp_path


def ids(*words: object) -> list[str]:
    said = coworld(*words, "--json")
    assert said.code == 0, said.err
    return [entry["id"] for entry in said.document(str(words[0]))["entries"]]


def test_every_built_in_role_is_listed_and_can_be_run() -> None:
    entries = read_catalogue(BUILT_IN).entries
    assert {f"default-{role}" for role in ROLES} <= {entry.id for entry in entries}
    for entry in entries:
        assert LocalImages().find(entry.image or "").argv
        document = manifest_document()
        if entry.role == "game":
            document["game"]["runnable"] = entry.manifest_entry()
        else:
            document[entry.role] = [*document.get(entry.role, []), entry.manifest_entry()]
        CoworldManifest.model_validate(document)


def test_folders_are_listed_searched_and_filtered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids("reporters", "list") == ["default-reporter"]
    assert ids("reporters", "list", "--catalog", folder) == ["default-reporter", "recap"]
    assert ids("reporters", "search", "HEADLINE", "--catalog", folder) == ["recap"]
    assert ids("reporters", "list", "--author", "acme", "--catalog", folder / "CATALOG.yaml") == ["recap"]
    assert ids("reporters", "list", "--type", "event-log", "--catalog", folder) == ["default-reporter"]
    assert ids("reporters", "list", "--schema", "https://example.org/s.json", "--catalog", folder) == ["recap"]
    assert ids("reporters", "list", "--mode", "external", "--catalog", folder) == []
    monkeypatch.setenv("COWORLD_CATALOGS", str(folder))
    assert ids("roles", "list", "--role", "grader") == ["default-grader", "margin"]
    assert ids("roles", "search", "margin") == ["margin"]
    said = coworld("roles", "show", "margin", "--json")
    assert said.document("catalogue-entry")["manifest_entry"] == {
        "type": "grader",
        "image": "acme/margin:1",
        "source_url": "https://example.org/margin",
        "id": "margin",
        "name": "Margin",
        "description": "Grades by margin.",
    }
    said = coworld("reporters", "show", "recap")
    assert said.code == 0 and "Output: recap (render-html): The recap." in said.out and "\x1b" not in said.out
    table = coworld("reporters", "list").out
    assert "Round recap" in table


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("entries: [", "is not YAML"),
        ("entries: &a [*a]", "uses YAML aliases"),
        ("entries: [{id: x}]", "entries[0]"),
        ("entries: [{id: x, role: king, name: X, description: X, image: x}]", "entries[0].role"),
        ("entries: [{id: x, role: grader, name: X, description: X}]", "has no program"),
        ("entries: [{id: x, role: grader, name: X, description: X, wasm: x.wasm}]", "a grader without an image"),
        ("entries: [{id: x, role: reporter, name: X, description: X, wasm: ../x.wasm}]", "is not in the folder"),
        (
            "entries: [{id: x, role: game, name: X, description: X, image: x},"
            " {id: x, role: game, name: X, description: X, image: x}]",
            "entries[1].id: repeats the game 'x'",
        ),
        ("[" * 3000, "is not YAML"),
    ],
)
def test_a_bad_catalogue_is_one_sentence(text: str, says: str, folder: Path) -> None:
    (folder / "CATALOG.yaml").write_text(text)
    said = coworld("reporters", "list", "--catalog", folder)
    assert said.code == 1 and says in said.err, said.err


def test_what_is_missing_is_one_sentence(tmp_path: Path) -> None:
    calls: list[tuple[list[object], str]] = [
        (["reporters", "list", "--catalog", tmp_path / "none"], "could not be read"),
        (["reporters", "show", "default-reporte"], "did you mean default-reporter?"),
        (["reporters", "list", "--server", "ftp://x"], "is not a server address"),
        (["reporters", "list", "--server", "http://127.0.0.1:9"], "Failed to reach server"),
    ]
    for words, says in calls:
        said = coworld(*words)
        assert said.code == 1 and says in said.err, said.err
    assert coworld("reporters", "list", "--mode", "x").code == 2
    assert coworld("roles", "list", "--role", "king").code == 2


REPORTER = {
    "id": "rptr_1",
    "name": "recap",
    "display_name": "Recap",
    "description": "One headline.",
    "user_id": "acme",
    "latest_version": 3,
    "outputs": [{"name": "recap", "type": "render-html", "description": "The recap.", "optional": False}],
    "run_count": 4,
    "output_count": 5,
    "created_at": "2026-01-01T00:00:00Z",
}


class Reporters(BaseHTTPRequestHandler):
    """`/v2/reporters` as the server documents it: an array, and the next cursor in a header."""

    queries: list[dict[str, Any]]

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.queries.append(parse_qs(address.query))
        known = {"/v2/reporters": [REPORTER], "/v2/reporters/rptr_1": {**REPORTER, "purpose": "narrative"}}
        body = json.dumps(known.get(address.path, {"detail": "none"})).encode()
        self.send_response(200 if address.path in known else 404)
        if address.path == "/v2/reporters":
            self.send_header("X-Next-Cursor", "c2")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


@pytest.fixture
def server() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    queries: list[dict[str, Any]] = []
    http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Reporters,), {"queries": queries}))
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}", queries
    http.shutdown()
    http.server_close()


def test_a_server_is_asked_with_the_documented_query(server: tuple[str, list[dict[str, Any]]]) -> None:
    address, queries = server
    words = ["--type", "json", "--type", "file", "-q", "recap", "--author", "acme", "--cursor", "c1", "--limit", "7"]
    said = coworld("reporters", "list", "--server", address, *words, "--json")
    document = said.document("reporters")
    assert document["next_cursor"] == "c2" and document["entries"][0]["mode"] == "hosted"
    expected = {"mode": "all", "limit": "7", "q": "recap", "author": "acme", "cursor": "c1"}
    assert queries == [{**{key: [value] for key, value in expected.items()}, "type": ["json", "file"]}]
    said = coworld("reporters", "show", "rptr_1", "--server", address)
    assert said.code == 0 and '"reporter": "acme/recap@3"' in said.out
    said = coworld("reporters", "show", "rptr_2", "--server", address)
    assert said.code == 1 and "Reporter rptr_2 not found" in said.err
    assert "--cursor c2" in coworld("reporters", "search", "recap", "--server", address).err
