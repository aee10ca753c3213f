"""The queue as a worker sees it, call by call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.store import job_key

RESULTS = {
    "rewards": [1.0, 2.0],
    "action_timeouts": [0, 0],
    "stats": {"game": {"x": 1.0}, "agent": [{"a": 1.0}, {}]},
    "steps": 5,
    "time_averaged_game_stats": {},
}


def job(**changes: Any) -> dict[str, Any]:
    env = MettaGridConfig.EmptyRoom(num_agents=2, width=6, height=6)
    env.game.max_steps = 5
    spec = {"policy_uris": ["metta://policy/random"], "assignments": [0, 0], "env": env.model_dump(mode="json")}
    return {"job": spec | changes}


class Worker:
    """A worker by hand."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.client, self.token = client, token

    def lease(self) -> dict[str, Any] | None:
        answer = self.client.post("/work/lease", json={"worker": "hand"}, headers={"X-Auth-Token": self.token})
        return None if answer.status_code == 204 else answer.json()

    def call(self, lease: dict[str, Any], verb: str, body: Any = None) -> Any:
        headers = {"X-Auth-Token": lease["job_token"]}
        return self.client.post(f"/work/jobs/{lease['job_id']}/{verb}", json=body or {}, headers=headers)

    def send(self, lease: dict[str, Any], name: str, content: bytes, kind: str = "application/json") -> None:
        assert self.client.put(lease["outputs"][name], content=content, headers={"Content-Type": kind}).is_success

    def play(self, lease: dict[str, Any], results: Any = RESULTS) -> Any:
        self.send(lease, "results.json", json.dumps(results).encode())
        self.send(lease, "replay.json.z", b"replay", "application/x-compress")
        return self.call(lease, "finish", {"status": "completed"})


@pytest.fixture
def worker(client: TestClient, admin: Any) -> Worker:
    answer = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers)
    return Worker(client, answer.json()["token"])


@pytest.fixture
def queued(client: TestClient, admin: Any) -> str:
    return client.post("/jobs/batch", json=[job()], headers=admin.headers).json()[0]


def status(client: TestClient, admin: Any, job_id: str) -> dict[str, Any]:
    return client.get(f"/jobs/{job_id}", headers=admin.headers).json()


def test_a_job_is_leased_played_and_finished_once(
    client: TestClient, admin: Any, worker: Worker, queued: str, app: FastAPI
) -> None:
    lease = worker.lease()
    assert lease["job_id"] == queued and lease["policies"][0]["policy"] == "metta://policy/random"
    assert worker.lease() is None
    assert status(client, admin, queued)["status"] == "dispatched"
    assert worker.call(lease, "heartbeat", {"status": "running"}).status_code == 200
    assert status(client, admin, queued)["status"] == "running"
    first = worker.play(lease)
    assert first.json()["status"] == "completed"
    again = worker.call(lease, "finish", {"status": "failed", "error_info": {"error_type": "crash", "message": "?"}})
    assert again.json() == first.json()
    done = status(client, admin, queued)
    assert done["status"] == "completed" and done["result"]["rewards"] == [1.0, 2.0] and done["error"] is None
    assert app.state.store.get(job_key(queued, "replay.json.z")) == b"replay"
    assert b"completed" in app.state.store.get(job_key(queued, "logs.txt"))


def test_a_worker_without_heartbeats_loses_its_job_and_cannot_finish_it(
    client: TestClient, admin: Any, worker: Worker, queued: str, clock: Any, app: FastAPI
) -> None:
    slow = worker.lease()
    clock.advance(61)
    quick = worker.lease()
    assert quick["job_id"] == queued and quick["attempt"] == 2
    assert worker.play(quick).json()["status"] == "completed"
    worker.send(slow, "results.json", json.dumps(RESULTS | {"rewards": [9.0, 9.0]}).encode())
    for verb in ("finish", "heartbeat", "secrets", "release"):
        assert worker.call(slow, verb, {"status": "failed"} if verb == "finish" else None).status_code == 403
    assert json.loads(app.state.store.get(job_key(queued, "results.json")))["rewards"] == [1.0, 2.0]
    assert status(client, admin, queued)["result"]["rewards"] == [1.0, 2.0]


def test_a_worker_that_sends_heartbeats_keeps_its_job(worker: Worker, queued: str, clock: Any) -> None:
    lease = worker.lease()
    for _ in range(5):
        clock.advance(50)
        assert worker.call(lease, "heartbeat").status_code == 200
    assert worker.lease() is None
    assert worker.play(lease).json()["status"] == "completed"


