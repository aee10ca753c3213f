"""Lists of episodes for every generation of clients, the feed of changes, and downloads."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from observatory.database.tables.policies import SelectionScope
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.requests.conftest import Arena

SWEEP = {"game_player": "sweep"}
EXAMPLES = 60 if os.environ.get("DATABASES") == "all" else 3
"""orders of events in which the feed is read: a few here, many in `make soak`"""
FILES = {
    "results.json": b'{"scores": [1, 2]}',
    "replay": b"the replay",
    "game.log": b"the game says",
    "policy_agent_0.log": b"ada's policy says",
    "policy_agent_1.log": b"bob's policy says",
    "policy_artifact_0.zip": b"zip",
}


@pytest.fixture
def game(arena: Arena, account: Any) -> str:
    return arena.coworld(account("carol"))


@pytest.fixture
def played(arena: Arena, game: str, token: str, ada: Any, bob: Any) -> Any:
    """An episode that ada asked for, with bob's policy in seat 1."""
    arena.policy(ada)
    arena.policy(bob, "theirs", scope=SelectionScope.ANY_REQUEST)
    request = arena.ask(ada, game, [{"policy_ref": "mine"}, {"policy_ref": "theirs"}])
    arena.finish(arena.lease(token), FILES)
    return arena.get(ada, f"/v2/experience-requests/{request['id']}")


def test_the_list_has_the_form_that_the_client_reads(arena: Arena, played: Any, ada: Any) -> None:
    [row] = played["episodes"]
    [bulk] = arena.get(ada, "/v2/episode-requests", ids=played["id"], view="progress")["entries"]
    assert (bulk["status"], bulk["evidence_state"], bulk["scores"]) == ("completed", "sealed", None)
    page = arena.get(ada, "/v2/episode-requests", ids=[row["id"]], view="results")
    assert [score["score"] for score in page["entries"][0]["scores"]] == [1.0, 2.0]
    assert page["unavailable_ids"] == [] and page["next_cursor"] is None and page["observed_at"]
    bearer = {"Authorization": f"Bearer {ada.token}"}
    assert arena.client.get("/v2/episode-requests", headers=bearer).json()["entries"][0]["id"] == row["id"]
    assert arena.client.get("/v2/episode-requests", headers=ada.headers).json()[0]["id"] == row["id"]
    version = row["policy_version_ids"][1]
    for query, count in (
        ({"policy_version_id": version}, 1),
        ({"policy_version_id": "01a1e7f1-38a6-7535-8533-5a71c366038b"}, 0),
        ({"mine": "true"}, 1),
        ({"player_id": "ply_none"}, 0),
        ({"round_id": "round_01a1e7f1-38a6-7535-8533-5a71c366038b"}, 0),
    ):
        assert len(arena.client.get("/v2/episode-requests", params=query, headers=bearer).json()["entries"]) == count
    summary = arena.get(ada, f"/v2/policy-versions/{version}/episode-requests")
    assert [entry["id"] for entry in summary["entries"]] == [row["id"]]


def test_ids_that_a_caller_may_not_see_are_named_and_nothing_else(arena: Arena, played: Any, bob: Any) -> None:
    [row] = played["episodes"]
    page = arena.get(bob, "/v2/episode-requests", ids=[played["id"]])
    assert (page["entries"], page["unavailable_ids"]) == ([], [played["id"]])
    page = arena.get(bob, "/v2/episode-requests", ids=[row["id"]])  # bob's policy is in this one
    assert [entry["id"] for entry in page["entries"]] == [row["id"]]
    arena.get(bob, "/v2/episode-requests", 422, ids=[row["id"], played["id"]])
    arena.get(None, "/v2/episode-requests", 401, ids=[row["id"]])


def test_each_owner_reads_the_files_of_their_own_seat(
    arena: Arena, played: Any, ada: Any, bob: Any, admin: Any, account: Any
) -> None:
    [row] = played["episodes"]
    path = f"/v2/episode-requests/{row['id']}"
    own, other = row["policy_version_ids"]
    logs = {(version, seat): f"{path}/{version}/policy-logs/{seat}" for version in (own, other) for seat in (0, 1)}
    assert arena.get(ada, logs[own, 0]).text == "ada's policy says"
    assert arena.get(bob, logs[other, 1]).text == "bob's policy says"
    assert arena.get(admin, logs[other, 1]).text == "bob's policy says"
    for reader, version, seat, status in (
        (ada, other, 1, 403),  # the requester owns one seat, not both
        (bob, own, 0, 403),
        (ada, own, 1, 404),  # another version sat there
        (ada, other, 0, 404),
        (account("eve"), own, 0, 404),
    ):
        arena.get(reader, logs[version, seat], status)
    assert [entry["position"] for entry in arena.get(bob, f"{path}/policy-artifacts")] == [1]
    [seat] = arena.get(ada, f"{path}/policy-artifacts")
    assert (seat["has_log"], seat["has_artifact"]) == (True, True)
    for kind in ("results", "logs", "replay", "spec", "game-config"):
        assert arena.client.get(f"{path}/artifacts/{kind}", headers=bob.headers).status_code == 200, kind
    arena.get(ada, f"{path}/artifacts/error-info", 404)
    arena.get(ada, f"{path}/artifacts/x", 400)
    job = f"/jobs/{row['job_id']}"
    assert arena.get(bob, f"{job}/policy-logs") == ["policy_agent_1.log"]
    assert arena.get(bob, f"{job}/policy-logs/1").text == "bob's policy says"
    arena.get(bob, f"{job}/policy-logs/0", 403)
    assert arena.get(ada, f"{job}/policy-artifact") == ["policy_artifact_0.zip"]


