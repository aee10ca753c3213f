"""Rounds, pools and tables of divisions that tests put into the database; lists in pages."""

from __future__ import annotations

import math
import statistics
import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from observatory.database.tables.leagues import Division
from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    EpisodeSeat,
    RequestSource,
)
from packages.observatory.tests.leagues.field import Field, raw


def episode(
    field: Field, owner: Any, coworld: str, round_id: str, scores: dict[uuid.UUID, float], **columns: Any
) -> None:
    values = {"status": EpisodeRequestStatus.COMPLETED, "variant_id": "small"}
    with field.world.database.transaction() as session:
        row = EpisodeRequest(
            source=RequestSource.ROUND,
            user_id=owner.user_id,
            coworld_id=raw(coworld),
            round_id=raw(round_id),
            number=0,
            game_config={},
            tags={},
            revision=0,
            created_at=field.world.clock(),
            **(values | columns),
        )
        session.add(row)
        session.flush()
        for position, (version, score) in enumerate(scores.items()):
            session.add(
                EpisodeSeat(episode_request_id=row.id, position=position, policy_version_id=version, score=score)
            )


def test_a_league_without_rounds_answers_every_question(
    client: TestClient, field: Field, ada: Any, league: str
) -> None:
    division = field.division(league)
    empty: dict[str, Any] = {"entries": [], "next_cursor": None, "total_count": 0, "limit": 25, "offset": 0}
    assert client.get("/v2/rounds").json() == empty
    assert client.get("/v2/pools").json() == []
    assert client.get(f"/v2/divisions/{division}/leaderboard").json() == []
    assert client.get(f"/v2/divisions/{division}/leaderboards").json() is None
    assert client.get(f"/v2/rounds/round_{uuid.uuid4()}").status_code == 404
    answer = client.post(f"/v2/divisions/{division}/power-analysis", json={}, headers=ada.headers).json()
    assert answer["anchor"] is None and "No completed episodes" in answer["note"]
    assert answer["window"]["rounds"] == 0 and answer["window"]["oldest_round_at"]
    assert answer["modes"]["default"]["flags"] == ["no_usable_history"]
    assert {row["blended_n_per_arm"] for row in answer["table"]} == {None}


