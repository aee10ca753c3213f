"""Rounds of a league on the platform ladder, from the due check to the table."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import select

from observatory.database import Database
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import LadderRating, League, Round
from observatory.database.tables.requests import EpisodeRequest
from observatory.job_states import JobStatus
from observatory.rounds.loop import LeagueLoop
from packages.observatory.tests.leagues.field import raw
from packages.observatory.tests.rounds.conftest import Yard, alphabetical, blames

BROKEN = {"error_type": "worker_error", "message": "the machine lost power"}


def test_a_league_plays_rounds_by_itself_and_everyone_sees_them(yard: Yard, clock: Any) -> None:
    yard.start(round_interval_minutes=10)
    yard.enter("ada", "bob", "carol")
    yard.check()
    [round_] = yard.rounds()
    assert (round_["status"], round_["round_number"], round_["round_config"]["episodes"]) == ("running", 1, 3)
    yard.check()
    assert yard.play(limit=2) == 2
    yard.check()
    assert yard.rounds()[0]["status"] == "running" and len(yard.rounds()) == 1
    assert yard.play() == 1
    yard.check()
    [round_] = yard.rounds()
    assert round_["status"] == "completed" and round_["completed_at"] is not None
    results = [(row["rank"], row["player"]["name"], row["score"]) for row in round_["results"]]
    assert results == [(1, "ada", 1.0), (2, "bob", 0.5), (3, "carol", 0.0)]
    metadata = round_["results"][0]["result_metadata"]
    assert (metadata["rating_before"], metadata["rating_after"], metadata["episodes"]) == (1500.0, 1516.0, 2)
    assert yard.table() == [(1, "ada", 1516.0), (2, "bob", 1500.0), (3, "carol", 1484.0)]
    board = yard.read(f"/v2/divisions/{yard.divisions()['Competition']}/leaderboards")
    [view] = board["views"]
    assert [column["key"] for column in view["columns"]][:5] == ["rank", "rating", "mean_score", "low", "high"]
    assert view["rows"][0]["values"]["settling"] is True and view["rows"][0]["values"]["low"] is None
    assert [len(yard.events(kind)) for kind in ("round_started", "round_completed", "rank_changed")] == [1, 1, 0]
    pool = yard.read(f"/v2/pools/pool_{raw(round_['id'])}")
    assert [entry["seed_order"] for entry in pool["entries"]] == [0, 1, 2]
    assert all(entry["league_policy_membership_id"] for entry in pool["entries"])
    page = yard.read(f"/v2/rounds/{round_['id']}/episode-requests")
    assert {row["status"] for row in page["entries"]} == {"completed"} and len(page["entries"]) == 3

    yard.check()
    assert len(yard.rounds()) == 1 and yard.why() == "The next round is not due yet"
    clock.advance(601)
    second = yard.round(lambda names: alphabetical(names)[::-1])  # the last name wins
    assert second["round_number"] == 2 and second["results"][0]["player"]["name"] == "carol"
    ranks = {event["player"]["name"]: event["payload"] for event in yard.events("rank_changed")}
    assert ranks["carol"]["from"] == 3 and ranks["carol"]["to"] < 3
    assert all(event["round_id"] == second["id"] for event in yard.events("rank_changed"))
    [view] = yard.read(f"/v2/divisions/{yard.divisions()['Competition']}/leaderboards")["views"]
    best = view["rows"][0]["values"]
    assert best["low"] < best["mean_score"] < best["high"] and best["rounds_played"] == 2


@pytest.mark.any_database
def test_a_pause_stops_new_rounds_and_a_trigger_skips_the_interval_once(yard: Yard, clock: Any) -> None:
    path = "/v2/leagues/{}"
    yard.start({"enabled": False})
    refused = yard.call("POST", f"{path.format(yard.league)}/trigger-round", status=409)
    assert "is off" in refused["detail"]
    yard.configure(round_interval_minutes=60)
    yard.enter("ada", "bob")
    yard.check()
    yard.call("POST", f"{path.format(yard.league)}/rounds-paused", {"paused": True})
    yard.play()
    yard.check()
    assert yard.rounds()[0]["status"] == "completed"  # what had begun ends
    refused = yard.call("POST", f"{path.format(yard.league)}/trigger-round", status=409)
    assert "paused" in refused["detail"]
    clock.advance(7200)
    yard.check()
    assert len(yard.rounds()) == 1 and yard.why() == "Rounds are paused"
    yard.call("POST", f"{path.format(yard.league)}/rounds-paused", {"paused": False})
    yard.round()
    assert len(yard.rounds()) == 2
    clock.advance(1)
    yard.check()
    assert len(yard.rounds()) == 2
    yard.call("POST", f"{path.format(yard.league)}/trigger-round")
    yard.check()
    assert len(yard.rounds()) == 3
    yard.play()
    clock.advance(1)
    yard.check()
    assert [row["status"] for row in yard.rounds()] == ["completed"] * 3  # once, not again
    with yard.world.database.transaction() as session:
        session.get_one(League, raw(yard.league)).disabled_at = clock()
    yard.world.database.changes.invalidate()
    clock.advance(7200)
    yard.check()
    assert len(yard.rounds()) == 3


@pytest.mark.any_database
def test_a_round_starts_when_a_champion_is_new(yard: Yard, clock: Any) -> None:
    yard.start({"round_trigger": "new_policy"})
    yard.enter("ada", "bob")
    yard.round()
    clock.advance(10_000)
    yard.check()
    assert len(yard.rounds()) == 1 and yard.why() == "No champion is new since the last round"
    yard.enter("ada")  # another version; it inherits the rating
    second = yard.round()
    before = {row["player"]["name"]: row["result_metadata"]["rating_before"] for row in second["results"]}
    assert before["ada"] > 1500 > before["bob"]


@pytest.mark.any_database
def test_machines_that_fail_are_retried_and_too_many_failures_abort_the_round(yard: Yard, clock: Any) -> None:
    yard.start({"fulfillment": {"allowed_failures": 0.4, "retry_times": 1}})
    yard.enter("ada", "bob", "carol")
    yard.check()
    yard.play(lambda names: BROKEN)
    yard.check()
    assert yard.rounds()[0]["status"] == "running" and len(_episodes(yard)) == 6
    assert sorted(row.number for row in _episodes(yard)) == [0, 0, 1, 1, 2, 2]
    yard.play(limit=2)
    yard.play(lambda names: BROKEN)  # the third stays failed: one of three is allowed
    yard.check()
    first = yard.rounds(status="completed")[0]
    assert first["status"] == "completed"
    with yard.world.database.read() as session:
        log = session.get_one(Round, raw(first["id"])).log
        assert log is not None and [entry is None for entry in log].count(True) == 1
    yard.check()
    for _ in range(2):
        yard.play(lambda names: BROKEN)
        yard.check()
    second = yard.rounds()[0]
    assert (second["round_number"], second["status"]) == (2, "failed")
    assert second["error"] == "3 of 3 episodes failed: the machine lost power"
    assert len(yard.events("round_failed")) == 1 and not second["results"]
    yard.check()
    assert len(yard.rounds()) == 2 and yard.why() == "The last 1 rounds failed"
    clock.advance(31)
    yard.round()
    assert [row["round_number"] for row in yard.rounds(status="completed")] == [3, 1]


@pytest.mark.any_database
def test_a_game_that_fails_is_not_retried(yard: Yard) -> None:
    yard.start()
    yard.enter("ada", "bob")
    fault = {"error_type": "game_contract_violation", "message": "no scores"}
    assert yard.round(lambda names: fault)["status"] == "failed"
    assert len(_episodes(yard)) == 1


@pytest.mark.any_database
def test_a_policy_that_breaks_forfeits_and_is_disqualified_after_three_rounds(yard: Yard) -> None:
    yard.start()
    yard.enter("ada", "bob", "crash")
    for number in range(1, 4):
        yard.check()
        yard.play(blames("crash"))
        yard.check()
        results = {row["player"]["name"]: row for row in yard.rounds(status="completed")[0]["results"]}
        assert results["crash"]["result_metadata"]["forfeits"] == 2
        assert results["ada"]["score"] == 1.0 and results["ada"]["result_metadata"]["episodes"] == 1
        assert yard.member("crash")["status"] == ("disqualified" if number == 3 else "competing")
    [event] = yard.events("membership_disqualified")
    assert event["summary"] == "It failed in 3 rounds in a row" and event["round_id"] is not None
    assert [name for _, name, _ in yard.table()] == ["ada", "bob"]
    yard.round()
    assert {row["player"]["name"] for row in yard.rounds(status="completed")[0]["results"]} == {"ada", "bob"}


@pytest.mark.any_database
def test_players_move_between_divisions_by_their_ratings(yard: Yard, clock: Any) -> None:
    yard.start(round_interval_minutes=1)
    body = {"divisions": [{"name": "Gold", "level": 2}, {"name": "Competition", "level": 1}]}
    yard.call("PUT", f"/v2/leagues/{yard.league}/divisions", body)
    gold, competition = yard.divisions()["Gold"], yard.divisions()["Competition"]
    rules = [
        {"division_id": gold, "minimum_rating": 1490},
        {"division_id": competition, "maximum_rating": 1510},
    ]
    yard.configure({"divisions": rules}, round_interval_minutes=1)
    description = yard.read(f"/v2/divisions/{competition}")["commissioner_description"]
    assert description["round_schedule"] == "A round begins every minute"
    assert description["leaderboard_rules"] == "Elo, from 1500, with K = 32"
    assert description["scoring_mechanics"].startswith("Players above 1510 move up. A policy that fails")
    yard.enter("ada", "bob")
    yard.round()
    assert yard.member("ada")["division"]["name"] == "Gold"
    assert yard.member("bob")["division"]["name"] == "Competition"
    [event] = yard.events("membership_promoted")
    assert event["headline"] == "ada:v1 moved up to Gold" and event["summary"] == "1516.0 is above 1510"
    assert [name for _, name, _ in yard.table(competition)] == ["bob"]
    assert yard.table(gold) == [(1, "ada", 1516.0)]
    yard.enter("carol")
    clock.advance(61)
    yard.check()  # ada is alone in Gold, so no round is played there
    yard.play(lambda names: alphabetical(names)[::-1])
    yard.check()
    assert [name for _, name, _ in yard.table(gold)] == ["ada", "carol"]
    with yard.world.database.transaction() as session:
        row = session.get_one(LadderRating, (raw(yard.league), yard.member("ada")["player"]["id"]))
        row.standing = {**row.standing, "rating": 1400.0}
    clock.advance(61)
    yard.round(lambda names: [0.0] * len(names))
    assert yard.member("ada")["division"]["name"] == "Competition"
    assert [event["headline"] for event in yard.events("membership_relegated")] == ["ada:v1 moved down to Competition"]


@pytest.mark.any_database
def test_new_members_qualify_in_a_staging_division(yard: Yard) -> None:
    yard.start({"qualification": {"gate": {"minimum_score": 1.0}}})
    body = {
        "divisions": [{"name": "Competition", "level": 1}, {"name": "Trial", "level": 0, "type": "staging"}],
    }
    yard.call("PUT", f"/v2/leagues/{yard.league}/divisions", body)
    yard.enter("ada", "bob", "crash")
    assert {yard.member(name)["status"] for name in yard.members} == {"qualifying"}
    yard.check()
    assert yard.rounds()[0]["round_config"] == {"kind": "qualification", "entrants": 3, "episodes": 3}

    def play(names: list[str]) -> Any:
        if names[0].startswith("crash"):
            return blames("crash")(names)
        return [2.0 if names[0].startswith("ada") else 0.5] * len(names)

    yard.play(play)
    yard.check()
    assert (yard.member("ada")["status"], yard.member("ada")["is_champion"]) == ("competing", True)
    assert yard.member("ada")["division"]["name"] == "Competition"
    assert {yard.member(name)["status"] for name in ("bob", "crash")} == {"disqualified"}
    summaries = {event["summary"] for event in yard.events("membership_disqualified")}
    assert summaries == {"It scored 0.5, and 1 is needed", "It failed in its qualification"}


@pytest.mark.any_database
def test_a_continuous_league_grades_each_new_champion_alone(yard: Yard, clock: Any) -> None:
    ladder: dict[str, Any] = {
        "ranking": {"algorithm": "score", "standing_aggregation": "latest"},
        "continuous": {"enabled": True, "variant_id": "quick-small", "max_policies_per_round": 2},
    }
    yard.start(ladder)
    versions = yard.enter("ada", "bob", "carol")
    second = yard.round()  # the first had room for two of them
    assert second["round_config"] == {"kind": "grading", "entrants": 1, "episodes": 1}
    assert [len(row["results"]) for row in yard.rounds()] == [0, 2]
    yard.play()
    yard.check()
    assert yard.why() == "Every champion is graded" and len(yard.table()) == 3
    path, body = f"/v2/leagues/{yard.league}/grade", {"idempotency_key": "once", "policy_version_ids": []}
    body["policy_version_ids"] = [str(versions[0])]
    for _ in range(2):
        answer = yard.call("POST", path, body)
        assert answer["policy_version_ids"] == answer["waiting"] == [str(versions[0])]
    clock.advance(1)
    count = len(yard.rounds())
    yard.round(lambda names: [7.0] * len(names))
    yard.check()
    assert len(yard.rounds()) == count + 1 and yard.table()[0] == (1, "ada", 7.0)
    assert yard.call("POST", path, body)["waiting"] == []  # the key is known: nothing is graded again
    other = {"idempotency_key": "other", "policy_version_ids": ["00000000-0000-0000-0000-000000000000"]}
    assert "not a champion" in yard.call("POST", path, other, status=422)["detail"]
    with_partner = {**ladder["continuous"], "fixed_policy_version_ids": [str(versions[1])]}
    yard.configure({**ladder, "continuous": with_partner})
    yard.enter("dan")
    yard.check()
    lease = yard.arena.lease(yard.token)
    assert lease["spec"]["policy_names"] == ["dan:v1", "bob:v1"]
    stranger = yard.arena.policy(yard.account("eve"), "eve")
    yard.configure({**ladder, "continuous": {**with_partner, "fixed_policy_version_ids": [str(stranger)]}})
    yard.arena.finish(lease, {}, error={"error_type": "game_unhealthy", "message": "no answer"})
    yard.check()
    clock.advance(60)
    yard.check()
    assert yard.why().startswith("fixed_policy_version_ids may name")
    yard.configure()
    assert "not continuous" in yard.call("POST", path, {"idempotency_key": "third"}, status=409)["detail"]


@pytest.mark.any_database
def test_a_cancelled_round_changes_nothing_and_frees_its_jobs(yard: Yard, bob: Any, clock: Any) -> None:
    yard.start(round_interval_minutes=10)
    yard.enter("ada", "carol", "dan")
    yard.check()
    round_id = yard.rounds()[0]["id"]
    leased = yard.arena.lease(yard.token)
    yard.arena.beat(leased)
    refused = yard.client.post(f"/v2/rounds/{round_id}/cancel", headers=bob.headers)
    assert refused.status_code == 403
    cancelled = yard.call("POST", f"/v2/rounds/{round_id}/cancel", {"reason": "wrong map"})
    assert (cancelled["status"], cancelled["error"]) == ("cancelled", "wrong map")
    assert {row.status.value for row in _episodes(yard)} == {"cancelled"} and yard.play() == 0
    assert "cancelled already" in yard.call("POST", f"/v2/rounds/{round_id}/cancel", status=409)["detail"]
    yard.check()
    assert yard.table() == [] and len(yard.rounds()) == 1
    clock.advance(601)
    assert yard.round()["round_number"] == 2
    with yard.world.database.read() as session:
        waiting = session.scalars(select(Job.status).where(Job.status.in_([JobStatus.PENDING, JobStatus.RUNNING])))
        assert waiting.all() == []


@pytest.mark.any_database
def test_settings_that_the_game_cannot_play_start_no_round(yard: Yard) -> None:
    yard.start({"enabled": False})
    yard.enter("ada", "bob")
    loop: LeagueLoop = yard.world.app.state.league_loop
    for scheduler, why in (
        ({"strategy": "team_n", "team_count": 3, "num_episodes": 1}, "2 seats cannot be divided into 3 teams"),
        ({"strategy": "round_robin", "variant_rotation": ["huge"]}, "The game has no variant 'huge'"),
        ({"strategy": "scaling_roster", "seat_rungs": [5]}, "the game has 2 seats, not 5"),
    ):
        yard.configure({"scheduler": scheduler})
        loop.check_all()
        [check] = loop.last.values()
        assert why in check.why and yard.rounds() == [] and yard.play() == 0


def test_two_servers_on_one_database_play_every_round_once(yard: Yard, clock: Any) -> None:
    yard.start({"round_trigger": "new_policy"})
    yard.enter("ada", "bob", "carol")
    state = yard.world.app.state
    others = [Database(state.settings.sqlalchemy_url()) for _ in range(2)]
    loops = [LeagueLoop(database, clock) for database in (state.database, *others)]

    def all_at_once() -> None:
        ready = threading.Barrier(len(loops))

        def check(loop: LeagueLoop) -> None:
            ready.wait()
            loop.check_all()

        threads = [threading.Thread(target=check, args=(loop,)) for loop in loops]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not [check.why for loop in loops for check in loop.last.values() if check.failed]

    all_at_once()
    assert len(_episodes(yard)) == 3
    yard.play()
    all_at_once()
    for database in others:
        database.close()
    yard.world.database.changes.invalidate()  # the first server learns within seconds what the others wrote
    [round_] = yard.rounds()
    assert round_["status"] == "completed" and len(round_["results"]) == 3
    assert [len(yard.events(kind)) for kind in ("round_started", "round_completed")] == [1, 1]


def _episodes(yard: Yard) -> list[EpisodeRequest]:
    with yard.world.database.read() as session:
        return list(session.scalars(select(EpisodeRequest)))
