"""The calls that the published client makes, replayed against our server: every one of them is answered.

The notes are ours, from watching the published client talk to a stand-in; `make compat` runs that client itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter

from packages.observatory.tests.world import bundle
from softmax import wire as models
from tests.league import League, filled, published_calls, running_league

NOTES = published_calls()
SHAPES: list[tuple[str, Any]] = [
    ("GET /whoami", models.WhoAmIResponse),
    ("GET /api/whoami", models.WhoAmIResponse),
    ("GET /tournament/seasons", list[models.SeasonSummary]),
    ("GET /tournament/seasons/{season}", models.SeasonDetail),
    ("GET /tournament/seasons/{season}/versions", list[models.SeasonVersionInfo]),
    ("GET /tournament/seasons/{team_season}/stages", list[models.StageStats]),
    ("GET /tournament/seasons/{team_season}/progress", models.TeamTournamentProgress),
    ("GET /tournament/seasons/{season}/leaderboard", list[models.LeaderboardEntry]),
    ("GET /tournament/seasons/{season}/matches", list[models.MatchResponse]),
    ("GET /tournament/seasons/{season}/policies", list[models.PolicySummary]),
    ("GET /tournament/seasons/{season}/pools/competition/config", models.PoolConfigInfo),
    ("GET /tournament/seasons/{team_season}/teams", list[models.TeamSummary]),
    ("GET /tournament/seasons/{team_season}/leaderboard/team/team-round-1", list[models.TeamSummary]),
    (
        "GET /tournament/seasons/{team_season}/score-policies-leaderboard",
        list[models.ScorePoliciesLeaderboardEntry],
    ),
    ("GET /tournament/matches/{match}", models.MatchResponse),
    ("GET /stats/policy-versions", models.PolicyVersionsResponse),
    ("GET /episodes", list[models.EpisodeResponse]),
    ("GET /episodes/{episode}", models.EpisodeResponse),
    ("GET /assay/runs", list[models.AssayRunResponse]),
    ("GET /assay/runs/{run}", models.AssayRunResponse),
    ("GET /assay/runs/{run}/results", models.AssayResultsResponse),
    ("GET /players", list[models.PlayerResponse]),
    ("POST /players/{player}/login", models.PlayerLoginResponse),
    ("POST /stats/policies/submit/presigned-url", models.PresignedUploadUrlResponse),
    ("POST /stats/policies/submit/complete", models.PolicyVersionResponse),
    ("POST /tournament/seasons/{season}/submissions", models.SubmitResponse),
]


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    with running_league(tmp_path_factory.mktemp("league")) as running:
        yield running


def replay(league: League, http: httpx.Client, call: dict[str, Any]) -> httpx.Response:
    """Make a noted call; what later calls need of the answer is kept under its name."""
    names = league.names
    method, _, address = filled(call["ask"], names).partition(" ")
    headers = {
        "token": {"X-Auth-Token": names["token"]},
        "bearer": {"Authorization": f"Bearer {names['token']}"},
        "none": {},
    }[call["auth"]]
    content: dict[str, Any] = {}
    if call.get("body") == "{bundle}":
        content = {"content": bundle({"my_policy.py": ""}), "headers": {**headers, "Content-Type": "application/zip"}}
    else:
        content = {"headers": headers}
        if "body" in call:
            content["json"] = json.loads(filled(json.dumps(call["body"]), names))
    response = http.request(method, address, follow_redirects=call["ask"] == "GET {replay_url}", **content)
    if call["ask"].endswith("/presigned-url"):
        names |= {"upload_url": response.json()["upload_url"], "upload": response.json()["upload_id"]}
    if call["ask"].endswith("/submit/complete"):
        names["sent"] = response.json()["id"]
    if "/stats/policy-versions?" in call["ask"] and response.is_success:
        names["looked_up"] = next((row["id"] for row in response.json()["entries"]), "none")
    return response


def test_every_noted_call_is_answered(league: League) -> None:
    shapes = {filled(ask, league.names): shape for ask, shape in SHAPES}
    seen = set()
    with league.http() as http:
        for note in NOTES:
            for call in note["calls"]:
                response = replay(league, http, call)
                context = (note["command"], call["ask"], response.status_code, response.text[:300])
                assert response.is_success, context
                shape = shapes.get(filled(call["ask"], league.names).partition("?")[0])
                if shape is not None:
                    TypeAdapter(shape).validate_json(response.content)
                    seen.add(shape)
                assert "hidden" not in response.text, context
    assert {shape for _, shape in SHAPES} == seen