def test_rounds_have_results_one_pool_and_numbers_for_old_clients(
    client: TestClient, field: Field, ada: Any, bob: Any, clock: Any, league: str
) -> None:
    division = field.division(league)
    first, second = field.world.version(ada), field.world.version(bob)
    field.submit(bob, league, second)
    rounds = []
    for scores in ({first: 1.0, second: 3.0}, {first: 4.0, second: 2.0}, {first: 5.0}):
        clock.advance(60)
        rounds.append(field.round(division, scores))
    page = client.get("/v2/rounds", params={"limit": 2}).json()
    assert [row["id"] for row in page["entries"]] == rounds[:0:-1]
    assert (page["total_count"], page["limit"], page["offset"]) == (3, 2, 0)
    rest = client.get("/v2/rounds", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert [row["id"] for row in rest["entries"]] == rounds[:1] and rest["next_cursor"] is None
    older = client.get("/v2/rounds", params={"limit": 2, "offset": 2}).json()
    assert [row["id"] for row in older["entries"]] == rounds[:1] and older["offset"] == 2
    assert client.get("/v2/rounds", params={"status": "running"}).json()["total_count"] == 0
    assert client.get("/v2/rounds", params={"division_id": division}).json()["total_count"] == 3
    assert client.get("/v2/rounds", params={"league_id": league}).json()["total_count"] == 3
    detail = client.get(f"/v2/rounds/{rounds[0]}").json()
    assert [(row["rank"], row["score"], row["player"]["name"]) for row in detail["results"]] == [
        (1, 3.0, "bob"),
        (2, 1.0, "ada"),
    ]
    [pool] = detail["pools"]
    assert pool["id"] == f"pool_{raw(rounds[0])}" and pool["coworld_id"].startswith("cow_")
    assert client.get("/v2/pools", params={"round_id": rounds[0]}).json() == [pool]
    assert [row["round_id"] for row in client.get("/v2/pools").json()] == rounds[::-1]
    entries = client.get(f"/v2/pools/{pool['id']}").json()["entries"]
    assert {entry["policy_version"]["id"] for entry in entries} == {str(first), str(second)}
    assert sum(entry["league_policy_membership_id"] is not None for entry in entries) == 1
    # Tables: means of rounds, until a commissioner publishes its own.
    path = f"/v2/divisions/{division}/leaderboard"
    table = client.get(path, params={"include_recent_rounds": "true"}).json()
    assert [(row["rank"], row["player_name"], row["rounds_played"]) for row in table] == [(1, "ada", 3), (2, "bob", 2)]
    assert table[0]["score"] == table[0]["avg_score"] == pytest.approx(10 / 3) and table[0]["score_label"]
    assert [recent["id"] for recent in table[0]["recent_rounds"]] == rounds[::-1]
    assert client.get(path).json()[0]["recent_rounds"] is None
    two = client.get(path, params={"include_recent_rounds": 2}).json()  # as older clients ask
    assert [recent["id"] for recent in two[0]["recent_rounds"]] == rounds[:0:-1]
    board = client.get(f"/v2/divisions/{division}/leaderboards").json()
    assert board["views"][0]["rows"][0]["policy_version_ids"] == [str(first)]


@pytest.mark.any_database
def test_a_published_table_is_shown_by_its_headline_column(
    client: TestClient, field: Field, bob: Any, league: str
) -> None:
    division = field.division(league)
    version = field.world.version(bob)
    field.round(division, {version: 2.0})
    player = client.get(f"/v2/divisions/{division}/leaderboard").json()[0]["player_id"]
    row = {"subject_id": player, "values": {"rank": 1, "rating": 1516.5}, "policy_version_ids": []}
    columns = [
        {"key": "rank", "value_type": "integer", "sort": "asc"},
        {"key": "rating", "label": "Elo", "value_type": "number", "sort": "desc"},
    ]
    view = {"key": "elo", "axis_values": {}, "columns": columns, "rows": [row]}
    with field.world.database.transaction() as session:
        board = {"default_view_key": "elo", "axes": [], "views": [view]}
        session.get_one(Division, raw(division)).leaderboards = board
    [entry] = client.get(f"/v2/divisions/{division}/leaderboard").json()
    assert (entry["score"], entry["score_label"], entry["player_name"]) == (1516.5, "Elo", "bob")
    assert (entry["mean_round_score"], entry["rounds_played"]) == (2.0, 1)


def test_a_power_analysis_follows_its_formula(client: TestClient, field: Field, ada: Any, bob: Any, clock: Any) -> None:
    coworld = field.coworld(ada)
    league = field.seed(ada)["league_id"]
    division = field.division(league)
    first, second = field.world.version(ada, "alpha"), field.world.version(bob, "beta")
    for account, version in ((ada, first), (bob, second)):
        assert field.submit(account, league, version).status_code == 200
    round_ = field.round(division, {first: 1.0, second: 0.0})
    outcomes = [1.0] * 30 + [0.0] * 18 + [0.5] * 2
    for outcome in outcomes:
        episode(field, ada, coworld, round_, {first: outcome, second: 1 - outcome})
    episode(field, ada, coworld, round_, {}, status=EpisodeRequestStatus.FAILED)
    path = f"/v2/divisions/{division}/power-analysis"
    body = {"policy_ref": "alpha:v1", "elo_grid": [50], "alpha": 0.05, "power": 0.8}
    answer = client.post(path, json=body, headers=bob.headers).json()
    mode = answer["modes"]["small"]
    assert (mode["wins"], mode["losses"], mode["ties_mutual_loss"], mode["flags"]) == (30, 18, 2, [])
    p, variance = statistics.fmean(outcomes), statistics.pvariance(outcomes)
    assert mode["operating_point"] == pytest.approx(p) and mode["score_variance"] == pytest.approx(variance)
    shift = 1 / (1 + (1 - p) / p * 10 ** (-50 / 400)) - p
    needed = math.ceil(2 * variance * (1.959963984540054 + 0.8416212335729143) ** 2 / shift**2)
    [row] = answer["table"]
    assert row["per_mode_n_per_arm"] == {"small": needed} and row["blended_n_per_arm"] == needed
    assert answer["anchor"] == {"policy_ref": "alpha:v1", "policy_version_id": str(first)}
    assert answer["mode_mix"]["fractions"] == {"small": 1.0} and answer["window"]["episodes_scanned"] == 51
    game = client.get(f"/v2/leagues/{league}").json()["game"]["id"]
    page = client.get(f"/v2/games/{game}/episodes", params={"limit": 100}).json()
    assert {(row["status"], row["round_id"]) for row in page["entries"]} == {("completed", round_)}
    assert len(page["entries"]) == 50 and page["next_cursor"] is None
    pooled = client.post(path, json={}, headers=bob.headers).json()
    assert pooled["anchor"] is None and pooled["modes"]["small"]["operating_point"] == pytest.approx(0.5)
    for wrong in ("gamma", "alpha:v2", "alpha:vx"):
        answer = client.post(path, json={"policy_ref": wrong}, headers=bob.headers)
        assert answer.status_code == 400 and wrong in answer.json()["detail"]
    extreme = {"alpha": 1e-9, "power": 1 - 1e-9, "elo_grid": [0.1, 4000]}
    assert client.post(path, json=extreme, headers=bob.headers).json()["table"][0]["blended_n_per_arm"] > 10**8
    assert client.post(path, json={"alpha": 1e-300}, headers=bob.headers).status_code == 422
    assert client.post(path, json={}).status_code == 401


PAGES = st.lists(st.integers(0, 4), min_size=1, max_size=6)


@pytest.mark.any_database
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(new_rows=PAGES, limit=st.integers(1, 3))
@pytest.mark.parametrize("kind", ["rounds", "memberships", "submissions", "events"])
def test_pages_stay_in_place_while_rows_are_added(
    client: TestClient, field: Field, admin: Any, kind: str, new_rows: list[int], limit: int
) -> None:
    """A reader gets every row that was there at the start once, newest first, and none that came later."""
    field.numbers += 1
    league = field.league(admin, f"{kind} {field.numbers}")
    division = field.division(league, admin.headers)
    paths = {
        "rounds": "/v2/rounds",
        "memberships": "/v2/league-policy-memberships",
        "submissions": "/v2/league-submissions",
        "events": "/v2/competition-events",
    }

    def add() -> None:
        if kind == "rounds":
            field.round(division)  # several have the same time
        else:
            field.enter(admin, league, auto_champion="never")

    def page(cursor: str | None) -> tuple[list[str], str | None]:
        query: dict[str, Any] = {"league_id": league, "limit": limit, **({"cursor": cursor} if cursor else {})}
        answer = client.get(paths[kind], params=query)
        assert answer.status_code == 200, answer.text
        if kind == "rounds":
            return [row["id"] for row in answer.json()["entries"]], answer.json()["next_cursor"]
        return [row["id"] for row in answer.json()], answer.headers.get("x-next-cursor")

    for _ in range(len(new_rows)):
        add()
    everything = client.get(paths[kind], params={"league_id": league, "limit": 200}).json()
    expected = [row["id"] for row in (everything["entries"] if kind == "rounds" else everything)]
    seen, cursor = page(None)
    for number in [*new_rows, *[0] * len(expected)]:
        if cursor is None:
            break
        for _ in range(number % 2):
            add()
        rows, cursor = page(cursor)
        seen += rows
    assert cursor is None and seen == expected


@pytest.mark.any_database
def test_a_cursor_of_another_list_is_refused(client: TestClient, field: Field, bob: Any, league: str) -> None:
    field.enter(bob, league)
    field.enter(bob, league)
    cursor = client.get("/v2/league-submissions", params={"limit": 1}).headers["x-next-cursor"]
    answer = client.get("/v2/league-policy-memberships", params={"cursor": cursor})
    assert answer.status_code == 422 and "cursor" in answer.json()["detail"]