def test_an_episode_of_a_public_league_is_public_but_its_results_are_not(
    arena: Arena, played: Any, account: Any
) -> None:
    from observatory.database.tables.requests import EpisodeRequest

    field = Field(arena.world, arena.client)
    league = field.league(account("dora"), "other")
    round_id = field.round(field.division(league))
    [row] = played["episodes"]
    with arena.world.database.transaction() as session:
        session.get_one(EpisodeRequest, raw(row["id"])).round_id = raw(round_id)
    eve, path = account("eve"), f"/v2/episode-requests/{row['id']}"
    for reader in (None, eve):
        assert arena.get(reader, path)["id"] == row["id"]
        assert arena.get(reader, f"{path}/artifacts/logs").text == "the game says"
        arena.get(reader, f"{path}/artifacts/results", 403)
        arena.get(reader, f"{path}/episode-stats", 403)
        assert len(arena.get(reader, f"/v2/rounds/{round_id}/episode-requests")["entries"]) == 1
    arena.get(eve, f"{path}/{row['policy_version_ids'][0]}/policy-logs/0", 403)


def test_a_manifest_says_where_each_file_is_and_only_those_of_the_caller(
    arena: Arena, played: Any, ada: Any, bob: Any
) -> None:
    manifest = arena.get(ada, "/v2/episode-requests/download-manifest", ids=played["id"])
    entries = {(entry["category"], entry["position"]): entry for entry in manifest["entries"]}
    states = {key: entry["state"] for key, entry in entries.items()}
    assert states == {
        ("results", None): "ready",
        ("replay", None): "ready",
        ("events", None): "not_produced",
        ("error_info", None): "not_produced",
        ("game_logs", None): "ready",
        ("player_logs", 0): "ready",
        ("player_artifact", 0): "ready",
    }
    replay = entries["replay", None]
    assert replay["size"] == len(FILES["replay"]) and len(replay["version"]) == 64
    answer = arena.client.get(replay["url"], headers={"If-Match": replay["etag"]})
    assert (answer.status_code, answer.content) == (200, FILES["replay"])
    assert arena.client.get(replay["url"], headers={"If-Match": '"another"'}).status_code == 412
    [row] = played["episodes"]
    query = {"ids": row["id"], "include": ["player_logs"], "agent": [1]}
    [entry] = arena.get(bob, "/v2/episode-requests/download-manifest", **query)["entries"]
    assert (entry["filename"], entry["position"]) == ("policy_agent_1.log", 1)
    assert arena.get(bob, "/v2/episode-requests/download-manifest", ids=played["id"])["unavailable_ids"]


def test_the_manifest_of_an_episode_that_waits_or_failed(arena: Arena, game: str, token: str, ada: Any) -> None:
    request = arena.ask(ada, game, [SWEEP] * 2, num_episodes=2)
    lease = arena.lease(token)
    arena.finish(lease, {}, {"error_type": "results_missing", "message": "no results"})
    manifest = arena.get(ada, "/v2/episode-requests/download-manifest", ids=request["id"], include="error_info")
    states = {entry["episode_request_id"]: entry for entry in manifest["entries"]}
    failed, waiting = (states[row["id"]] for row in request["episodes"])
    assert (failed["state"], waiting["state"], waiting["url"]) == ("ready", "pending", None)
    assert arena.client.get(failed["url"]).json()["error_type"] == "results_missing"


# The feed of changes


def read_feed(arena: Arena, reader: Any, ids: list[str], cursor: str | None, **query: Any) -> Any:
    more = {} if cursor is None else {"cursor": cursor}
    return arena.get(reader, "/v2/episode-requests/changes", ids=ids, **more, **query)


