"""Programs of older contracts find the variables that they were written for."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from coworld.manifest.package import CoworldPackage
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.roles.report_checks import read_report
from coworld.runner.runner import run_episode
from packages.coworld.tests.cli.conftest import coworld
from packages.coworld.tests.foreign.authors import WORLDS
from packages.coworld.tests.worlds import engine, manifest_document, world

STATS_REPORTER = """
import os
from urllib.parse import urlsplit

import pyarrow, pyarrow.parquet

rows = {"ts": [1], "player": [-1], "key": ["winner"], "value": ["0"]}
pyarrow.parquet.write_table(pyarrow.table(rows), urlsplit(os.environ["COGAME_REPLAY_STATS_PARQUET_URI"]).path)
"""
PAGE_REPORTER = """
import json, os, zipfile
from urllib.parse import urlsplit

request = json.loads(os.environ["COGAME_REPORT_REQUEST"])
with zipfile.ZipFile(urlsplit(request["report_uri"]).path, "w") as archive:
    archive.writestr("manifest.json", json.dumps({"reporter_id": "pages", "render": "index.html"}))
    archive.writestr("index.html", "<link rel=stylesheet href=assets/style.css><h1>Recap</h1>")
    archive.writestr("assets/style.css", "h1 { color: red }")
"""
DIAGNOSER = """
import os, zipfile
from urllib.parse import urlsplit

with zipfile.ZipFile(urlsplit(os.environ["COGAME_DIAGNOSIS_OUTPUT_URI"]).path, "w") as archive:
    archive.writestr("diagnosis.md", os.environ["COGAME_POLICY_URI"])
"""


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The manifest of a world of the 0.1.26 generation, with an episode beside it in `out`."""
    folder = tmp_path / "theirs"
    WORLDS["0.1.26"](folder)
    (folder / "diagnoser.py").write_text(DIAGNOSER)
    path = folder / "coworld_manifest.json"
    manifest = json.loads(path.read_text())
    image = manifest["game"]["runnable"]["image"]
    entry = {"type": "diagnoser", "id": "theirs", "name": "Theirs", "description": "Repeats.", "image": image}
    manifest["diagnoser"] = [{**entry, "run": ["python", "diagnoser.py"]}]
    path.write_text(json.dumps(manifest))
    assert coworld("run-episode", path, "-o", tmp_path / "out").code == 0
    return path


def test_statistics_alone_become_a_report(theirs: Path, tmp_path: Path) -> None:
    (theirs.parent / "reporter.py").write_text(STATS_REPORTER)
    said = coworld("report", theirs, tmp_path / "out", "-o", tmp_path / "report.zip")
    assert said.code == 0, said.err
    report = read_report(tmp_path / "report.zip")
    assert report.events is not None and [(event.key, event.value) for event in report.events] == [("winner", "0")]


def test_a_page_with_files_beside_it_is_a_report_but_not_a_page_of_its_own(theirs: Path, tmp_path: Path) -> None:
    (theirs.parent / "reporter.py").write_text(PAGE_REPORTER)
    said = coworld("report", theirs, tmp_path / "out", "-o", tmp_path / "report.zip")
    assert said.code == 0 and "assets/style.css" in said.out, said.err
    page = tmp_path / "page.html"
    said = coworld("report", theirs, tmp_path / "out", "-o", tmp_path / "report.zip", "--render", page)
    assert said.code == 1 and not page.exists()
    assert "external resource URL in 'href' on <link>: 'assets/style.css'" in said.err


def test_a_diagnoser_finds_its_older_variables(theirs: Path, tmp_path: Path) -> None:
    output = tmp_path / "diagnosis.zip"
    said = coworld("diagnose", theirs, tmp_path / "out", "--policy", "1", "-o", output)
    assert said.code == 0, said.err
    with zipfile.ZipFile(output) as archive:
        assert archive.read("diagnosis.md").decode().endswith("1")


@pytest.mark.parametrize("declared", [True, False])
def test_a_game_that_declares_memory_reads_and_writes_it(declared: bool, tmp_path: Path) -> None:
    document = manifest_document("remembers")
    if declared:
        document["game"]["memory"] = {"protocol": "append-v1"}
    manifest = CoworldManifest.model_validate(document)
    package = CoworldPackage.of(manifest, tmp_path / "coworld_manifest.json")
    config = manifest.certification.game_config
    request = CoworldEpisodeJobSpec(manifest=manifest, game_config=config, players=list(manifest.player))
    outcome = run_episode(package, request, engine=engine(), workspace=tmp_path / "out", budget_seconds=30)
    assert outcome.ok, outcome.error
    written = tmp_path / "out" / "memory_output.json"
    assert written.exists() == declared
    if declared:
        assert json.loads(written.read_bytes()) == {"protocol": "append-v1", "notes": {}}


@pytest.mark.parametrize("unsafe", [False, True], ids=["boxed", "bare"])
def test_games_and_players_post_lines_of_a_log(unsafe: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if unsafe:
        monkeypatch.setenv("COGBOX_LEVEL", "none")
    package, request, engine = world(tmp_path, "posts_its_log", ("posts_its_log", "good"), unsafe=unsafe)
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", budget_seconds=30)
    assert outcome.ok, outcome.error
    logs = tmp_path / "out" / "logs"
    tokens = json.loads((tmp_path / "out" / "config.json").read_bytes())["tokens"]
    first, second = (logs / "game.posted.log").read_text().splitlines()
    assert (first, tokens[0] in second) == ("round over", False)
    hello, url = (logs / "policy_agent_0.posted.log").read_text().splitlines()
    assert (hello, url.startswith("ws://"), tokens[0] in url) == ("hello from 0", True, False)
    assert not (logs / "policy_agent_1.posted.log").exists()
    refused = [line for line in (logs / "game.stdout.log").read_text().splitlines() if line.startswith(("GET", "POST"))]
    assert refused == ["GET /_coworld/log 405", "GET /healthz 404", "POST /admin 403"]


def test_a_posted_log_is_limited_and_says_what_is_left_out(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path, players=("floods_its_log", "good"))
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", budget_seconds=30)
    assert outcome.ok, outcome.error
    log = (tmp_path / "out" / "logs" / "policy_agent_0.posted.log").read_bytes()
    assert log.endswith(b"[2 requests beyond 10485760 bytes are left out]\n")
    assert len(log) < 10 << 20
    assert (tmp_path / "out" / "logs" / "policy_agent_0.log").read_text().count("refused 413") == 2
