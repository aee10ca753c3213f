"""Data of the pages: seasons, tables with intervals, matches, policies and the queue."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import delete

from observatory.database.tables.matches import Match, MatchPlayer
from observatory.database.tables.seasons import Season
from packages.observatory.tests.world import TEAM, World

API = "/observatory/api"


@pytest.fixture
def played(world: World, clock, ada, bob) -> dict[str, Any]:
    """An open season in which `first` and `second` met on three maps, and `third` waits."""
    world.season()
    first, second, third = world.version(ada, "first"), world.version(bob, "second"), world.version(ada, "third")
    rewards = [(1.0, 2.0), (2.0, 4.0), (3.0, 3.0)]
    matches = []
    for sample, (first_reward, second_reward) in enumerate(rewards):
        clock.advance(60)
        match = world.match("open", "competition", [(first, 2), (second, 2)], repetition=sample)
        world.play(match, [first_reward, first_reward, second_reward, second_reward])
        matches.append(match)
    waiting = world.match("open", "competition", [(first, 2), (third, 2)])
    return {"first": first, "second": second, "third": third, "matches": matches, "waiting": waiting}


def test_a_season_card_has_its_numbers_and_its_leader(client: TestClient, played) -> None:
    [card] = client.get(f"{API}/seasons").json()
    assert (card["name"], card["entrants"], card["active_entrants"]) == ("open", 3, 3)
    assert (card["matches"], card["running"], card["waiting"], card["failed"]) == (3, 0, 1, 0)
    assert card["leader"]["policy"]["name"] == "second" and card["leader"]["score"] == 3.0
    assert card["leader"]["policy"]["author"] == "bob"


def test_a_table_row_has_its_uncertainty(client: TestClient, played) -> None:
    table = client.get(f"{API}/seasons/open/table").json()
    published = client.get("/tournament/seasons/open/leaderboard").json()
    assert [(row["policy"]["name"], row["score"]) for row in table["rows"]] == [
        (row["policy"]["name"], row["score"]) for row in published
    ]
    assert (table["pool"], table["kind"], table["maps"], table["matches"]) == ("competition", "scores", 3, 3)
    best, second = table["rows"]
    # Three maps, 2, 4 and 3: mean 3, standard error 1 / sqrt(3), t of two degrees 4.3027. Each has met one of the two
    # others it is to meet: nothing can be said about the other one.
    assert best["low"] is None and second["rank_low"] is None
    assert best["trend"] == pytest.approx(0.0) and second["trend"] == pytest.approx(0.5)
    assert best["vor"] is None  # there was no match without it
    assert best["matches"] == 3 and best["active"] is True and best["failing"] is False


def test_the_interval_covers_only_maps_when_all_opponents_were_met(client: TestClient, world: World, ada) -> None:
    world.season()
    first, second = world.version(ada, "first"), world.version(ada, "second")
    for sample, (first_reward, second_reward) in enumerate([(1.0, 2.0), (2.0, 4.0), (3.0, 3.0)]):
        world.play(
            world.match("open", "competition", [(first, 2), (second, 2)], repetition=sample),
            [first_reward, first_reward] + [second_reward] * 2,
        )
    best = client.get(f"{API}/seasons/open/table").json()["rows"][0]
    assert best["low"] == pytest.approx(3 - 4.3027 / 3**0.5, abs=1e-3)
    assert best["high"] == pytest.approx(3 + 4.3027 / 3**0.5, abs=1e-3)
    assert (best["rank_low"], best["rank_high"]) == (1, 2)


def test_one_match_or_equal_results_have_no_interval(client: TestClient, world: World, ada) -> None:
    world.season()
    version = world.version(ada)
    world.play(world.match("open", "qualifying", [(version, 4)]), [1.0] * 4)
    for sample in (1, 2):
        [row] = client.get(f"{API}/seasons/open/table?pool=qualifying").json()["rows"]
        assert row["score"] == 1.0 and row["low"] is None and row["high"] is None
        world.play(world.match("open", "qualifying", [(version, 4)], repetition=sample), [1.0] * 4)


def test_failures_are_shown_at_the_policy_at_fault(client: TestClient, world: World, played) -> None:
    failed = world.match("open", "competition", [(played["first"], 2), (played["second"], 2)], repetition=5)
    world.fail(failed, "it broke")
    rows = {row["policy"]["name"]: row for row in client.get(f"{API}/seasons/open/table").json()["rows"]}
    assert (rows["first"]["failed"], rows["first"]["failing"]) == (1, True)
    assert (rows["second"]["failed"], rows["second"]["failing"]) == (0, False)
    page = client.get(f"{API}/matches/{failed}").json()
    assert page["status"] == "failed" and [player["to_blame"] for player in page["players"]] == [True, False]
    policy = client.get(f"{API}/policies/{played['first']}").json()
    assert [line["error"] for line in policy["failures"]] == ["it broke"]
    assert client.get(f"{API}/policies/{played['second']}").json()["failures"] == []


def test_my_entries_have_state_last_event_and_reason(client: TestClient, played, ada, bob) -> None:
    assert client.get(f"{API}/seasons/open").json()["my_entries"] == []
    third, first = client.get(f"{API}/seasons/open", headers=ada.headers).json()["my_entries"]
    assert (first["policy"]["name"], first["state"], first["place"]) == ("first", "queued", 1)
    assert (first["rank"], first["score"], first["completed"]) == (2, 2.0, 3)
    assert third["state"] == "queued" and third["rank"] is None and third["last_event"] == "A match was queued"
    [second] = client.get(f"{API}/seasons/open", headers=bob.headers).json()["my_entries"]
    assert second["state"] == "waiting" and second["place"] is None and second["last_event"] == "Played a match"
    assert all(entry["why"] for entry in (first, second, third))


def test_matches_come_in_pages_along_a_cursor(client: TestClient, played) -> None:
    read_ids: list[str] = []
    cursor = None
    while True:
        query = f"limit=3{f'&cursor={cursor}' if cursor else ''}"
        answer = client.get(f"{API}/seasons/open/matches?{query}")
        page = answer.json()
        assert page["total"] == 4 and answer.headers["X-Total-Count"] == "4"
        read_ids += [row["id"] for row in page["rows"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert read_ids == [str(played["waiting"]), *(str(match) for match in reversed(played["matches"]))]

    def ids(query: str) -> list[str]:
        return [row["id"] for row in client.get(f"{API}/seasons/open/matches?{query}").json()["rows"]]

    assert ids("status=waiting") == ids(f"policy={played['third']}") == [str(played["waiting"])]
    assert ids("pool=qualifying") == ids("status=failed") == []
    assert client.get(f"{API}/seasons/open/matches?cursor=nonsense").status_code == 400
    assert client.get(f"{API}/seasons/open/matches?status=odd").status_code == 422


def test_a_match_page_has_its_replay_and_keeps_the_seed_until_the_end(
    client: TestClient, app: FastAPI, played, ada, clock
) -> None:
    match = played["matches"][0]
    page = client.get(f"{API}/matches/{match}", headers=ada.headers).json()
    assert page["status"] == "completed" and page["seed"] is None and page["steps"] == 10
    assert page["rewards"] == [1.0, 1.0, 2.0, 2.0] and page["assignments"] == [0, 0, 1, 1]
    replay = f"/episodes/{page['episode_id']}/replay.json.z"  # wherever the page was opened
    assert page["replay_url"] == replay and page["viewer_url"].startswith("/observatory/viewer/?replay=%2Fepisodes")
    sent_on = client.get(replay, follow_redirects=False)
    assert sent_on.status_code == 307 and sent_on.headers["location"].startswith("/store/")
    assert page["my_policies"] == [str(played["first"])] and page["worker"] is None
    assert client.get(f"{API}/matches/{match}").json()["my_policies"] == []
    with app.state.database.transaction() as session:
        season = session.query(Season).one()
        seed, season.completed_at = season.seed, clock()
    assert client.get(f"{API}/matches/{match}").json()["seed"] == "42"
    assert client.get(f"{API}/seasons/open").json()["seed"] == str(seed)


def test_a_policy_page_has_history_points_and_opponents(client: TestClient, world: World, played, ada) -> None:
    newer = world.version(ada, "first")
    page = client.get(f"{API}/policies/{played['first']}", headers=ada.headers).json()
    assert [line["id"] for line in page["versions"]] == [str(newer), str(played["first"])]
    assert page["versions"][1]["seasons"] == ["open"] and page["mine"] is True
    assert [line["action"] for line in page["history"]] == ["add"]
    assert [point["match_score"] for point in page["points"]] == [1.0, 2.0, 3.0]
    assert [point["score"] for point in page["points"]] == [1.0, 1.5, 2.0]
    [row] = page["head_to_head"]
    assert (row["opponent"]["name"], row["matches"], row["difference"]) == ("second", 3, -1.0)
    assert row["low"] < -1.0 < row["high"]
    [place] = page["seasons"]
    assert (place["season"], place["pool"], place["rank"], place["of"]) == ("open", "competition", 2, 2)
    assert client.get(f"{API}/policies/{played['first']}").json()["mine"] is False
    assert client.get(f"{API}/policies/{uuid.uuid4()}").status_code == 404


def test_the_queue_shows_running_and_waiting_matches_with_reasons(
    client: TestClient, world: World, played, ada, admin
) -> None:
    queue = client.get(f"{API}/queue").json()
    assert queue["running"] == [] and queue["queued_total"] == 1
    [waiting] = queue["queued"]
    assert (waiting["place"], waiting["kind"], waiting["match"]["id"]) == (1, "match", str(played["waiting"]))
    assert waiting["why"] == "Waits for a worker; none is connected"
    hidden = world.season(name="hidden", public=False, is_default=False)
    world.match(hidden, "competition", [(played["first"], 2), (played["second"], 2)])
    queue = client.get(f"{API}/queue", headers=ada.headers).json()
    entries = [(entry["kind"], entry["match"] is None) for entry in queue["queued"]]
    assert entries == [("private", True), ("match", False)], "the new season has had no time of workers"
    shares = [(line["title"], line["share"], line["waiting"]) for line in queue["shares"]]
    assert shares == [("A private season or league", 0.5, 1), ("Open", 0.5, 1)]
    assert queue["shares"][0]["ahead_seconds"] == 0 < queue["shares"][1]["ahead_seconds"]
    staff = client.get(f"{API}/queue", headers=admin.headers).json()
    assert [entry["match"]["season"] for entry in staff["queued"]] == ["hidden", "open"]
    assert staff["shares"][0]["url"] == "/observatory/seasons/hidden"


def test_private_seasons_are_hidden_from_others(client: TestClient, world: World, ada, admin) -> None:
    season = world.season(name="hidden", public=False)
    version = world.version(ada)
    match = world.match(season, "competition", [(version, 4)])
    world.play(match, [1.0] * 4)
    for path in (
        "seasons/hidden",
        "seasons/hidden/table",
        "seasons/hidden/teams",
        "seasons/hidden/matches",
        f"matches/{match}",
    ):
        for headers in ({}, ada.headers):
            assert client.get(f"{API}/{path}", headers=headers).status_code == 404, path
        assert client.get(f"{API}/{path}", headers=admin.headers).status_code == 200, path
    assert client.get(f"{API}/seasons").json() == []
    page = client.get(f"{API}/policies/{version}", headers=ada.headers).json()
    assert page["seasons"] == page["history"] == page["points"] == [] and page["mean_seconds"] is None
    assert page["versions"][0]["seasons"] == []
    assert client.get(f"{API}/policies/{version}", headers=admin.headers).json()["season"] == "hidden"


def test_teams_and_placements_of_a_team_season(client: TestClient, world: World, ada) -> None:
    world.season(TEAM)
    first, second, third = (world.version(ada, name) for name in ("first", "second", "third"))
    out = world.team("teams", "team-round-1", [first, third], score=1.0, eliminated=True)
    for sample, reward in enumerate((1.0, 3.0)):
        match = world.match("teams", "team-round-1", [(first, 2), (third, 2)], team=out, repetition=sample)
        world.play(match, [reward] * 4)
    for members, score in (([first, second], 5.0), ([first, third], 4.0)):
        world.team("teams", "team-round-2", members, score=score)
    world.enter("teams", "policy-scores-1", [first, second, third])
    teams = client.get(f"{API}/seasons/teams/teams").json()
    assert teams["total"] == 3 and [row["rank"] for row in teams["rows"]] == [1, 2, 1]
    lost = teams["rows"][2]
    assert lost["eliminated"] and lost["matches"] == 2 and lost["low"] < 2.0 < lost["high"]
    assert [member["name"] for member in lost["members"]] == ["first", "third"]
    table = client.get(f"{API}/seasons/teams/table").json()
    assert table["kind"] == "placements" and table["lower_is_better"] is True
    assert [(row["policy"]["name"], row["score"], row["team_ranks"]) for row in table["rows"]] == [
        ("first", 3.0, [1, 2]),
        ("second", 4.0, [1]),
        ("third", 5.0, [2]),
    ]
    # With `second` the teams score 5, without it 4; `first` is in all of them.
    assert [row["vor"] for row in table["rows"]] == [None, 1.0, -1.0]
    stages = client.get(f"{API}/seasons/teams").json()["stages"]
    assert [stage["kind"] for stage in stages][-1] == "placements" and stages[-1]["state"] == "complete"
    assert client.get(f"{API}/seasons").json()[0]["leader"] is not None


def test_a_table_is_updated_with_new_matches_and_rebuilt_after_removals(
    client: TestClient, app: FastAPI, world: World, played
) -> None:
    def scores() -> list[float]:
        return [row["score"] for row in client.get("/tournament/seasons/open/leaderboard").json()]

    assert scores() == [3.0, 2.0]
    world.play(world.match("open", "competition", [(played["first"], 2), (played["second"], 2)], repetition=7), [6] * 4)
    assert scores() == [3.75, 3.0]
    with app.state.database.transaction() as session:
        session.execute(delete(MatchPlayer).where(MatchPlayer.match_id == played["matches"][0]))
        session.execute(delete(Match).where(Match.id == played["matches"][0]))
    assert scores() == [pytest.approx(13 / 3), pytest.approx(11 / 3)]
