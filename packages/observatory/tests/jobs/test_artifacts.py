"""Files of episodes count against the share of whoever asked for them, and replays go after a while."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.jobs import Job
from observatory.jobs.service import create_job
from observatory.jobs.stored_total import StoredTotal
from observatory.operations.sweeping import expire
from observatory.quotas import stored_bytes
from observatory.store import job_key
from packages.observatory.tests.jobs.test_leases import Worker, job
from packages.observatory.tests.world import FREEPLAY, World

DAY = 24 * 3600
REPLAY = b"r" * 5000


@pytest.fixture
def worker(client: TestClient, admin: Any) -> Worker:
    answer = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers)
    return Worker(client, answer.json()["token"])


def play(app: FastAPI, worker: Worker, user_id: str | None) -> uuid.UUID:
    """An episode that a user asked for, played; its job."""
    with app.state.database.transaction() as session:
        job_id = create_job(session, job()["job"], now=app.state.clock(), user_id=user_id).id
    lease = worker.lease()
    assert lease is not None and lease["job_id"] == str(job_id)
    worker.send(lease, "actions.json.z", REPLAY, "application/x-compress")
    assert worker.play(lease).json()["status"] == "completed"
    return job_id


def stored(app: FastAPI, user_id: str | None = None) -> int:
    with app.state.database.read() as session:
        return StoredTotal().read(session) if user_id is None else stored_bytes(session, user_id)


def sizes(app: FastAPI, job_id: uuid.UUID) -> dict[str, int]:
    store = app.state.store
    return {key.rpartition("/")[2]: store.size(key) for key in store.keys(f"jobs/{job_id}/")}


def test_every_file_of_an_episode_counts_against_the_user_who_requested_it(
    app: FastAPI, worker: Worker, ada: Any, bob: Any
) -> None:
    job_id = play(app, worker, ada.user_id)
    files = sizes(app, job_id)
    assert files.keys() >= {"results.json", "replay.json.z", "actions.json.z", "spec.json", "logs.txt"}
    assert stored(app, ada.user_id) == sum(files.values()) > len(REPLAY)
    assert stored(app, bob.user_id) == 0
    play(app, worker, None)
    assert stored(app, ada.user_id) == sum(files.values()) < stored(app)


def test_the_total_of_the_store_is_measured_once_and_then_only_extended(
    app: FastAPI, worker: Worker, ada: Any, clock: Any
) -> None:
    total = StoredTotal()
    first = play(app, worker, None)
    clock.advance(3600)
    total.measure(app.state.database, clock())
    second = play(app, worker, ada.user_id)
    everything = stored(app)
    assert everything == sum(sizes(app, first).values()) + sum(sizes(app, second).values())
    with app.state.database.transaction() as session:
        session.get_one(Job, first).artifact_bytes = 0  # it is not read again
    with app.state.database.read() as session:
        assert total.read(session) == everything
    total.measure(app.state.database, clock())
    with app.state.database.read() as session:
        assert total.read(session) == stored(app) < everything


def test_without_room_an_episode_keeps_its_results_and_not_its_replay(
    app: FastAPI, client: TestClient, worker: Worker, world: World, ada: Any
) -> None:
    version = world.version(ada)
    bundles = stored(app, ada.user_id)
    first = play(app, worker, ada.user_id)
    app.state.settings.max_stored_bytes_per_user = stored(app, ada.user_id) + 4000
    second = play(app, worker, ada.user_id)
    assert sizes(app, second).keys() == sizes(app, first).keys() - {"replay.json.z", "actions.json.z"}
    episodes_bytes = sum(sizes(app, first).values()) + sum(sizes(app, second).values())
    assert stored(app, ada.user_id) == bundles + episodes_bytes
    document = client.get(f"/jobs/{second}", headers=ada.headers).json()
    assert document["status"] == "completed" and document["result"]["rewards"] == [1.0, 2.0]
    episodes = {row["tags"]["job_id"]: row for row in client.get("/episodes", headers=ada.headers).json()}
    assert episodes[str(first)]["replay_url"] is not None and episodes[str(second)]["replay_url"] is None
    # A user without any room left can ask for no more.
    app.state.settings.max_stored_bytes_per_user = stored(app, ada.user_id)
    env = job()["job"]["env"]
    mission = {"mission_name": "empty", "env_config": env, "num_episodes": 1, "max_steps": 5}
    body = {"policy_version_id": str(version), "missions": [mission]}
    refused = client.post("/assay/runs", json=body, headers=ada.headers)
    assert refused.status_code == 413 and "your quota is" in refused.json()["detail"]


def test_sizes_of_older_episodes_are_measured_by_the_sweeper(app: FastAPI, worker: Worker, ada: Any) -> None:
    job_id = play(app, worker, ada.user_id)
    before = stored(app, ada.user_id)
    with app.state.database.transaction() as session:
        session.get_one(Job, job_id).artifact_bytes = None
    assert stored(app, ada.user_id) == 0
    expire(app.state.database, app.state.store, app.state.settings, app.state.clock())
    assert stored(app, ada.user_id) == before


def test_a_season_says_how_long_its_replays_are_kept(
    app: FastAPI, client: TestClient, world: World, ada: Any, admin: Any, clock: Any
) -> None:
    freeplay = {**FREEPLAY["freeplay"], "rolling": {"keep_replays_days": 10}}
    short = world.season(name="short", is_default=False, freeplay=freeplay)
    long = world.season()
    version = world.version(ada)
    matches = [world.match(season, "competition", [(version, 4)]) for season in (short, long)]
    for match in matches:
        world.play(match, [1.0, 2.0, 3.0, 4.0])

    def replays() -> list[bool]:
        clock.advance(1)
        expire(app.state.database, app.state.store, app.state.settings, clock())
        keys = [job_key(world.job_of(match), "replay.json.z") for match in matches]
        there = [app.state.store.size(key) is not None for key in keys]
        urls = [client.get(f"/observatory/api/matches/{match}").json()["viewer_url"] for match in matches]
        assert [url is not None for url in urls] == there, "a page shows no replay that is gone"
        return there

    assert replays() == [True, True]
    clock.advance(9 * DAY)
    assert replays() == [True, True]
    clock.advance(2 * DAY)
    assert replays() == [False, True]
    clock.advance(365 * DAY)
    assert replays() == [False, False]
    with app.state.database.read() as session:
        job_row = session.get_one(Job, world.job_of(matches[0]))
        assert job_row.result is not None and job_row.replay_removed_at is not None


def test_recompute_does_not_report_an_expired_replay(
    app: FastAPI, client: TestClient, world: World, worker: Worker, ada: Any, admin: Any, clock: Any
) -> None:
    season = world.season()
    version = world.version(ada)
    match = world.match(season, "competition", [(version, 4)])
    lease = worker.lease()
    four = {"rewards": [1.0] * 4, "action_timeouts": [0] * 4, "steps": 5, "time_averaged_game_stats": {}}
    assert worker.play(lease, four | {"stats": {"game": {}, "agent": [{}] * 4}}).json()["status"] == "completed"
    clock.advance(366 * DAY)
    expire(app.state.database, app.state.store, app.state.settings, clock())
    store = app.state.store
    assert store.size(job_key(world.job_of(match), "replay.json.z")) is None
    assert json.loads(store.get(job_key(world.job_of(match), "results.json")))["steps"] == 5
    report = client.post("/observatory/api/admin/recompute", json={"check": True}, headers=admin.headers).json()
    assert [finding for finding in report["findings"] if finding["match_id"] == str(match)] == []
