"""Every command: what it prints, its document, its exit code."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coworld.cli.packaged_docs import document_names, schema, schema_names
from coworld.main import COMMANDS
from packages.coworld.tests.worlds import hosted_world

from .conftest import coworld

PLAYER = "softmax/paintarena:latest"
RUN = [word for part in ("python", "-m", "coworld.examples.paintarena.player.player") for word in ("--run", part)]


def test_help_imports_next_to_nothing() -> None:
    code = "import sys; from coworld.main import app; sys.argv = ['coworld', '--help']\n"
    code += "try: app(prog_name='coworld')\nexcept SystemExit: pass\n"
    code += "print(sorted(m for m in sys.modules if m in ('pydantic', 'httpx', 'websockets', 'rich', 'asyncio')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(entry.name in done.stdout for entry in COMMANDS if entry.is_listed)


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_has_help_and_a_document(entry: Any) -> None:
    import importlib

    module, _, attribute = entry.target.partition(":")
    target = getattr(importlib.import_module(module), attribute)
    commands = [[entry.name, sub.name] for sub in target] if isinstance(target, list) else [[entry.name]]
    for words in commands:
        said = coworld(*words, "--help")
        assert said.code == 0 and "--json" in said.out
    assert entry.name in schema_names()
    found = schema(entry.name)
    assert found.get("type") == "object" or found["anyOf"]


def test_no_command_imports_code_for_signing_in(episode: Path, tmp_path: Path) -> None:
    """All in one process, so that everything they import is seen."""
    calls = [
        ["run-episode", "paintarena", "--variant", "quick-small", "-o", str(tmp_path / "out")],
        ["certify", str(tmp_path / "none.json"), "--no-open-report"],
        ["bundle", str(episode), "-o", str(tmp_path / "episode.zip")],
        ["grade", "paintarena", str(episode)],
        ["report", "paintarena", str(episode), "-o", str(tmp_path / "report.zip")],
        ["diagnose", "paintarena", str(episode), "--policy", "0", "-o", str(tmp_path / "diagnosis.zip")],
        ["make-policy", "python", "-o", str(tmp_path / "player")],
        ["stats", "schema"],
        ["docs"],
    ]
    code = f"""
import importlib, pkgutil, sys
import coworld.commands
from coworld.main import app
for call in {calls!r}:
    try: app(call, prog_name="coworld")
    except SystemExit as end: print(call[0], end.code, file=sys.stderr)
for module in pkgutil.iter_modules(coworld.commands.__path__, "coworld.commands."):
    importlib.import_module(module.name)
import coworld.runner.play, coworld.optimize, coworld.certification.certify
wrong = ("cogames", "observatory", "mettagrid", "keyring", "webbrowser", "coworld.api_client", "softmax.client",
         "softmax.auth", "softmax.commands", "softmax.token_storage")
images = ("cogames", "cogames.lesson_world", "cogames.lesson_world.images", "cogames.lesson_world.local_images")
found = set(name for name in sys.modules if name.split(".")[0] in wrong or name in wrong)
print(sorted(found.difference(images)))  # installed packages are asked which images they provide
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
    assert "certify 1" in done.stderr and done.stderr.count(" 0\n") == len(calls) - 1


def test_several_episodes_have_folders_of_their_own_and_later_seeds(tmp_path: Path) -> None:
    manifest = json.loads((_paintarena()).read_text())
    schema_of_config = manifest["game"]["config_schema"]
    schema_of_config["properties"]["seed"] = {"type": "integer"}
    for config in (
        *(variant["game_config"] for variant in manifest["variants"]),
        manifest["certification"]["game_config"],
    ):
        config["seed"] = 7
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(manifest))
    said = coworld("run-episode", path, "-n", 2, "--variant", "quick-small", "--json")
    document = said.document("run-episode")
    assert said.code == 0, said.err
    assert [one["seed"] for one in document["episodes"]] == [7, 8]
    root = tmp_path / "results"
    assert document["artifacts_root"] == str(root)
    assert sorted(path.name for path in root.iterdir()) == ["episode-0001", "episode-0002"]


def test_one_image_fills_every_seat_and_a_request_says_everything(tmp_path: Path) -> None:
    said = coworld("scrimmage", "paintarena", PLAYER, *RUN, "--variant", "quick-small", "-o", tmp_path / "a", "--json")
    assert said.code == 0, said.err
    assert said.document("scrimmage")["episodes"][0]["scores"] == [14.0, 15.0]
    manifest = json.loads(_paintarena().read_text())
    config = next(one["game_config"] for one in manifest["variants"] if one["id"] == "quick-small")
    seats = [manifest["player"][0]] * 2
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"manifest": manifest, "game_config": config, "players": seats}))
    said = coworld("run-episode", "paintarena", request, "-o", tmp_path / "b", "--verify-replay")
    assert said.code == 0 and "Scores: 0=14.0, 1=15.0" in said.out
    said = coworld("run-episode", "paintarena", request, "--variant", "small")
    assert said.code == 2 and "says everything" in said.err


