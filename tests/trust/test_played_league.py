"""Guarantees of a league that has played: hidden seeds, reproducible matches, recomputed scores."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchPlayer
from observatory.database.tables.seasons import Pool, PoolPlayer, Season, Team
from observatory.store import job_key
from packages.observatory.tests.access.test_every_route import routes
from tests.trust.played import PlayedLeague, played_league

# How many matches are played again; more of them in `make soak`.
AGAIN = int(os.environ.get("LEAGUE_REPRODUCED_MATCHES", "4"))


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayedLeague]:
    with played_league(tmp_path_factory.mktemp("league"), repetitions=max(1, -(-(AGAIN - 3) // 3))) as played:
        yield played


def seeds_of(league: PlayedLeague, season: str) -> dict[str, int]:
    """Return every seed of a season by name: its own, and those of its matches and their maps."""
    with league.app.state.database.read() as session:
        row = session.scalars(select(Season).where(Season.name == season, Season.canonical)).one()
        seeds = {"season": row.seed}
        jobs = select(Job).join(Match, Match.job_id == Job.id).join(Pool).where(Pool.season_id == row.id)
        for job in session.scalars(jobs):
            seeds[f"match {job.id}"] = job.stored_spec["seed"]
            seeds[f"map {job.id}"] = job.stored_spec["map_seed"]
        return seeds


def revealed(texts: dict[str, bytes], seeds: dict[str, int]) -> set[str]:
    """Return the places that show seeds, in decimal or hexadecimal digits."""
    decimal = {str(seed).encode(): rb"(?<!\d)%s(?!\d)" for seed in seeds.values()}
    hexadecimal = {f"{seed:x}".encode(): rb"(?<![0-9a-f])(0x)?0*%s(?![0-9a-f])" for seed in seeds.values()}
    places = set()
    for place, text in texts.items():
        lower = text.lower()
        for digits, pattern in (*decimal.items(), *hexadecimal.items()):
            if digits in lower and re.search(pattern % digits, lower):  # the pattern alone is slow
                places.add(place)
    return places


def everything_answered(league: PlayedLeague, *, only: str = "") -> dict[str, bytes]:
    """Return the responses of every GET route for every user and object, and the replays behind URLs."""
    templates = [route.split(" ", 1)[1] for route in routes(league.app) if route.startswith(f"GET {only}")]
    requested = [template for template in templates if template not in ("/observatory/api/events", "/enter")]
    words = things(league)
    answers: dict[str, bytes] = {}
    for user in (None, "ada", "admin"):
        with league.http(user) as http:
            for template in requested:
                if user == "admin" and template.endswith("/reproduction"):
                    continue  # operators may play a match again at any time
                for path in paths(template, words):
                    answer = http.get(path, follow_redirects=True)
                    answers[f"{user} {path}"] = answer.content + str(answer.headers).encode()
                    if template.endswith(".z") and answer.is_success:
                        answers[f"{user} {path} unpacked"] = zlib.decompress(answer.content)
    return answers


def things(league: PlayedLeague) -> dict[str, list[str]]:
    """Return values for the parameters of routes."""
    matches = some_matches(league)
    detail = league.get("/tournament/seasons/open")
    return {
        "season": ["open", "open:v1"],
        "pool": ["qualifying", "competition"],
        "kind": ["policy"],
        "config_id": [pool["config_id"] for pool in detail["pools"]],
        "policy_version_id": [league.mine],
        "policy_id": [league.get(f"/stats/policy-versions/{league.mine}")["policy_id"]],
        "match_id": [match["id"] for match in matches],
        "agent_idx": ["0", "1"],
        "artifact_type": ["logs", "error-info"],
        "episode_id": [match["episode_id"] for match in matches if match["episode_id"]],
        "job_id": [match["job_id"] for match in matches],
        "user_id": ["nobody"],
        "player_id": ["ply_none"],
        "run_id": [str(uuid.uuid4())],
        "key:path": [
            f"jobs/{match['job_id']}/{name}" for match in matches[:1] for name in ("spec.json", "results.json")
        ],
        "path:path": ["seasons/open"],
        "rest:path": ["seasons/open"],
    }


def some_matches(league: PlayedLeague) -> list[dict[str, Any]]:
    """Ada's policy alone, ada's beside another, and one without ada."""
    matches = {}
    for match in league.matches("open"):
        has_mine = any(player["policy"]["id"] == league.mine for player in match["players"])
        matches[len(match["players"]), has_mine] = match
    return list(matches.values())


def paths(template: str, words: dict[str, list[str]]) -> list[str]:
    expanded = [template]
    for name in re.findall(r"{([^}]+)}", template):
        values = words.get(name, words.get(name.split(":")[0], ["x"]))
        expanded = [path.replace("{" + name + "}", value) for path in expanded for value in values]
    return expanded


def stored_files(league: PlayedLeague) -> dict[str, bytes]:
    """Return every file of the store, whether or not a URL serves it."""
    store = league.app.state.store
    contents = {}
    for key in store.keys(""):
        data = store.get(key)
        contents[key] = zlib.decompress(data) if key.endswith(".z") else data
    return contents


def test_no_seed_is_visible_before_the_end_of_the_season(league: PlayedLeague) -> None:
    seeds = seeds_of(league, "open")
    assert len(set(seeds.values())) >= 5 and all(seed > 10_000 for seed in seeds.values())
    answers = everything_answered(league)
    assert len(answers) > 200 and any(place.endswith("unpacked") for place in answers)
    assert revealed(answers, seeds) == set()
    assert revealed(stored_files(league), seeds) == set()
    assert (
        revealed({"log": league.log.getvalue().encode(), "events": "\n".join(league.streamed).encode()}, seeds) == set()
    )
    assert "GET /tournament" in league.log.getvalue() and any("match" in line for line in league.streamed)
    # A policy that tells all it finds out has been there, and knows something else to draw from.
    logs = [text for key, text in stored_files(league).items() if "policy_agent" in key and b"episode_id" in text]
    assert logs


def test_only_administrators_reproduce_matches_of_a_running_season(league: PlayedLeague) -> None:
    path = f"/tournament/matches/{league.matches('open')[0]['id']}/reproduction"
    for user in (None, "ada", "bob"):
        with league.http(user) as http:
            answer = http.get(path)
        assert answer.status_code == 403 and "still being played and its seeds are hidden" in answer.json()["detail"]
    assert league.get(path, "admin")["spec"]["seed"] in seeds_of(league, "open").values()


def test_a_job_stores_its_evidence(league: PlayedLeague) -> None:
    match = next(match for match in league.matches("open") if len(match["players"]) == 2)
    job = league.get(f"/jobs/{match['job_id']}", "admin")
    assert set(job["digests"]) == {"results.json", "replay.json.z", "actions.json.z"}
    assert "seed" not in job["job"] and job["job"]["env"]["game"]["map_builder"]["seed"] is None
    runtime = job["runtime"]
    assert [policy["name"] for policy in runtime["policies"]] == [
        f"{player['policy']['name']}:v{player['policy']['version']}" for player in match["players"]
    ]
    for policy in runtime["policies"]:
        times = policy["actions"]
        assert policy["isolation"] in ("landlock", "namespaces", "bubblewrap") and policy["start_ms"] > 0
        assert times["count"] == 40 and 0 < times["p50"] <= times["p95"] <= times["max"]
    assert runtime["wall_ms"] > runtime["setup_ms"] > 0 and runtime["versions"]["mettagrid"]


def reproduce(league: PlayedLeague, match_id: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `cogames reproduce` without signing in and without files of earlier runs."""
    environment = os.environ | {"HOME": str(home), "TMPDIR": str(home)}
    line = [sys.executable, "-m", "cogames", "reproduce", match_id, "--server", league.url, "--json", *words]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_seeds_are_visible_after_the_end_and_replayed_matches_are_identical(
    league: PlayedLeague, tmp_path: Path
) -> None:
    with league.http("admin") as http:
        closed = http.post("/observatory/api/admin/seasons/open/close", json={"final": True})
    assert closed.status_code == 200, closed.text
    seeds = seeds_of(league, "open")
    detail = league.get("/tournament/seasons/open")
    assert (detail["status"], detail["seed"]) == ("complete", str(seeds["season"]))
    matches = league.matches("open")
    places = revealed(everything_answered(league, only="/tournament/matches/{match_id}"), seeds)
    places |= revealed(everything_answered(league, only="/jobs/{job_id}"), seeds)
    for match in some_matches(league):  # the search finds what there is to find
        assert f"None /tournament/matches/{match['id']}" in places
        assert f"admin /jobs/{match['job_id']}" in places
    pair = next(match for match in matches if {p["policy"]["id"] for p in match["players"]} > {league.mine})
    others = [match for match in matches if match is not pair]
    for match in [pair, *random.Random(7).sample(others, min(AGAIN - 1, len(others)))]:
        again = reproduce(league, match["id"], tmp_path)
        assert again.returncode == 0, again.stderr
        document = json.loads(again.stdout)
        assert document["same"] and {file["name"] for file in document["files"]} >= {"results.json", "replay.json.z"}
        is_mine = any(player["policy"]["id"] == league.mine for player in match["players"])
        assert document["from_actions"] == ({"mine:v1": "its bundle belongs to another user"} if is_mine else {})


