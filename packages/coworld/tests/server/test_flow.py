"""A player from its template to a played episode, and a Coworld from its manifest to a local episode."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import coworld.examples.paintarena
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.coworlds.games import game, pass_certification, pass_smoke_episodes
from tests.league import League

from .conftest import Call


def _play(league: League, ask: Any, request_id: str) -> None:
    """Play waiting jobs, as the worker of a league does, until a request has ended."""
    for row in ask("xp-request list --mine")["entries"]:
        if row["id"] != request_id and row["status"] in ("pending", "running"):
            ask(f"xp-request cancel {row['id']}")  # of another test
    client = HttpJobClient(league.url, league.names["worker_token"])
    while ask(f"xp-request get {request_id}")["status"] != "completed":
        Worker(client, "one").run(once=True)
    client.close()


def test_a_player_is_uploaded_submitted_played_and_reproduced(league: League, call: Call, ask: Any) -> None:
    assert call("make-policy python -o player").code == 0
    player = Path("player", "player.py")
    player.write_text(f"{player.read_text()}\n# another version\n")
    version = ask("upload-policy --file player --name flow --tag team=red", "--title", "the first")
    assert (version["name"], version["version"]) == ("flow", 1)
    assert ask("upload-policy player --name flow --tag team=red")["id"] == version["id"]  # the same bytes
    submission = ask("submit flow --league", "paint main", "--no-open-browser", "--auto-champion", "never")
    assert submission["status"] == "placed"
    membership = submission["league_policy_membership_id"]
    assert ask(f"champion {membership}")["is_champion"]
    roster = [{"player": {"policy_ref": "flow:v1"}}] * 2
    Path("request.json").write_text(json.dumps({"coworld_id": league.names["coworld"], "roster": roster}))
    request = ask("xp-request create request.json")
    _play(league, ask, request["id"])
    said = call(f"xp-request watch {request['id']} --until evidence --timeout 60")
    assert (said.code, said.out) == (0, "1 completed\n"), said.err
    [episode] = ask(f"xp-request get {request['id']}")["episodes"]
    assert len(episode["scores"]) == 1 and episode["replay_url"]
    assert "final scores" in call(f"episode-logs {episode['id']} --agent 1").out
    again = ask(f"reproduce {episode['id']}")
    assert again["same"], again
    assert call(f"reproduce {episode['id']}", user="other_token").code == 1
    ended = ask(f"retire-membership {membership}", "--reason", "a test")
    assert ended["end_time"] is not None
    assert call(f"retire-membership {membership}").code == 1


def test_a_coworld_is_published_downloaded_and_played_here(league: League, call: Call, ask: Any) -> None:
    source = Path(coworld.examples.paintarena.__file__).parent
    manifest = game("flow-arena", "0.1.0")
    Path("coworld_manifest.json").write_text(json.dumps(manifest))
    for file in source.rglob("*.md"):
        target = Path(file.relative_to(source))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    published = ask("upload-coworld coworld_manifest.json --no-certify --no-wait-hosted-smoke --visibility public")
    assert not published["canonical"] and published["name"] == "flow-arena"
    state = ask(f"status {published['id']}")
    assert state["certification"]["state"] == "queued" and len(state["hosted_smoke"]) == 1
    app, clock = league.world.app, league.world.clock
    pass_certification(app, clock, published["id"])
    pass_smoke_episodes(app, clock, published["id"])
    assert ask("show flow-arena")["canonical"]
    assert ask("next-version flow-arena") == {"name": "flow-arena", "version": "0.1.1"}
    changed = ask("upload-coworld --from-coworld flow-arena --version 0.1.1 --no-wait-hosted-smoke")
    assert changed["version"] == "0.1.1" and changed["id"] != published["id"]
    files = ask("download flow_arena")["files"]
    assert published["id"] in files[0] and all(Path(file).is_file() for file in files)
    said = call(f"run-episode {published['id']}")
    assert said.code == 0 and "Scores: 0=" in said.out, said.err
    assert call("download no-such-game").code == 1
    league_seed = ask("league create flow-arena main Flow")
    assert ask(f"leagues {league_seed['league_id']}")["game"]["coworld_name"] == "flow-arena"
    Path("secret.txt").write_text("s3cret")
    assert ask("secret put flow-arena key secret.txt")["size_bytes"] == 6
    assert [row["secret_name"] for row in ask("secret list flow-arena")] == ["key"]
    assert ask("secret delete flow-arena key")["secret_name"] == "key"
