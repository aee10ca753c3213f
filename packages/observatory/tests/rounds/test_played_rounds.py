"""A real worker plays two rounds of Paint Arena between policies of users; every client reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.requests.conftest import archive
from packages.observatory.tests.rounds.conftest import Yard
from softmax.wire.leagues import (
    CompetitionDivision,
    CompetitionEventRow,
    CompetitionMembership,
    CompetitionPoolDetail,
    CompetitionRoundDetail,
    CompetitionRoundPage,
    CompetitionSubmission,
    DivisionLeaderboardEntry,
)

pytestmark = pytest.mark.any_database

# Repeats a few moves.
PLAYER = """
import json, os
from websockets.sync.client import connect

with connect(os.environ["COWORLD_PLAYER_WS_URL"], open_timeout=30) as game:
    for number, message in enumerate(game):
        if json.loads(message)["done"]:
            break
        game.send(json.dumps({"move": MOVES[number % len(MOVES)]}))
"""
SIDE_FILE = json.dumps({"images": {"mine": {"argv": ["python", "player.py"]}}})
MOVES = {"painter": ["right", "down", "left", "down"], "idler": ["stay"]}


def test_a_worker_plays_two_rounds_and_every_client_shows_them(
    yard: Yard, server: Any, client: TestClient, clock: Any
) -> None:
    yard.start({"scheduler": {"strategy": "swiss_neighbor", "min_episodes_per_entrant": 1}}, round_interval_minutes=5)
    with_variant = {"overrides": {}, "default_variant_id": "quick-small"}
    seeds = yard.call("GET", "/v2/coworld-league-seeds")
    yard.call("PATCH", f"/v2/coworld-league-seeds/{seeds[0]['id']}", with_variant)
    for name, moves in MOVES.items():
        user = yard.account(name)
        program = f"MOVES = {moves!r}\n{PLAYER}"
        version = yard.arena.policy(user, name, bundle=archive({"player.py": program, "coworld_local.json": SIDE_FILE}))
        body = {"league_id": yard.league, "policy_version_id": str(version)}
        assert client.post("/v2/league-submissions", json=body, headers=user.headers).status_code == 200
    worker = HttpJobClient(server.url, yard.token)
    for _ in range(2):
        yard.check()
        Worker(worker, "worker", minimum="namespaces").run(once=True)
        yard.check()
        clock.advance(301)
    worker.close()
    rounds = yard.rounds()
    assert [(row["round_number"], row["status"]) for row in rounds] == [(2, "completed"), (1, "completed")]
    assert [row["player"]["name"] for row in rounds[0]["results"]] == ["painter", "idler"]
    table = yard.table()
    assert [name for _, name, _ in table] == ["painter", "idler"] and table[0][2] > 1516 > 1484 > table[1][2]
    _check_models(yard, client)


def _check_models(yard: Yard, client: TestClient) -> None:
    """Read what both generations of clients read, with the headers of each."""
    token = yard.owner.headers["X-Auth-Token"]
    for headers in ({"X-Auth-Token": token}, {"Authorization": f"Bearer {token}", "User-Agent": "coworld/0.1.64"}):

        def read(path: str, headers: dict[str, str] = headers, **query: Any) -> Any:
            answer = client.get(path, params=query, headers=headers)
            assert answer.status_code == 200, answer.text
            return answer.json()

        page = CompetitionRoundPage.model_validate(read("/v2/rounds", league_id=yard.league))
        assert (page.total_count, len(page.entries)) == (2, 2)
        detail = CompetitionRoundDetail.model_validate(read(f"/v2/rounds/{page.entries[0].id}"))
        assert [result.rank for result in detail.results] == [1, 2]
        [pool] = read("/v2/pools", round_id=detail.id)
        assert len(CompetitionPoolDetail.model_validate(read(f"/v2/pools/{pool['id']}")).entries) == 2
        [division] = read("/v2/divisions", league_id=yard.league)
        division_id = CompetitionDivision.model_validate(division).id
        rows = read(f"/v2/divisions/{division_id}/leaderboard", include_recent_rounds="true")
        entries = [DivisionLeaderboardEntry.model_validate(row) for row in rows]
        assert [(entry.score_label, entry.rounds_played) for entry in entries] == [("Elo", 2), ("Elo", 2)]
        members = read("/v2/league-policy-memberships", league_id=yard.league, active_only="true")
        assert all(CompetitionMembership.model_validate(row).is_champion for row in members) and len(members) == 2
        events = [CompetitionEventRow.model_validate(row) for row in read("/v2/competition-events")]
        assert [event.event_type for event in events].count("round_completed") == 2
        submissions = read("/v2/league-submissions", league_id=yard.league)
        assert {CompetitionSubmission.model_validate(row).status for row in submissions} == {"placed"}
        episodes = read(f"/v2/rounds/{detail.id}/episode-requests")["entries"]
        assert [episode["status"] for episode in episodes] == ["completed"]