def test_a_ladder_at_home_plays_the_public_entries_of_an_ended_season(league: PlayedLeague, tmp_path: Path) -> None:
    words = ["--season", "open", "--server", league.url, "-m", "arena", "-c", "2", "-s", "20", "-e", "1", "-o", "out"]
    environment = os.environ | {"HOME": str(tmp_path)}
    line = [sys.executable, "-m", "cogames", "ladder", *words, "--replays", "0", "--format", "json"]
    ladder = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ladder.returncode == 0, ladder.stderr
    assert "mine:v1 is left out: its bundle belongs to another user" in ladder.stderr
    document = json.loads(ladder.stdout)
    names = {entry["policy"]["name"] for entry in league.get("/tournament/seasons/open/policies")} - {"mine"}
    assert {row["name"].partition(":")[0] for row in document["standings"]} == names and len(names) > 1
    assert all(document["plan"]["isolate"])


@pytest.mark.parametrize("name", ["results.json", "replay.json.z"])
def test_a_tampered_file_is_named(league: PlayedLeague, tmp_path: Path, name: str) -> None:
    match = league.matches("open")[0]
    store, key = league.app.state.store, job_key(match["job_id"], name)
    before = store.get(key)
    store.put(key, before + b" ")
    try:
        again = reproduce(league, match["id"], tmp_path)
        report = recompute(league, "open")
    finally:
        store.put(key, before)
    assert again.returncode == 1 and f"{name} on the server is not the match's file" in again.stderr
    assert [finding["kind"] for finding in report["findings"]] == ["file"]
    assert name in report["findings"][0]["sentence"] and report["findings"][0]["match_id"] == match["id"]


