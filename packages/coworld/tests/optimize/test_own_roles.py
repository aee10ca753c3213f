"""`coworld optimize` runs the manifest's own roles, checks its inputs first, and exits non-zero on failure."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coworld.optimize.checkouts import checkout, repository
from coworld.optimize.errors import OptimizeError
from coworld.optimize.journal import Journal
from coworld.optimize.progress import progress
from coworld.templates import write_template

from ..cli.conftest import Said, coworld
from .own_roles import QUICK, write_optimizer, write_player, write_world


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("COWORLD_OPTIMIZER_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


def entries(state: Path, kind: str) -> list[dict[str, Any]]:
    lines = (state / "journal.jsonl").read_text().splitlines() if state.exists() else []
    return [entry for entry in map(json.loads, lines) if entry["kind"] == kind]


def test_the_manifests_own_roles_analyze_and_its_own_optimizer_proposes(tmp_path: Path) -> None:
    manifest, player = write_world(tmp_path / "world")
    state = tmp_path / "state"
    said = coworld("optimize", manifest, player, *QUICK, "--state", state, "--json")
    assert said.code == 0, said.err
    (decision,) = said.document("optimize")["decisions"]
    assert decision["low"] > 0, "what the optimizer left in its workspace was played"
    found = entries(state, "finding")
    assert {(one["role"], one["id"]) for one in found if one["error"] is None and one["role"] != "bundle"} == {
        ("reporter", "their-reporter"),
        ("grader", "their-grader"),
        ("diagnoser", "their-diagnoser"),
    }
    broken = [one["error"] for one in found if one["id"] == "their-broken_grader"]
    assert len(broken) == 2 and "ended with exit code 3: the ruler is missing" in broken[0]
    assert "the ruler is missing" in said.err, "a role that fails is reported"
    plan = json.loads((state / "findings" / "0" / "optimizer.json").read_text())
    assert plan["optimizer_id"] == "their-optimizer" and plan["game"] == "paintarena"
    assert plan["scores"] == [0.875, 0.875] and set(plan["counts"].values()) == {2}
    (proposal,) = entries(state, "proposal")
    assert proposal["note"].startswith("the author's optimizer")
    assert '"stay"' in (player / "player.py").read_text(), "the author's folder stays as it is"


def test_an_empty_section_gets_the_default_role(tmp_path: Path) -> None:
    manifest, player = write_world(tmp_path / "world")
    document = json.loads(manifest.read_text()) | {"grader": [], "optimizer": []}
    manifest.write_text(json.dumps(document))
    said = coworld("optimize", manifest, player, *QUICK)
    assert said.code == 0, said.err
    graders = {one["id"] for one in entries(tmp_path / "optimize", "finding") if one["role"] == "grader"}
    assert graders == {"default-grader"}
    assert "The default optimizer gives advice and changes nothing" in said.err
    assert "iteration 0: rejected: nothing was changed" in said.out
    plan = json.loads((tmp_path / "optimize" / "findings" / "0" / "optimizer.json").read_text())
    assert plan["input_counts"]["grader_outputs"] == 2


@pytest.mark.slow
def test_an_optimizer_comes_from_a_folder_or_a_repository(tmp_path: Path) -> None:
    player = write_player(tmp_path / "player")
    source = write_optimizer(tmp_path / "source", "from the repository")
    git = ["git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "--quiet", "--initial-branch=trunk", source], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "one"], check=True)
    bare = tmp_path / "Owner" / "Plans.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", source, bare], check=True)
    call = ["optimize", player, player, *QUICK]
    said = coworld(*call, "--optimizer-repo", bare.as_uri(), "--optimizer-ref", "trunk", "--state", "a")
    assert said.code == 0 and "Kept: 1 of 1" in said.out, said.err
    assert entries(Path("a"), "proposal")[0]["note"].startswith("from the repository")
    folder = tmp_path / "data" / "coworld" / "optimizers" / "owner-plans" / "trunk"
    assert (folder / "optimizer.py").is_file()

    write_optimizer(source, "changed")
    subprocess.run([*git, "commit", "--quiet", "-am", "two"], check=True)
    subprocess.run([*git, "push", "--quiet", bare, "trunk"], check=True)
    assert "changed" not in (checkout(bare.as_uri(), "trunk") / "optimizer.py").read_text(), "it is cached"
    assert "changed" in (checkout(bare.as_uri(), "trunk", refresh=True) / "optimizer.py").read_text()
    assert [path.name for path in folder.parent.iterdir()] == ["trunk"]
    with pytest.raises(OptimizeError, match="could not be cloned"):
        checkout(bare.as_uri(), "no-such-branch")
    said = coworld(*call, "--optimizer-dir", source, "--state", "b")
    assert said.code == 0 and "Kept: 1 of 1" in said.out, said.err
    assert entries(Path("b"), "proposal")[0]["note"].startswith("changed")


def test_addresses_of_repositories() -> None:
    assert repository("https://github.com/A/b.git", "x/y")[1:] == ("x/y", "a-b")
    assert repository("https://github.com/A/b/tree/dev", None) == ("https://github.com/A/b", "dev", "a-b")
    for wrong in ("git@host:a/b", "ext::sh -c id", "--upload-pack=id", "https://host/a", "../a/b"):
        with pytest.raises(OptimizeError, match="is not the address of a repository"):
            repository(wrong, None)
    for wrong in ("--output=x", "../../x", "a b"):
        with pytest.raises(OptimizeError, match="cannot be a branch or tag"):
            repository("https://host/a/b", wrong)


def refused(said: Said, code: int, sentence: str, state: Path) -> None:
    assert said.code == code and sentence in said.err, said.err
    assert said.err.count("Error:") == 1
    assert not entries(state, "episode"), "nothing is played"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "There is no folder nowhere"),
        (["empty"], "empty is empty"),
        (["player", "--player", "nobody"], "'nobody'"),
        (["player", "--variant", "huge"], "'huge'"),
        (["player", "--opponent", "nobody"], "'nobody'"),
        (["player", "--improve", "no-such-program"], "There is no program 'no-such-program'"),
        (["player", "--improve", "./no-such.sh"], "There is no program './no-such.sh' in player"),
        (["player", "--improve", "true", "--build", "no-such-make"], "There is no program 'no-such-make'"),
        (["player", "--pairs", "1"], "1 pairs are too few"),
        (["player", "--optimizer-dir", "plain"], "plain holds no program"),
        (["player", "--optimizer-repo", "nothing"], "'nothing' is not the address of a repository"),
        (["player", "--optimizer-ref", "main"], "`--optimizer-ref` needs `--optimizer-repo`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_inputs_are_checked_before_anything_is_played(tmp_path: Path, words: list[str], sentence: str) -> None:
    write_player(tmp_path / "player")
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "notes.txt").write_text("nothing to run")
    refused(coworld("optimize", "player", *words, "--no-open-browser"), 1, sentence, tmp_path / "optimize")


def test_programs_that_this_machine_cannot_run_are_refused(tmp_path: Path) -> None:
    manifest, player = write_world(tmp_path / "world")
    document = json.loads(manifest.read_text())
    document["optimizer"][0]["image"] = "elsewhere/optimizer:1"
    document["optimizer"][0]["repository_url"] = "https://host/a/b"
    manifest.write_text(json.dumps(document))
    said = coworld("optimize", manifest, player)
    refused(said, 1, "The optimizer 'their-optimizer' cannot be run here", tmp_path / "optimize")
    assert "--optimizer-repo https://host/a/b" in said.err
    document["game"]["runnable"]["image"] = "elsewhere/game:1"
    manifest.write_text(json.dumps(document))
    refused(coworld("optimize", manifest, player), 1, "The game cannot be run here", tmp_path / "optimize")


def test_a_taken_port_or_state_folder_is_refused(tmp_path: Path) -> None:
    player = write_player(tmp_path / "player")
    call = ["optimize", player, player, *QUICK, "--improve", "true"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(coworld(*call, "--port", port), 1, f"Port {port} cannot be used", tmp_path / "optimize")
        refused(coworld("optimize", "--port", port, "--no-open-browser"), 1, f"Port {port}", tmp_path / "optimize")
    with Journal(tmp_path / "optimize" / "journal.jsonl"):
        refused(coworld(*call), 1, "is in use by another run", tmp_path / "optimize")
        refused(coworld(*call, "--refresh"), 1, "is in use by another run", tmp_path / "optimize")


def test_a_state_folder_belongs_to_one_manifest_and_refresh_sets_it_aside(tmp_path: Path) -> None:
    player = write_player(tmp_path / "player")
    call = ["optimize", player, player, *QUICK, "-n", "0", "--improve", "true"]
    assert coworld(*call).code == 0
    path = player / "coworld_manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tags": ["a", "b", "c"]}))
    said = coworld(*call)
    assert said.code == 1 and "belongs to a run with another manifest and version" in said.err
    (tmp_path / "optimize" / "notes.txt").write_text("the author's own")
    said = coworld(*call, "--refresh")
    assert said.code == 0 and "Earlier run: optimize-old-1" in said.err, said.err
    assert (tmp_path / "optimize-old-1" / "journal.jsonl").is_file()
    assert (tmp_path / "optimize" / "notes.txt").is_file()


def test_a_run_without_any_proposal_exits_with_1(tmp_path: Path) -> None:
    player = write_player(tmp_path / "player")
    said = coworld("optimize", player, player, *QUICK, "--improve", "false")
    assert said.code == 1 and "No iteration had a proposal: false ended with status 1" in said.err
    assert "Report: optimize/report.html" in said.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--json"], "`--json` needs PLAYER"),
        (["paintarena", "--write"], "`--write` needs PLAYER"),
        (["--port", "70000"], "'--port'"),
        (["paintarena", ".", "--improve", "true", "--optimizer-dir", "."], "name two optimizers"),
    ],
)
def test_words_that_contradict_each_other_are_a_usage_error(words: list[str], sentence: str) -> None:
    said = coworld("optimize", *words)
    assert said.code == 2 and sentence in said.err


def test_a_game_that_cannot_be_played_ends_the_run_with_1(tmp_path: Path) -> None:
    write_template("game", tmp_path / "world", name="theirs")
    (tmp_path / "world" / "game_server.py").write_text("raise SystemExit('no board today')\n")
    said = coworld("optimize", "world", "world", "-n", "1", "--pairs", "2", "--improve", "true", "--no-open-browser")
    assert said.code == 1 and "an episode failed 3 times" in said.err, said.err
    assert progress(tmp_path / "optimize")["status"] == "failed"