@pytest.mark.any_database
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), limit=st.integers(1, 4))
def test_a_reader_of_the_feed_misses_no_change_whatever_happens_between_pages(
    arena: Arena, game: str, token: str, ada: Any, seed: int, limit: int
) -> None:
    """At the end the reader knows the true state of every episode, and no revision ever went back."""
    draw = random.Random(seed)
    requests = [arena.ask(ada, game, [SWEEP] * 2, num_episodes=draw.randint(1, 3)) for _ in range(2)]
    ids = [request["id"] for request in requests]
    leases: list[Any] = []
    known: dict[str, tuple[int, str]] = {}
    cursor, phases = None, []

    def act() -> None:
        action = draw.choice(["lease", "beat", "finish", "fail", "release", "cancel", "ask", "none"])
        if action == "lease" and (lease := arena.lease(token)) is not None:
            leases.append(lease)
        elif action == "cancel" and draw.random() < 0.3:
            arena.client.post(f"/v2/experience-requests/{draw.choice(ids)}/cancel", headers=ada.headers)
        elif action == "ask":
            arena.ask(ada, game, [SWEEP] * 2)  # of another request, which the feed must not have
        elif leases and action in ("beat", "finish", "fail", "release"):
            lease = leases[-1]
            if action == "beat":
                arena.beat(lease)
                return
            leases.pop()
            if action == "finish":
                arena.finish(lease)
            elif action == "fail":
                arena.finish(lease, {}, {"error_type": "player_error", "message": "x", "failed_policy_index": 0})
            else:
                arena.release(lease, "gone")

    def read() -> bool:
        nonlocal cursor
        page = read_feed(arena, ada, ids, cursor, limit=limit)
        cursor = page["next_cursor"]
        phases.append(page["phase"])
        assert len(page["entries"]) <= limit and {batch["id"] for batch in page["batches"]} == set(ids)
        last = 0
        for entry in page["entries"]:
            assert entry["experience_request_id"] in ids and not entry["removed"]
            if page["phase"] == "changes":
                assert entry["revision"] > last
                last = entry["revision"]
            before = known.get(entry["id"], (0, ""))
            assert entry["revision"] >= before[0]
            known[entry["id"]] = (entry["revision"], entry["episode"]["status"])
        return bool(page["has_more"] or page["entries"] or page["phase"] == "snapshot")

    for _ in range(15):
        for _ in range(draw.randint(0, 3)):
            act()
        read()
    while read():
        pass
    truth = {
        row["id"]: row["status"]
        for request in requests
        for row in arena.get(ada, f"/v2/experience-requests/{request['id']}/episodes")
    }
    assert {episode: status for episode, (_, status) in known.items()} == truth
    assert phases == sorted(phases, reverse=True)  # the snapshot first, then only changes
    while (lease := arena.lease(token)) is not None:
        arena.finish(lease)


def test_a_cursor_is_of_its_own_feed_only(arena: Arena, played: Any, game: str, ada: Any, bob: Any) -> None:
    cursor = read_feed(arena, ada, [played["id"]], None)["next_cursor"]
    other = arena.ask(ada, game, [SWEEP] * 2)["id"]
    arena.get(ada, "/v2/episode-requests/changes", 409, ids=other, cursor=cursor)
    arena.get(ada, "/v2/episode-requests/changes", 410, ids=other, cursor="made.up")
    arena.get(bob, "/v2/episode-requests/changes", 404, ids=played["id"], cursor=cursor)
    arena.get(None, "/v2/episode-requests/changes", 401, ids=played["id"], cursor=cursor)
    arena.get(ada, "/v2/episode-requests/changes", 422, ids=played["episodes"][0]["id"])


@pytest.mark.any_database
def test_a_reader_that_waits_is_woken_by_the_next_change(
    arena: Arena, server: Any, game: str, token: str, ada: Any
) -> None:
    request = arena.ask(ada, game, [SWEEP] * 2)
    cursor = read_feed(arena, ada, [request["id"]], None)["next_cursor"]
    lease = arena.lease(token)
    cursor = read_feed(arena, ada, [request["id"]], cursor)["next_cursor"]
    asked = threading.Event()

    async def wait() -> Any:
        query = {"ids": request["id"], "cursor": cursor, "wait_seconds": "25"}
        async with httpx.AsyncClient(base_url=server.url, headers=ada.headers, timeout=40) as http:
            reading = asyncio.create_task(http.get("/v2/episode-requests/changes", params=query))
            await http.get("/healthz")
            asked.set()
            return (await reading).json()

    def beat() -> None:
        asked.wait(20)
        arena.beat(lease)

    beating = threading.Thread(target=beat)
    beating.start()
    page = asyncio.run(wait())
    beating.join()
    assert [entry["episode"]["status"] for entry in page["entries"]] == ["running"]