def recompute(league: PlayedLeague, season: str | None = None, *, check: bool = True) -> dict[str, Any]:
    with league.http("admin") as http:
        answer = http.post("/observatory/api/admin/recompute", json={"season": season, "check": check})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_scores_are_recomputed_from_stored_results(league: PlayedLeague) -> None:
    report = recompute(league)
    assert report["findings"] == [] and report["matches"] >= 11 and report["files"] >= 3 * report["matches"] - 3


def test_manual_changes_are_reported_and_scores_corrected(league: PlayedLeague) -> None:
    database = league.app.state.database
    before = league.get("/tournament/seasons/open/leaderboard")
    with database.transaction() as session:
        teams = session.scalars(select(Season).where(Season.name == "teams")).one()
        pools = {pool.name: pool.id for pool in teams.pools}
        team = session.scalars(select(Team).where(Team.pool_id == pools["team-round-1"], Team.eliminated)).one()
        team.eliminated = False
        member = session.scalars(select(PoolPlayer).where(PoolPlayer.pool_id == pools["sample-1"])).first()
        assert member is not None
        member.retired = True
        players = select(MatchPlayer).join(Match).join(Pool).join(Season)
        player = session.scalars(players.where(Season.name == "open", Pool.name == "competition")).first()
        assert player is not None
        player.score = (player.score or 0.0) + 100.0
    assert {finding["kind"] for finding in recompute(league, "teams")["findings"]} == {"team", "member"}
    report = recompute(league, "open")
    assert "score" in {finding["kind"] for finding in report["findings"]}
    mended = recompute(league, "open", check=False)
    assert mended["repaired"] == 1 and recompute(league, "open")["findings"] == []
    assert league.get("/tournament/seasons/open/leaderboard") == before
    with database.transaction() as session:
        session.get_one(Team, team.id).eliminated = True
        session.get_one(PoolPlayer, member.id).retired = False
    assert recompute(league)["findings"] == []


def test_the_command_reports_its_findings(league: PlayedLeague, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(league.tokens["admin"])
    line = [sys.executable, "-m", "observatory", "admin", "--server", league.url, "--token-file", str(token)]
    run = subprocess.run([*line, "recompute", "--check"], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0 and "no differences" in run.stdout, run.stderr
    rolled = subprocess.run([*line, "season", "roll", "teams"], capture_output=True, text=True, check=False, timeout=60)
    assert rolled.returncode == 0 and "new version 2" in rolled.stdout, rolled.stderr
    # Those who had entered are in the new version, which hides another seed.
    assert len(league.get("/tournament/seasons/teams/policies")) == 3
    assert league.get("/tournament/seasons/teams")["seed"] is None
    assert league.get("/tournament/seasons/teams:v1")["seed"] is not None
