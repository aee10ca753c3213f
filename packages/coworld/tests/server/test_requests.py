"""Requests for episodes: create, follow, read and download; the exit codes of a watch."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.league import League

from .conftest import Call

READS = [
    "xp-request get {request}",
    "xp-request episodes {request} --view results",
    "xp-request episodes {episode} {failed_episode}",
    "xp-request list --limit 1",
    "episodes {episode}",
    "episodes {failed_episode}",
    "episodes --policy mine --with-replay",
    "episodes --division {division} --mine",
    "episode-stats {episode}",
    "episode-results {episode}",
    "episode-logs {episode} --list",
    "episode-logs {episode} --game",
    "episode-logs {episode} --agent 0",
    "replays --policy mine",
    "replay-open {episode} --hosted --no-open-browser",
]


@pytest.mark.parametrize("line", READS)
def test_a_command_about_episodes_prints_text_and_a_document(line: str, call: Call, ask: Any) -> None:
    said = call(line)
    assert said.code == 0, (said.err, said.out)
    ask(line)


def _body(names: dict[str, str], **fields: Any) -> Path:
    path = Path("request.json")
    roster = [{"player": {"policy_ref": "mine"}}, {"player": {"random": True}}]
    path.write_text(json.dumps({"target": {"league_id": names["league"]}, "roster": roster, **fields}))
    return path


def test_a_request_is_created_watched_and_cancelled(league: League, call: Call, ask: Any) -> None:
    request = ask("xp-request create", _body(league.names), "--title", "mine against the field")
    assert request["status"] == "pending" and request["title"] == "mine against the field"
    said = call(f"xp-request watch {request['id']} --timeout 1")
    assert said.code == 3 and "1 pending" in said.out and "after 1 seconds" in said.err
    assert ask(f"xp-request cancel {request['id']}")["status"] == "cancelled"
    said = call(f"xp-request watch {request['id']} --json")
    assert said.code == 2
    assert json.loads(said.out)["requests"] == {request["id"]: "cancelled"}


def test_a_watch_of_a_failed_episode_ends_with_2_and_goes_on_from_its_checkpoint(call: Call) -> None:
    said = call("xp-request watch {request} --checkpoint watch.json")
    assert said.code == 2 and said.out == "1 completed, 1 failed\n"
    assert call("xp-request watch {request} --checkpoint watch.json").code == 2
    said = call("xp-request watch {request} --checkpoint watch.json --jsonl --reset")
    assert said.code == 2 and all(json.loads(line)["phase"] for line in said.out.splitlines())
    Path("watch.json").write_text("{")
    said = call("xp-request watch {request} --checkpoint watch.json")
    assert said.code == 2 and "--reset" in said.err


def test_files_of_episodes_are_downloaded_once(call: Call, ask: Any) -> None:
    words = "xp-request download {request} --include results --include replay --include player_logs -d files"
    files = [file for file in ask(words)["files"] if file["path"] is not None]
    found = {file["category"]: Path(file["path"]).read_bytes() for file in files}
    assert json.loads(found["results"])["scores"] == [3, 5] and found["replay"] == b"a replay"
    assert found["player_logs"] == b"I am ada's\n"
    times = {file["path"]: Path(file["path"]).stat().st_mtime_ns for file in files}
    assert call(words).code == 0
    assert times == {path: Path(path).stat().st_mtime_ns for path in times}


def test_only_the_owner_of_a_policy_gets_its_log(call: Call, ask: Any) -> None:
    said = call("episode-logs {episode} --mine --download-dir logs")
    assert said.code == 0 and sorted(path.name for path in Path("logs").iterdir()) == [
        "policy_agent_0.log",
        "policy_artifact_0.zip",
    ]
    assert call("episode-logs {episode} --agent 1").code == 2
    assert call("episode-logs {episode} --agent 1", user="other_token").out == "I am bob's\n"
    assert call("episode-logs {episode} --game --artifact").code == 2
    assert call("episode-logs {episode} --output one.log").code == 2


def test_replays_and_bundles_are_saved(call: Call, ask: Any) -> None:
    of_ladder, of_request = ask("replays --policy mine --download-dir saved")
    for entry in (of_ladder, of_request):
        assert Path("saved", entry["path"]).read_bytes() == b"a replay"
    assert json.loads(Path("saved", "index.json").read_text()) == [of_ladder, of_request]
    document = ask("bundle {episode} --include results,replay -o episode.zip")
    assert document["include"] == ["results", "replay"]
    with zipfile.ZipFile("episode.zip") as archive:
        assert json.loads(archive.read("results.json"))["ticks"] == 12


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("xp-request create nothing.json", 2, "cannot be read"),
        ("xp-request get xreq_none", 1, "xreq_none"),
        ("xp-request watch xreq_00000000-0000-4000-8000-000000000000", 1, "not found"),
        ("xp-request download {request} -d files", 2, "--include"),
        ("xp-request download {request} -d files --include secrets", 2, "'secrets' is not known"),
        ("xp-request episodes {request} --view all", 2, "'all' is not one of"),
        ("xp-request watch {request} --until tomorrow", 2, "'tomorrow' is not one of"),
        ("xp-request cancel {request}", 1, "cannot be cancelled"),
        ("episodes", 2, "Select the episodes to list"),
        ("replays", 2, "Select the replays to list"),
        ("episode-results {failed_episode}", 1, "not found"),
        ("replay-open {failed_episode}", 1, "has no replay"),
        ("reproduce {failed_episode}", 1, ""),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(line: str, code: int, sentence: str, call: Call) -> None:
    said = call(line)
    assert said.code == code, (said.out, said.err)
    assert sentence in said.err and said.err.startswith("Error: ")