def test_a_job_that_loses_three_workers_has_failed(
    client: TestClient, admin: Any, worker: Worker, queued: str, clock: Any
) -> None:
    for _ in range(3):
        assert worker.lease() is not None
        clock.advance(61)
    assert worker.lease() is None
    failed = status(client, admin, queued)
    assert failed["status"] == "failed" and "3 workers were lost" in failed["error"]


def test_a_released_job_is_played_by_the_next_worker(worker: Worker, queued: str) -> None:
    lease = worker.lease()
    assert worker.call(lease, "release").status_code == 200
    assert worker.call(lease, "heartbeat").status_code == 403
    assert worker.lease()["job_id"] == queued


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (None, "sent no results"),
        ({"rewards": "many"}, "cannot be read"),
        (RESULTS | {"rewards": [1.0]}, "another number of agents"),
    ],
)
def test_success_needs_results_that_fit(
    client: TestClient, admin: Any, worker: Worker, queued: str, results: Any, expected: str
) -> None:
    lease = worker.lease()
    if results is None:
        worker.call(lease, "finish", {"status": "completed"})
    else:
        worker.play(lease, results)
    failed = status(client, admin, queued)
    assert failed["status"] == "failed" and failed["error_type"] == "crash" and expected in failed["error"]


def test_a_failure_names_the_policy(client: TestClient, admin: Any, worker: Worker, queued: str, app: FastAPI) -> None:
    lease = worker.lease()
    error = {"error_type": "policy_error", "message": "crashed: ValueError", "failed_policy_index": 0}
    assert worker.call(lease, "finish", {"status": "failed", "error_info": error}).json()["status"] == "failed"
    assert status(client, admin, queued)["error"] == "crashed: ValueError"
    assert json.loads(app.state.store.get(job_key(queued, "error_info.json")))["failed_policy_index"] == 0


def test_urgent_jobs_come_first_and_then_the_oldest(
    client: TestClient, admin: Any, worker: Worker, app: FastAPI
) -> None:
    from observatory.jobs.service import create_job

    with app.state.database.transaction() as session:
        ids = [create_job(session, job()["job"], now=app.state.clock(), priority=p).id for p in (0, 5, 0, 5)]
    order = [worker.lease()["job_id"] for _ in range(4)]
    assert order == [str(ids[index]) for index in (1, 3, 0, 2)]


def test_a_job_that_cannot_be_played_is_not_queued(client: TestClient, admin: Any) -> None:
    for changes in (
        {"policy_uris": ["file:///etc/passwd"]},
        {"policy_uris": ["http://example.com/policy.zip"]},
        {"assignments": [0]},
        {"assignments": [0, 7]},
        {"env": {"game": 3}},
    ):
        answer = client.post("/jobs/batch", json=[job(), job(**changes)], headers=admin.headers)
        assert answer.status_code == 400, changes
    assert client.get("/jobs", headers=admin.headers).json() == []


def test_operators_move_jobs_only_as_jobs_move(client: TestClient, admin: Any, queued: str) -> None:
    def move(**body: Any) -> int:
        return client.post(f"/jobs/{queued}", json=body, headers=admin.headers).status_code

    assert move(status="running") == 409 and move(status="completed") == 409
    assert move(status="dispatched") == 200 and move(status="running") == 200
    assert move(status="failed", error="by hand") == 200
    assert move(status="running") == 409
    assert status(client, admin, queued)["error"] == "by hand"


def test_jobs_are_visible_to_the_user_who_requested_them(client: TestClient, admin: Any, ada: Any, queued: str) -> None:
    assert client.get(f"/jobs/{queued}", headers=ada.headers).status_code == 404
    assert client.get("/jobs", headers=ada.headers).json() == []
    listed = client.get("/jobs?status=pending", headers=admin.headers)
    assert [entry["id"] for entry in listed.json()] == [queued] and listed.headers["x-total-count"] == "1"
    assert client.post("/jobs/batch", json=[job()], headers=ada.headers).status_code == 403


def test_worker_tokens_and_user_tokens_are_not_interchangeable(client: TestClient, admin: Any, worker: Worker) -> None:
    assert client.get("/whoami", headers={"X-Auth-Token": worker.token}).status_code == 401
    assert client.post("/work/lease", json={"worker": "x"}, headers=admin.headers).status_code == 401


def test_a_full_store_leases_no_job_until_space_is_free(
    app: FastAPI, worker: Worker, client: TestClient, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/jobs/batch", json=[job()], headers=admin.headers)
    with monkeypatch.context() as patch:
        patch.setattr(app.state.settings, "min_free_bytes", 1 << 60)
        assert worker.lease() is None
        assert client.get("/healthz").status_code == 200
    assert worker.lease() is not None
