"""Two servers on one database: one schedules, and each follows what the other writes."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from sqlalchemy import select

from observatory.accounts.passwords import hash_password
from observatory.accounts.service import create_user
from observatory.commissioner.loop import Commissioner
from observatory.database.presence import running_servers
from observatory.database.tables.accounts import Token
from observatory.database.tables.hosted import HostedGame
from observatory.database.tables.jobs import Job
from observatory.events import ChangeKind
from observatory.hosting import games
from observatory.hosting.loop import HostedLoop
from observatory.hosting.tunnels import Tunnels
from observatory.jobs.service import take_next
from observatory.public_ids import parse_public_id
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.servers.conftest import Member, Pair, person, wait_for
from packages.observatory.tests.world import FREEPLAY

pytestmark = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")
PASSWORD = "a long enough password"


def leaders(pair: Pair) -> list[bool]:
    return [member.database.is_leader for member in (pair.first, pair.second)]


def table(member: Member, season: str) -> list[tuple[str, float]]:
    rows = member.client.get(f"/tournament/seasons/{season}/leaderboard").json()
    return [(row["policy"]["name"], row["score"]) for row in rows]


def test_one_server_leads_and_the_other_takes_over(pair: Pair) -> None:
    assert leaders(pair) == [True, False]
    with pair.second.database.read() as session:
        servers = running_servers(session)
    assert [(server.id, server.is_leader) for server in servers] == [
        (pair.first.database.server_id, True),
        (pair.second.database.server_id, False),
    ]
    pair.first.disconnect()
    wait_for(lambda: leaders(pair).count(True) == 1 and not pair.first.database.changes.is_deaf)
    pair.first.link.stop()
    wait_for(lambda: leaders(pair) == [False, True])

    def running() -> list[object]:
        with pair.second.database.read() as session:
            return [server.id for server in running_servers(session)]

    wait_for(lambda: running() == [pair.second.database.server_id])  # PostgreSQL ends the other session a moment later


def test_only_the_leader_schedules_and_two_leaders_do_no_harm(pair: Pair, clock: Any) -> None:
    season = pair.world.season(FREEPLAY)
    ada, bob = person(pair, "ada", clock), person(pair, "bob", clock)
    versions = [pair.world.version(account, f"of-{account.email[:3]}") for account in (ada, bob)]
    pair.world.enter(season, "competition", versions)
    follower: Commissioner = pair.second.app.state.commissioner
    follower.run_passes(observe=True)
    (season_id,) = follower.last
    reasons = follower.reasons(season_id)
    assert reasons is not None and set(reasons.policies) == set(versions)

    def jobs() -> int:
        with pair.first.database.read() as session:
            return len(session.scalars(select(Job.id)).all())

    assert jobs() == 0
    leader: Commissioner = pair.first.app.state.commissioner
    leader.run_passes()
    scheduled = jobs()
    assert scheduled > 0
    follower.run_passes()  # believes that it leads, too
    assert jobs() == scheduled


def test_a_table_on_one_server_follows_a_match_that_ends_on_the_other(pair: Pair, clock: Any) -> None:
    season = pair.world.season(FREEPLAY)
    ada = person(pair, "ada", clock)
    seats = [(pair.world.version(ada, name), 2) for name in ("one", "two")]
    matches = [pair.world.match(season, "competition", seats, repetition=number) for number in range(2)]
    pair.world.play(matches[0], [1.0, 1.0, 2.0, 2.0])
    wait_for(lambda: table(pair.second, season) == [("two", 2.0), ("one", 1.0)])
    assert table(pair.first, season) == table(pair.second, season)
    with pair.second.database.changes.subscribe() as changes:
        pair.world.play(matches[1], [9.0, 9.0, 2.0, 2.0])
        received = changes.wait(20)  # sent with the commit
    assert ChangeKind.TABLE in {change.kind for change in received}
    assert table(pair.second, season) == [("one", 5.0), ("two", 2.0)]


def test_a_server_that_lost_its_connection_serves_nothing_stale(pair: Pair, clock: Any) -> None:
    season = pair.world.season(FREEPLAY)
    ada = person(pair, "ada", clock)
    seats = [(pair.world.version(ada, name), 2) for name in ("one", "two")]
    match = pair.world.match(season, "competition", seats)
    wait_for(lambda: "competition" in pair.second.client.get(f"/tournament/seasons/{season}").text)
    assert table(pair.second, season) == []
    pair.second.link.stop()
    pair.world.play(match, [1.0, 1.0, 2.0, 2.0])
    assert table(pair.second, season) == [("two", 2.0), ("one", 1.0)]


def sign_in(member: Member, clock: Any) -> None:
    page = member.client.get("/sign-in").text
    body = {"csrf": csrf_of(page), "email": "bob@example.com", "password": PASSWORD}
    assert member.client.post("/sign-in", data=body).status_code == 303


def csrf_of(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def test_a_revoked_token_and_a_sign_out_count_on_both_servers(pair: Pair, clock: Any) -> None:
    ada = person(pair, "ada", clock)

    def status(**options: Any) -> int:
        return int(pair.second.client.get("/observatory/api/seasons", **options).status_code)

    wait_for(lambda: status(headers=ada.headers) == 200)
    with pair.first.database.read() as session:
        token_id = session.scalars(select(Token.id)).one()
    revoke = f"/observatory/api/tokens/{token_id}/revoke"
    assert pair.first.client.post(revoke, headers=ada.headers).is_success
    wait_for(lambda: status(headers=ada.headers) == 401)

    with pair.first.database.transaction() as session:
        user = create_user(session, email="bob@example.com", name="bob", now=clock())
        user.password_hash = hash_password(PASSWORD)
    sign_in(pair.first, clock)
    cookies = dict(pair.first.client.cookies)

    def name() -> str | None:
        """Return who the second server believes has this cookie."""
        headers = {"Cookie": "; ".join(f"{key}={value}" for key, value in cookies.items())}
        email: str | None = pair.second.client.get("/observatory/api/me", headers=headers).json()["email"]
        return email

    assert name() == "bob@example.com"
    form = {"csrf": csrf_of(pair.first.client.get("/observatory/home").text)}
    assert pair.first.client.post("/sign-out", data=form).status_code == 303
    wait_for(lambda: name() is None)


def test_a_rate_limit_holds_across_servers_and_restarts(pair: Pair, make_app: Any) -> None:
    def allowed(member: Member) -> int:
        statuses = [member.client.get("/tournament/seasons").status_code for _ in range(70)]
        return statuses.count(200)

    def refilled() -> float:
        return 2 * (time.monotonic() - began) + 5  # calls: two a second come back

    began = time.monotonic()
    assert allowed(pair.first) >= 60  # a burst, and what came back meanwhile
    pair.first.app.state.shared_rates.exchange()
    pair.second.app.state.shared_rates.exchange()
    assert allowed(pair.second) < refilled()  # would be 60 more without the other server
    settings = pair.first.app.state.settings
    changes = {"data_dir": settings.data_dir, "database_url": settings.database_url.get_secret_value()}
    restarted = make_app(anonymous_rate=120.0, **changes)
    restarted.state.shared_rates.exchange()
    from fastapi.testclient import TestClient

    assert allowed(Member(restarted, TestClient(restarted))) < refilled()


def test_a_server_that_starts_ends_no_game_of_another_server(pair: Pair, clock: Any) -> None:
    ada = person(pair, "ada", clock)
    coworld = put_coworld(pair.first.app, clock, ada, manifest=game(variants=2))
    answer = pair.first.client.post("/v2/coworlds/play/session", json={"coworld_id": coworld}, headers=ada.headers)
    session_id = answer.json()["session_id"]
    assert pair.first.client.post(f"/v2/coworlds/play/session/{session_id}/start", headers=ada.headers).is_success
    with pair.first.database.transaction() as session:
        row = session.get_one(HostedGame, parse_public_id("ps", session_id))
        games.mark_running(session, row, now=clock(), server_id=pair.first.database.server_id)
    starting = HostedLoop(pair.second.database, pair.second.app.state.settings, clock, Tunnels(), lost_seconds=0)

    def state() -> str:
        path = f"/v2/coworlds/play/session/{session_id}"
        return str(pair.second.client.get(path, headers=ada.headers).json()["status"])

    starting._end_lost({})
    wait_for(lambda: state() == "running")
    pair.first.link.stop()

    def has_ended() -> bool:
        starting._end_lost({})
        return state() == "ended"

    wait_for(has_ended)


def test_a_job_whose_row_is_locked_is_skipped(pair: Pair, clock: Any) -> None:
    season = pair.world.season(FREEPLAY)
    ada = person(pair, "ada", clock)
    seats = [(pair.world.version(ada, name), 2) for name in ("one", "two")]
    jobs = [pair.world.job_of(pair.world.match(season, "competition", seats, repetition=number)) for number in range(2)]
    locked = select(Job.id).where(Job.id == jobs[0]).with_for_update()
    with pair.first.database.read(in_transaction=True) as holder:
        holder.execute(locked)
        with pair.second.database.transaction() as session:
            leased = take_next(session, "worker", live=(), now=clock(), lease_seconds=60)
            assert leased is not None and leased[0].id == jobs[1]
