"""Entering leagues: submissions, memberships, champions, and what the feed says about them."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from observatory.database.tables.accounts import Player
from observatory.database.tables.leagues import Membership, MembershipEvent, MembershipStatus
from observatory.database.tables.policies import PolicyKind, PolicyVersion
from packages.observatory.tests.leagues.field import MANIFEST, Field, raw


def new_player(client: TestClient, account: Any, name: str) -> tuple[str, dict[str, str]]:
    """Make a player; its id, and the headers of its session."""
    player = client.post("/players", json={"name": name}, headers=account.headers).json()["id"]
    token = client.post(f"/players/{player}/login", headers=account.headers).json()["token"]
    return player, {"Authorization": f"Bearer {token}"}


def test_a_submission_is_placed_as_the_champion_of_its_player(
    client: TestClient, field: Field, bob: Any, league: str
) -> None:
    version = field.world.version(bob)
    answer = field.submit(bob, league, version, preferences={"side": "red"})
    assert answer.status_code == 200, answer.text
    submission = answer.json()
    assert (submission["status"], submission["auto_champion"], submission["notes"]) == ("placed", "always", None)
    [membership] = field.members(league)
    assert membership["id"] == submission["league_policy_membership_id"]
    assert (membership["status"], membership["substatus"]) == ("competing", "active")
    assert membership["is_champion"] and membership["is_active"] and membership["start_time"]
    assert membership["policy_version"]["id"] == str(version) and membership["player"]["name"] == "bob"
    assert membership["division"]["name"] == "Competition" and membership["league"]["id"] == league
    events = client.get("/v2/competition-events", params={"league_id": league}).json()
    assert [event["event_type"] for event in events] == ["champion_changed", "submission_placed"]
    assert {event["audience"] for event in events} == {"public"}
    with field.world.database.read() as session:
        recorded = session.query(MembershipEvent).order_by(MembershipEvent.id).all()
        assert [(row.status, row.substatus, row.reason) for row in recorded] == [
            ("competing", "benched", "Submitted"),
            ("competing", "active", "Champion"),
        ]
    # Preferences and notes are the player's and the league owner's.
    [public] = client.get("/v2/league-submissions", params={"league_id": league}).json()
    [own] = client.get("/v2/league-submissions", params={"mine": "true"}, headers=bob.headers).json()
    assert public == {**own, "preferences": {}} and own["preferences"] == {"side": "red"}


def test_a_rejected_submission_says_why_to_its_player_only(
    client: TestClient, field: Field, ada: Any, bob: Any, account: Any, league: str
) -> None:
    carol = account("carol")
    nothing, bad = field.world.version(bob), field.world.version(bob)
    with field.world.database.transaction() as session:
        session.get_one(PolicyVersion, nothing).kind = PolicyKind.DESCRIPTION
    membership = field.submit(bob, league, bad).json()["league_policy_membership_id"]
    with field.world.database.transaction() as session:
        row = session.get_one(Membership, raw(membership))
        row.status, row.is_champion = MembershipStatus.DISQUALIFIED, False
    for version, word in ((nothing, "nothing to run"), (bad, "disqualified")):
        answer = field.submit(bob, league, version).json()
        assert answer["status"] == "rejected" and word in answer["notes"]
        assert answer["league_policy_membership_id"] is None
    counts = {}
    for name, account_ in (("bob", bob), ("ada", ada), ("carol", carol)):
        query = {"league_id": league}
        submissions = client.get("/v2/league-submissions", params=query, headers=account_.headers).json()
        events = client.get(
            "/v2/competition-events", params={**query, "event_type": "submission_rejected"}, headers=account_.headers
        ).json()
        counts[name] = len(submissions), len(events)
    assert counts == {"bob": (3, 2), "ada": (3, 0), "carol": (1, 0)}
    assert not field.members(league)[0]["is_active"]


def test_who_may_submit_what(client: TestClient, field: Field, ada: Any, bob: Any, league: str) -> None:
    own, foreign = field.world.version(bob), field.world.version(ada)
    second, session_headers = new_player(client, bob, "second")
    [first] = [row["id"] for row in client.get("/players", headers=bob.headers).json() if row["is_default"]]
    [others] = [row["id"] for row in client.get("/players", headers=ada.headers).json()]

    def status(version: uuid.UUID, headers: dict[str, str], league_id: str = league, **fields: Any) -> int:
        body = {"league_id": league_id, "policy_version_id": str(version), **fields}
        return client.post("/v2/league-submissions", json=body, headers=headers).status_code

    assert status(own, {}) == 401
    assert status(foreign, bob.headers) == 403
    assert status(own, bob.headers, player_id=others) == 403
    assert status(own, bob.headers, player_id="ply_nobody") == 403
    assert status(own, session_headers, player_id=first) == 403
    assert status(own, bob.headers, f"league_{uuid.uuid4()}") == 404
    assert status(own, bob.headers, "paint") == 422
    assert status(uuid.uuid4(), bob.headers) == 404
    assert status(own, bob.headers, auto_champion="often") == 422
    disabled, _ = new_player(client, bob, "disabled")
    with field.world.database.transaction() as session:
        session.get_one(Player, disabled).disabled_at = field.world.clock()
    assert status(own, bob.headers, player_id=disabled) == 403
    assert status(own, session_headers) == 200
    assert status(own, session_headers) == 409  # in the league already
    [membership] = field.members(league)
    assert membership["player"]["id"] == second
    client.post(f"/v2/league-policy-memberships/{membership['id']}/retire", headers=session_headers)
    assert status(own, bob.headers, player_id=first) == 409  # it played as another player
    assert status(own, bob.headers, player_id=second) == 200


@pytest.mark.any_database
def test_a_league_that_is_closed_or_has_no_competition_takes_nothing(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    client.put(f"/v2/leagues/{league}/divisions", json={"divisions": []}, headers=ada.headers)
    answer = field.submit(bob, league)
    assert answer.status_code == 409 and "no competition" in answer.json()["detail"]
    closed = field.seed(ada, league_key="closed", enabled=False)["league_id"]
    answer = field.submit(bob, closed)
    assert answer.status_code == 409 and "closed" in answer.json()["detail"]
    assert client.get("/v2/league-submissions").json() == []


def test_new_members_start_in_the_staging_division_and_are_no_champions(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    divisions = [
        {"name": "Qualifiers", "level": -99, "type": "staging", "hidden": True},
        {"name": "Gold", "level": 2},
        {"name": "Competition", "level": 1},
    ]
    client.put(f"/v2/leagues/{league}/divisions", json={"divisions": divisions}, headers=ada.headers)
    membership = field.enter(bob, league)
    assert field.members(league) == []  # the division is hidden from others
    assert "Qualifiers" not in client.get("/v2/competition-events").text
    [row] = field.members(league, bob.headers)
    assert (row["division"]["name"], row["status"], row["is_champion"]) == ("Qualifiers", "qualifying", False)
    answer = client.post(f"/v2/league-policy-memberships/{membership}/champion", headers=bob.headers)
    assert answer.status_code == 409 and "qualifying" in answer.json()["detail"]


def test_champions_follow_the_choice_of_the_submission(client: TestClient, field: Field, bob: Any, league: str) -> None:
    def champion() -> str | None:
        rows = field.members(league, champions_only="true")
        return rows[0]["id"] if rows else None

    lonely = field.enter(bob, league, auto_champion="lineage")
    assert champion() is None  # there is no earlier version to follow
    first = field.enter(bob, league, auto_champion="always")
    assert champion() == first
    assert field.enter(bob, league, auto_champion="never") and champion() == first
    other = field.submit(bob, league, field.world.version(bob, "other"), auto_champion="lineage")
    assert other.json()["status"] == "placed" and champion() == first
    second = field.enter(bob, league, auto_champion="lineage")
    assert champion() == second
    substatus = {row["id"]: row["substatus"] for row in field.members(league)}
    assert substatus[first] == substatus[lonely] == "benched" and substatus[second] == "active"
    # The player decides, and may change their mind.
    for membership in (lonely, lonely, first):
        answer = client.post(f"/v2/league-policy-memberships/{membership}/champion", headers=bob.headers)
        assert answer.json()["is_champion"] and champion() == membership


def test_only_a_player_chooses_its_champion_and_only_owners_retire(
    client: TestClient, field: Field, ada: Any, bob: Any, account: Any, league: str
) -> None:
    carol = account("carol")
    _, other_player = new_player(client, bob, "second")
    membership = field.enter(bob, league)
    path = f"/v2/league-policy-memberships/{membership}"
    for headers in (carol.headers, other_player):
        assert client.post(f"{path}/champion", headers=headers).status_code == 403
        assert client.post(f"{path}/retire", headers=headers).status_code == 403
    assert client.post(f"{path}/champion", headers=ada.headers).status_code == 403
    answer = client.post(f"{path}/retire", json={"reason": "it cheats"}, headers=ada.headers)  # the league's owner
    assert answer.status_code == 200 and not answer.json()["is_active"] and answer.json()["end_time"]
    assert client.post(f"{path}/retire", headers=bob.headers).status_code == 409
    assert client.post(f"{path}/champion", headers=bob.headers).status_code == 409
    unknown = f"/v2/league-policy-memberships/lpm_{uuid.uuid4()}/retire"
    assert client.post(unknown, headers=bob.headers).status_code == 404
    [event] = client.get("/v2/competition-events", params={"event_type": "membership_retired"}).json()
    assert event["summary"] == "it cheats"
    assert field.members(league, active_only="true") == [] and len(field.members(league)) == 1


def test_the_owner_of_a_league_disqualifies_a_member_and_lets_it_play_again(
    client: TestClient, field: Field, ada: Any, bob: Any, league: str
) -> None:
    membership = field.enter(bob, league)
    path, reason = f"/v2/league-policy-memberships/{membership}", {"reason": "it leaks memory"}
    assert field.members(league)[0]["is_champion"]
    assert client.post(f"{path}/restore", json=reason, headers=ada.headers).status_code == 409
    assert client.post(f"{path}/disqualify", headers=ada.headers).status_code == 422  # everyone learns why
    assert client.post(f"{path}/disqualify", json=reason, headers=bob.headers).status_code == 403
    out = client.post(f"{path}/disqualify", json=reason, headers=ada.headers).json()
    assert (out["status"], out["is_active"], out["is_champion"]) == ("disqualified", False, False)
    assert client.post(f"{path}/disqualify", json=reason, headers=ada.headers).status_code == 409
    assert field.members(league, active_only="true") == []
    body = {"league_id": league, "policy_version_id": out["policy_version"]["id"]}
    assert client.post("/v2/league-submissions", json=body, headers=bob.headers).json()["status"] == "rejected"
    assert client.post(f"{path}/restore", json=reason, headers=bob.headers).status_code == 403
    back = client.post(f"{path}/restore", json={"reason": "fixed"}, headers=ada.headers).json()
    assert (back["status"], back["is_active"], back["is_champion"]) == ("competing", True, True)
    assert back["end_time"] is None and len(field.members(league, active_only="true")) == 1
    events = client.get("/v2/competition-events", params={"league_id": league}).json()
    told = {event["event_type"]: event["summary"] for event in events}
    assert (told["membership_disqualified"], told["membership_restored"]) == ("it leaks memory", "fixed")


@pytest.mark.parametrize(("where", "limit"), [("nowhere", 2), ("manifest", 1), ("settings", 3)])
def test_the_players_of_a_user_are_limited_and_the_last_to_enter_stay(
    client: TestClient, field: Field, ada: Any, bob: Any, clock: Any, where: str, limit: int
) -> None:
    manifest = {**MANIFEST, "players_per_user": 1} if where != "nowhere" else MANIFEST
    field.coworld(ada, manifest=manifest)
    league = field.seed(ada)["league_id"]
    if where == "settings":
        body = {"ladder": {"players_per_user": limit}}
        assert client.post(f"/v2/leagues/{league}/settings", json=body, headers=ada.headers).status_code == 200
    entered = []
    for number in range(4):
        player, _ = new_player(client, bob, f"player {number}")
        clock.advance(1)
        entered.append(player)
        field.enter(bob, league, player_id=player)
    live = [row["player"]["id"] for row in field.members(league, active_only="true")]
    assert sorted(live) == sorted(entered[-limit:])
    gone = [row for row in field.members(league) if row["player"]["id"] not in live]
    assert {(row["substatus"], row["is_champion"]) for row in gone} == {("inactive", False)}
    portfolio = client.get("/v2/league-policy-memberships/portfolio", headers=bob.headers).json()
    assert [(seat["player_id"], seat["game_name"]) for seat in portfolio] == [(player, "paint") for player in live]


def test_a_player_token_lists_its_own_rows_as_mine(client: TestClient, field: Field, bob: Any, league: str) -> None:
    _, second = new_player(client, bob, "second")
    field.enter(bob, league)
    body = {"league_id": league, "policy_version_id": str(field.world.version(bob))}
    assert client.post("/v2/league-submissions", json=body, headers=second).status_code == 200
    for path in ("/v2/league-submissions", "/v2/league-policy-memberships"):
        assert len(client.get(path, params={"mine": "true"}, headers=bob.headers).json()) == 2
        [row] = client.get(path, params={"mine": "true"}, headers=second).json()
        assert row["player"]["name"] == "second"
        assert client.get(path, params={"mine": "true"}).status_code == 401
    assert len(client.get("/v2/league-policy-memberships/portfolio", headers=second).json()) == 1


def test_concurrent_submissions_leave_one_champion_per_player(field: Field, server: Any, bob: Any, league: str) -> None:
    versions = [field.world.version(bob) for _ in range(8)]
    statuses: list[int] = []
    ready = threading.Barrier(len(versions))

    def submit(version: uuid.UUID) -> None:
        body = {"league_id": league, "policy_version_id": str(version)}
        with httpx.Client(base_url=server.url, headers=bob.headers, timeout=60) as client:
            ready.wait()
            statuses.append(client.post("/v2/league-submissions", json=body).status_code)

    threads = [threading.Thread(target=submit, args=(version,)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * len(versions)
    rows = field.members(league)
    assert len(rows) == len(versions) and sum(row["is_champion"] for row in rows) == 1
    [champion] = [row for row in rows if row["is_champion"]]
    assert champion["substatus"] == "active"
    assert {row["substatus"] for row in rows if row is not champion} == {"benched"}


def test_the_database_refuses_a_second_champion(field: Field, bob: Any, league: str) -> None:
    field.enter(bob, league)
    field.enter(bob, league)
    with pytest.raises(IntegrityError), field.world.database.transaction() as session:
        session.query(Membership).update({"is_champion": True})


CHOICES = st.lists(
    st.tuples(st.sampled_from(["always", "never", "lineage", "champion", "retire"]), st.integers(0, 5)), max_size=10
)


@pytest.mark.any_database
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(steps=CHOICES)
def test_any_order_of_steps_keeps_the_rules_of_champions(
    client: TestClient, field: Field, admin: Any, steps: list[tuple[str, int]]
) -> None:
    field.numbers += 1
    league = field.league(admin, f"game {field.numbers}")
    entered: list[str] = []
    for step, number in steps:
        if step in ("champion", "retire"):
            if entered:
                membership = entered[number % len(entered)]
                answer = client.post(f"/v2/league-policy-memberships/{membership}/{step}", headers=admin.headers)
                assert answer.status_code in (200, 409), answer.text
        else:
            entered.append(field.enter(admin, league, auto_champion=step))
        rows = field.members(league)
        assert {row["id"] for row in rows} == set(entered)
        assert sum(row["is_champion"] for row in rows) <= 1
        assert all(row["is_active"] and row["status"] == "competing" for row in rows if row["is_champion"])