def test_what_players_of_a_game_that_hosts_them_cannot_have_is_refused(tmp_path: Path) -> None:
    package = hosted_world(tmp_path)
    package.path.write_text(package.manifest.model_dump_json(by_alias=True, exclude_none=True))
    for words, code, sentence in (
        (["run-episode", package.path, "--secret-env", "KEY=1"], 2, "they do not get their own variables"),
        (["run-episode", package.path, "mine:1"], 2, "cannot be seated"),
        (["play", package.path, "--no-open-browser"], 1, "cannot be played in the browser"),
    ):
        said = coworld(*words)
        assert said.code == code and sentence in said.err, said.err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["run-episode", "nowhere"], 1, "There is no manifest 'nowhere'"),
        (["run-episode", "nowhere/coworld_manifest.json"], 1, "does not exist"),
        (["run-episode", "cow_123!"], 1, "is not the id of a Coworld"),
        (["run-episode", "paintarena", "--variant", "nope"], 1, "unknown Coworld variant_id: 'nope'"),
        (["run-episode", "paintarena", "a:1", "b:1", "c:1"], 2, "expected 1 or 2 player images for 2 player slots"),
        (["run-episode", "paintarena", "a:1", "--run", "python a.py"], 2, "--run python --run a.py"),
        (["run-episode", "paintarena", "--run", "python"], 2, "none are given"),
        (["run-episode", "paintarena", "--secret-env", "KEY"], 2, "must be KEY=VALUE"),
        (["run-episode", "paintarena", "--engine", "dokcer"], 2, "`--engine` cannot be 'dokcer'"),
        (["run-episode", "paintarena", "--pull", "often"], 2, "use one of never, missing, always"),
        (["run-episode", "paintarena", "--map", "x"], 1, "must be IMAGE=DIR"),
        (["run-episode", "paintarena", "--use-llm"], 1, "COWORLD_LLM_ENDPOINT"),
        (["run-episode", "--nonsense"], 2, "No such option"),
        (["play", "paintarena", "--human", "7"], 2, "There is no slot 7"),
        (["replay", "paintarena", "nothing"], 1, "nothing does not exist"),
        (["certify", "nowhere.json", "--no-open-report"], 1, "does not exist"),
        (["bundle", "nowhere"], 1, "is not an episode's folder"),
        (["bundle", "nowhere", "--include", "secrets"], 2, "secrets"),
        (["grade", "paintarena", "nowhere.zip"], 1, "does not exist"),
        (["make-policy", "cobol", "-o", "x"], 2, "there is no template 'cobol'"),
        (["stats", "validate", "nowhere.json"], 1, "could not be read"),
        (["init", "player", "x", "--example", "chess"], 2, "There is no example 'chess'"),
        (["docs", "nothing"], 1, "There is no document 'nothing'"),
        (["docs", "--json-schema", "nothing"], 1, "There is no schema 'nothing'"),
        (["manifest-schema", "check", "--against", "no-such-commit"], 1, "no-such-commit"),
        (["optimize", "paintarena", "nowhere", "--improve", "true"], 1, "nowhere"),
        (["nothing"], 2, "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    words: list[str], code: int, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from coworld.main import app

    monkeypatch.chdir(tmp_path)
    for name in ("COWORLD_LLM_ENDPOINT", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as end:
        app(words, prog_name="coworld")
    told = capsys.readouterr()
    assert end.value.code == code
    assert sentence in told.err and "Traceback" not in told.err


def test_an_error_is_a_document_too_when_one_was_asked_for() -> None:
    said = coworld("run-episode", "nowhere", "--json")
    assert said.code == 1
    error = json.loads(said.out)["error"]
    assert error["message"] == "There is no manifest 'nowhere'" and "paintarena" in error["hint"]


def test_a_player_that_fails_is_named(tmp_path: Path) -> None:
    program = tmp_path / "bad"
    program.mkdir()
    (program / "player.py").write_text("raise SystemExit(3)\n")
    said = coworld(
        "run-episode", "paintarena", PLAYER, "bad:1", "--map", f"bad:1={program}", "--run", "python", "--run",
        "player.py", "--variant", "quick-small", "-o", tmp_path / "out", "--json",
    )  # fmt: skip
    assert said.code == 1
    error = said.document("run-episode")["episodes"][0]["error"]
    assert (error["type"], error["party"]) == ("player_error", "player")
    assert error["slot"] in (0, 1) and "exit code" in error["message"]
    assert (tmp_path / "out" / "error_info.json").exists()


def test_certify_says_each_step_and_leaves_a_report(tmp_path: Path) -> None:
    folder = tmp_path / "player"
    assert coworld("init", "player", folder).code == 0
    assert coworld("init", "player", folder).code == 2  # it is not empty any more
    said = coworld("certify", folder, "--no-open-report", "-o", tmp_path / "out")
    lines = said.out.splitlines()
    assert said.code == 0, said.out
    assert lines[0].startswith("  [run ] matriculate: ") and lines[1].startswith("  [pass] matriculate: ")
    assert f"Certified {folder}" in lines and "Transcript: coworld-executable (10 steps passed)" in lines
    assert (tmp_path / "out" / "certification_report.html").exists()
    manifest = folder / "coworld_manifest.json"
    manifest.write_text(manifest.read_text().replace('"tags"', '"tagz"'))
    said = coworld("certify", folder, "--no-open-report", "-o", tmp_path / "out", "--json")
    document = said.document("certify")
    assert said.code == 1 and not document["certified"]
    assert document["steps"][-1]["failure_reason"] == "manifest_invalid"


def test_what_an_episode_left_is_packed_graded_reported_and_diagnosed(episode: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "episode.zip"
    document = coworld("bundle", episode, "-o", bundle, "--include", "results,replay", "--json").document("bundle")
    assert (document["status"], document["include"]) == ("success", ["results", "replay"])
    document = coworld("grade", "paintarena", bundle, "-o", tmp_path / "grade.json", "--json").document("grade")
    assert document["document"]["score"] == 0.0278
    assert json.loads((tmp_path / "grade.json").read_text()) == document["document"]
    page = tmp_path / "report.html"
    said = coworld("report", "paintarena", bundle, "-o", tmp_path / "report.zip", "--render", page, "--json")
    assert "event_log.parquet" in said.document("report")["files"]
    assert page.read_text().startswith("<!doctype html>")
    said = coworld("diagnose", "paintarena", bundle, "--policy", "0", "-o", tmp_path / "d.zip", "--json")
    assert "diagnosis.md" in said.document("diagnose")["files"]


def test_a_role_that_does_not_do_its_work_is_told_about(episode: Path, tmp_path: Path) -> None:
    manifest = json.loads(_paintarena().read_text())
    manifest["grader"] = [{**manifest["grader"][0], "image": "bad:1", "run": ["python", "grader.py"]}]
    (tmp_path / "coworld_manifest.json").write_text(json.dumps(manifest))
    program = tmp_path / "bad"
    program.mkdir()
    for text, sentence in [
        ("print('no idea'); raise SystemExit(2)", "no idea"),
        ("pass", "ended without writing its output"),
        (
            "import os; open(os.environ['COGAME_GRADE_URI'][7:], 'w').write('{\"score\": \"high\"}')",
            "no number `score`",
        ),
    ]:
        (program / "grader.py").write_text(text)
        said = coworld("grade", tmp_path, episode, "--map", f"bad:1={program}")
        assert said.code == 1 and sentence in said.err


def test_stats_are_made_from_replays_and_checked(episode: Path, tmp_path: Path) -> None:
    replay = episode / "replay"
    digest = hashlib.sha256(replay.read_bytes()).hexdigest()
    seats = [{"id": "sweep", "sha256": "0" * 64}] * 2
    entry = {
        "path": str(replay),
        "episode_id": "one",
        "game_id": "paintarena",
        "game_build_id": "1",
        "replay_sha256": digest,
        "policies": seats,
        "context": {},
    }
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps([entry]))
    said = coworld("stats", "extract-paintarena", inputs, tmp_path / "out", "--no-open", "--json")
    assert said.code == 0, said.err
    assert said.document("stats") == {"path": str(tmp_path / "out" / "stats.json"), "episodes": 1, "failures": 0}
    said = coworld("stats", "validate", tmp_path / "out" / "stats.json")
    assert said.code == 0 and "1 episodes, 0 failures" in said.out
    inputs.write_text(json.dumps([{**entry, "replay_sha256": "0" * 64}]))
    said = coworld("stats", "extract-paintarena", inputs, tmp_path / "out", "--no-open")
    assert said.code == 1 and "Error: one:" in said.err


def test_documents_are_listed_and_printed() -> None:
    said = coworld("docs", "--json").document("docs")
    assert said["documents"] == document_names() and said["documents"][0] == "overview"
    assert coworld("docs", "cli").out.startswith("# ")
    printed = json.loads(coworld("docs", "--json-schema", "manifest").out)
    assert printed == schema("manifest")


def test_the_documents_of_the_package_are_those_of_the_repository() -> None:
    import coworld_docs  # in scripts/

    assert coworld_docs.stale() == {}


def _paintarena() -> Path:
    from coworld.manifest.installed_worlds import manifest_of

    found = manifest_of("paintarena")
    assert found is not None
    return found
