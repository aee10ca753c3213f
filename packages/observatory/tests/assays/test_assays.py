"""Calls 33-37: one policy on a list of missions."""

import uuid

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.database.tables.assays import AssayJob
from observatory.database.tables.jobs import Job
from packages.observatory.tests.world import World


@pytest.fixture(scope="module")
def env_config() -> dict:
    return MettaGridConfig.EmptyRoom(num_agents=2).model_dump(mode="json")


@pytest.fixture
def submit(client: TestClient, env_config: dict):
    def submit(account, version: uuid.UUID, missions=("eval_balanced_spread",), **body):
        specs = [
            {"mission_name": name, "env_config": env_config, "num_episodes": 2, "max_steps": 7} for name in missions
        ]
        body = {"policy_version_id": str(version), "missions": specs, **body}
        return client.post("/assay/runs", json=body, headers=account.headers)

    return submit


def jobs_of(world: World, run_id: str) -> list[Job]:
    with world.database.read() as session:
        statement = select(Job).join(AssayJob, AssayJob.job_id == Job.id).where(AssayJob.run_id == uuid.UUID(run_id))
        return list(session.scalars(statement.order_by(Job.id)))


def test_one_job_per_mission_and_episode_with_its_steps_and_seed(submit, world: World, ada) -> None:
    run = submit(ada, world.version(ada), ("one", "two")).json()
    assert (run["status"], run["total_jobs"], run["completed_jobs"], run["failed_jobs"]) == ("pending", 4, 0, 0)
    jobs = jobs_of(world, run["id"])
    assert [job.spec["seed"] for job in jobs] == [42, 43, 42, 43]
    assert {job.spec["env"]["game"]["max_steps"] for job in jobs} == {7}
    assert jobs[0].spec["assignments"] == [0, 0]


def test_a_run_completes_automatically_with_the_numbers_of_diagnose(
    submit, client: TestClient, world: World, ada
) -> None:
    run = submit(ada, world.version(ada), ("eval_balanced_spread", "eval_collect_resources")).json()
    stats = {"action.move.success": 3.0, "action.move.failed": 1.0}
    for index, job in enumerate(jobs_of(world, run["id"])):
        world.finish(job.id, [float(index), float(index)], **stats)

    done = client.get(f"/assay/runs/{run['id']}", headers=ada.headers).json()
    assert done["status"] == "completed" and done["completed_jobs"] == 4 and done["completed_at"]
    results = client.get(f"/assay/runs/{run['id']}/results", headers=ada.headers).json()
    assert results["status"] == "completed"
    spread = results["missions"]["eval_balanced_spread"]
    assert spread["reward_variance"] == pytest.approx(0.5)  # of 0 and 1
    assert spread["non_zero_episode_pct"] == 50.0
    assert spread["mean_move_success"] == pytest.approx(0.75)
    assert {axis["axis"] for axis in results["axes"]} == {"stability", "efficiency"}  # control was not played
    assert all(0 <= axis["score"] <= 100 for axis in results["axes"])
    again = client.post(f"/assay/runs/{run['id']}/finalize", headers=ada.headers).json()
    assert again == done


def test_a_name_keeps_the_same_assay_from_running_twice(submit, client: TestClient, world: World, ada) -> None:
    version = world.version(ada)
    run = submit(ada, version, name="nightly").json()
    assert submit(ada, version, name="nightly").status_code == 409
    assert submit(ada, version).status_code == 200
    early = client.post(f"/assay/runs/{run['id']}/finalize", headers=ada.headers)
    assert early.status_code == 409 and "2 of 2" in early.json()["detail"]
    for job in jobs_of(world, run["id"]):
        world.finish(job.id, [0.0, 0.0])
    assert submit(ada, version, name="nightly").status_code == 200


def test_an_assay_and_its_episodes_belong_to_its_user(submit, client: TestClient, world: World, ada, bob) -> None:
    version = world.version(ada)
    assert submit(bob, version).status_code == 403
    run = submit(ada, version).json()
    world.finish(jobs_of(world, run["id"])[0].id, [1.0, 1.0])
    for path in ("", "/results"):
        assert client.get(f"/assay/runs/{run['id']}{path}", headers=bob.headers).status_code == 404
        assert client.get(f"/assay/runs/{run['id']}{path}").status_code == 401
    assert client.get("/assay/runs", headers=bob.headers).json() == []
    assert [row["id"] for row in client.get("/assay/runs", headers=ada.headers).json()] == [run["id"]]
    assert client.get("/episodes", headers=bob.headers).json() == client.get("/episodes").json() == []
    (episode,) = client.get("/episodes", headers=ada.headers).json()
    assert client.get(episode["replay_url"]).content == b"replay"  # signed, for a while


@pytest.mark.parametrize(
    "change",
    [
        {"missions": []},
        {"missions": [{"mission_name": "", "env_config": {}}]},
        {"missions": [{"mission_name": "x", "env_config": {}, "num_episodes": 0}]},
        {"missions": [{"mission_name": "x", "env_config": {}}]},
        {"missions": [{"mission_name": "x", "env_config": {"game": {"num_agents": 2, "nonsense": 1}}}]},
    ],
)
def test_missions_that_cannot_be_played_are_refused(submit, world: World, ada, change: dict) -> None:
    answer = submit(ada, world.version(ada), **change)
    assert answer.status_code in (400, 422), answer.text


def test_running_assays_are_limited(app, submit, world: World, ada) -> None:
    app.state.settings.max_active_assays_per_user = 1
    version = world.version(ada)
    assert submit(ada, version).status_code == 200
    assert submit(ada, version).status_code == 429
