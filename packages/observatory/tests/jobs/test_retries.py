"""A job that a worker's machine failed is played by another worker, and no policy pays for it."""

from __future__ import annotations

import multiprocessing
import threading
import uuid
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.jobs import Job
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.jobs.test_leases import RESULTS, job, status
from packages.observatory.tests.jobs.test_leases import Worker as HandWorker


class Named(HandWorker):
    """A worker by hand, with a name."""

    def __init__(self, client: TestClient, token: str, name: str) -> None:
        super().__init__(client, token)
        self.name = name

    def lease(self) -> dict[str, Any] | None:
        answer = self.client.post("/work/lease", json={"worker": self.name}, headers={"X-Auth-Token": self.token})
        return None if answer.status_code == 204 else answer.json()

    def fail(self, lease: dict[str, Any]) -> None:
        assert self.call(lease, "release", {"fault": f"the disk of {self.name} is full"}).status_code == 200


@pytest.fixture
def token(client: TestClient, admin: Any) -> str:
    return client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]


@pytest.fixture
def queued(client: TestClient, admin: Any) -> list[str]:
    return client.post("/jobs/batch", json=[job()], headers=admin.headers).json()


def blamed(app: FastAPI, job_id: str) -> int | None:
    """The position of the policy that is charged with a failure."""
    with app.state.database.read() as session:
        return session.get_one(Job, uuid.UUID(job_id)).failed_policy_index


def test_a_job_that_one_machine_failed_goes_to_another_worker(
    client: TestClient, admin: Any, token: str, queued: list[str]
) -> None:
    broken, good = Named(client, token, "broken"), Named(client, token, "good")
    assert good.lease()["job_id"] == queued[0]  # it is heard of, and busy
    [second] = client.post("/jobs/batch", json=[job()], headers=admin.headers).json()
    lease = broken.lease()
    assert lease["job_id"] == second
    broken.fail(lease)
    assert broken.lease() is None, "another worker lives, which has not failed it"
    again = good.lease()
    assert again["job_id"] == second and again["attempt"] == 2
    assert good.play(again, RESULTS).json()["status"] == "completed"
    listed = {row["id"]: row for row in client.get("/observatory/api/admin/jobs", headers=admin.headers).json()}
    assert listed[second]["faults"] == ["broken: the disk of broken is full"]


def test_a_worker_gets_other_jobs_than_the_one_it_failed(
    client: TestClient, admin: Any, token: str, queued: list[str]
) -> None:
    broken, good = Named(client, token, "broken"), Named(client, token, "good")
    broken.fail(broken.lease())
    [other] = client.post("/jobs/batch", json=[job()], headers=admin.headers).json()
    assert good.lease()["job_id"] == queued[0]
    assert broken.lease()["job_id"] == other


def test_the_only_worker_gets_the_job_again(client: TestClient, token: str, queued: list[str], clock: Any) -> None:
    alone, stopped = Named(client, token, "alone"), Named(client, token, "gone")
    assert stopped.call(stopped.lease(), "release").status_code == 200
    alone.fail(alone.lease())
    assert alone.lease() is None
    clock.advance(61)  # the other was not heard of for a minute
    assert alone.lease()["job_id"] == queued[0]


def test_a_job_that_every_worker_failed_is_played_by_any_of_them(
    app: FastAPI, client: TestClient, admin: Any, token: str, queued: list[str]
) -> None:
    workers = [Named(client, token, name) for name in ("one", "two")]
    leases = [worker.lease() for worker in workers]
    assert leases[1] is None
    for worker in workers:
        worker.fail(leases[0] or worker.lease())
        leases[0] = None
    last = workers[0].lease()
    assert last["attempt"] == 3
    workers[0].fail(last)
    failed = status(client, admin, queued[0])
    assert failed["status"] == "failed" and failed["error_type"] == "internal_error"
    assert "no policy is at fault" in failed["error"] and blamed(app, queued[0]) is None


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_an_episode_that_exceeds_its_whole_time_limit_is_a_fault_of_the_machine(
    server: Any, client: TestClient, admin: Any, token: str, queued: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.app.state.settings, "job_time_limit_seconds", 0.2)
    # Policies that take too long are stopped in the process that plays; here that process itself does not end.
    monkeypatch.setattr("cogames.league.game.MettaGridGame.play", lambda *_, **__: threading.Event().wait())
    jobs = HttpJobClient(server.url, token)
    worker = Worker(jobs, "slow")
    worker._context = multiprocessing.get_context("fork")
    worker.run(once=True)
    assert (status(client, admin, queued[0])["status"], status(client, admin, queued[0])["error"]) == ("pending", None)
    for _ in range(2):
        worker.run(once=True)
    jobs.close()
    failed = status(client, admin, queued[0])
    assert (failed["status"], failed["error_type"]) == ("failed", "internal_error")
    assert blamed(server.app, queued[0]) is None
    [row] = client.get("/observatory/api/admin/jobs", headers=admin.headers).json()
    assert row["faults"] == ["slow: The episode was not over after 0.2 seconds"] * 3
