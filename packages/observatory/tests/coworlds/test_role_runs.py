"""Reporters, graders and diagnosers look at finished episodes, on request and where a league says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.requests import EpisodeRequest, RequestSource
from observatory.job_states import JobStatus
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.service import Ending
from observatory.requests.creation import EpisodePlan, SeatPlan, request_episodes
from observatory.store import job_key
from packages.coworld.tests.roles.components import emitting
from packages.observatory.tests.coworlds.games import end_job, game, jobs_of, pass_smoke_episodes, publish
from packages.observatory.tests.coworlds.test_certifying import worker as machine
from packages.observatory.tests.coworlds.test_reporters import register, upload
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.world import World

__all__ = ["machine"]

HTML = 0  # the kind of a part, as components count them
RESULTS = {"scores": [3.0, 1.0], "painted_tiles": [3, 1], "ticks": 6}
REPLAY = {"config": {"width": 6, "height": 6}, "player_names": ["Ada", "Ben"], "frames": [], "results": RESULTS}


@pytest.fixture
def episode(app: FastAPI, client: TestClient, ada: Any, clock: Any) -> str:
    """A smoke episode of ada's game that has ended; its id."""
    return finished_episode(app, client, ada, clock, game())


def finished_episode(app: FastAPI, client: TestClient, ada: Any, clock: Any, manifest: dict[str, Any]) -> str:
    coworld_id = publish(client, ada, manifest).json()["id"]
    [job_id] = jobs_of(app, coworld_id, "episode")
    store = app.state.store
    store.put(job_key(job_id, "results.json"), json.dumps(RESULTS).encode())
    store.put(job_key(job_id, "replay"), json.dumps(REPLAY).encode())
    store.put(job_key(job_id, "policy_agent_0.log"), b"a secret thought")
    pass_smoke_episodes(app, clock, coworld_id)
    [job] = jobs_of(app, coworld_id, "certification")
    end_job(app, clock, job, Ending(JobStatus.COMPLETED, {"certified": True, "steps": []}))
    [row] = client.get(f"/v2/coworlds/{coworld_id}/episode-requests", headers=ada.headers).json()["entries"]
    return row["id"]


@pytest.mark.any_database
def test_roles_look_at_an_episode_on_request(
    client: TestClient, ada: Any, bob: Any, episode: str, machine: Any
) -> None:
    path = f"/v2/episode-requests/{episode}"
    asked = client.post(f"{path}/role-runs", json={}, headers=ada.headers)
    assert asked.status_code == 200, asked.text
    assert [(run["role"], run["role_id"], run["status"]) for run in asked.json()] == [
        ("reporter", "softmax/default-reporter@1", "pending"),
        ("grader", "default-grader", "pending"),
    ]
    diagnosis = client.post(f"{path}/role-runs", json={"role": "diagnoser", "target": 1}, headers=ada.headers)
    assert [run["target"] for run in diagnosis.json()] == [1]
    again = client.post(f"{path}/role-runs", json={}, headers=ada.headers).json()
    assert [run["id"] for run in again] == [run["id"] for run in asked.json()]
    for _ in range(3):
        machine.run(once=True)
    reports = client.get(f"{path}/reports", headers=ada.headers).json()
    assert [(run["status"], run["error"]) for run in reports] == [("completed", None)] * 3
    outputs = [{output["name"]: output for output in run["outputs"]} for run in reports]
    assert [{name: output["type"] for name, output in each.items()} for each in outputs] == [
        {"report": "file", "page": "render-html", "event_log": "event-log"},
        {"grade": "json"},
        {"diagnosis": "file", "page": "render-markdown"},
    ]
    grade = client.get(outputs[1]["grade"]["url"])
    assert grade.json()["winner_slot"] == 0 and len(grade.content) == outputs[1]["grade"]["size_bytes"]
    page = client.get(outputs[0]["page"]["url"])
    assert "sandbox" in page.headers["content-security-policy"] and "a secret thought" not in page.text
    assert client.get(f"{path}/reports", headers=bob.headers).status_code == 404
    assert client.post(f"{path}/role-runs", json={}, headers=bob.headers).status_code == 404


@pytest.mark.any_database
def test_an_uploaded_reporter_looks_at_an_episode(
    app: FastAPI, client: TestClient, ada: Any, clock: Any, machine: Any
) -> None:
    reporter = register(client, ada, "story", "render-html")["id"]
    outputs = [{"name": "recap", "type": "render-html", "description": "The recap."}]
    upload(client, ada, "story", emitting(HTML, "<h1>Hi</h1>"), outputs=outputs)
    reference = f"{ada.user_id}/story@1"
    episode = finished_episode(app, client, ada, clock, game(reporter=[{"reporter": reference}]))
    client.post(f"/v2/episode-requests/{episode}/role-runs", json={"role": "reporter"}, headers=ada.headers)
    machine.run(once=True)
    [run] = client.get(f"/v2/episode-requests/{episode}/reports", headers=ada.headers).json()
    assert (run["role_id"], run["status"], run["error"]) == (reference, "completed", None)
    pages = [output for output in run["outputs"] if output["type"] == "render-html"]
    assert "<h1>Hi</h1>" in client.get(pages[0]["url"]).text
    row = client.get(f"/v2/reporters/{reporter}").json()
    assert (row["run_count"], row["output_count"]) == (1, len(run["outputs"]))


def test_a_failed_run_says_why_and_can_be_repeated(
    app: FastAPI, client: TestClient, ada: Any, clock: Any, episode: str
) -> None:
    path = f"/v2/episode-requests/{episode}"
    [run] = client.post(f"{path}/role-runs", json={"role": "grader"}, headers=ada.headers).json()
    [job_id] = jobs_of(app, _coworld(app), "role")
    error = ErrorInfo(error_type="role_failed", message="The grader 'default-grader' ended with status 1")
    end_job(app, clock, job_id, Ending(JobStatus.FAILED, error=error))
    [failed] = client.get(f"{path}/reports", headers=ada.headers).json()
    assert (failed["status"], failed["error"]) == ("failed", error.message)
    [again] = client.post(f"{path}/role-runs", json={"role": "grader"}, headers=ada.headers).json()
    assert (again["id"], again["status"], again["error"]) == (run["id"], "pending", None)
    for body, sentence in (
        ({"role": "diagnoser"}, "A diagnoser looks at one seat"),
        ({"role": "diagnoser", "target": 2}, "The episode has the seats 0 to 1, not 2"),
        ({"role": "grader", "target": 0}, "other roles look at the whole episode"),
        ({"role": "grader", "role_id": "x"}, "paintarena has no grader 'x'"),
    ):
        answer = client.post(f"{path}/role-runs", json=body, headers=ada.headers)
        assert (answer.status_code, sentence in answer.json()["detail"]) == (400, True), answer.text


@pytest.mark.any_database
def test_roles_look_at_episodes_that_have_ended(app: FastAPI, client: TestClient, ada: Any) -> None:
    coworld_id = publish(client, ada, game()).json()["id"]
    [row] = client.get(f"/v2/coworlds/{coworld_id}/episode-requests", headers=ada.headers).json()["entries"]
    answer = client.post(f"/v2/episode-requests/{row['id']}/role-runs", json={}, headers=ada.headers)
    assert (answer.status_code, "roles look at episodes that have ended" in answer.json()["detail"]) == (409, True)


@pytest.mark.any_database
def test_roles_look_at_every_completed_episode_of_a_league_that_says_so(
    app: FastAPI, client: TestClient, world: World, ada: Any, clock: Any
) -> None:
    field = Field(world, client)
    coworld_id = publish(client, ada, game()).json()["id"]
    league = field.league(ada)
    division = field.division(league)
    settings = {"role_runs": ["grader"]}
    answer = client.post(f"/v2/leagues/{league}/settings", json=settings, headers=ada.headers)
    assert answer.status_code == 200, answer.text
    round_id = raw(field.round(division, {}))
    with app.state.database.transaction() as session:
        coworld = session.get_one(Coworld, raw(coworld_id))
        plan = EpisodePlan([SeatPlan(game_player_id="sweep")] * 2, variant_id="default")
        [episode] = request_episodes(
            session, coworld, [plan], source=RequestSource.ROUND, user_id=ada.user_id, now=clock(), round_id=round_id
        )
    pass_smoke_episodes(app, clock, coworld_id)
    reports = client.get(f"/v2/episode-requests/ereq_{episode.id}/reports").json()
    assert [(run["role"], run["status"]) for run in reports] == [("grader", "pending")]
    assert len(jobs_of(app, coworld_id, "role")) == 1  # none for the smoke episode


def _coworld(app: FastAPI) -> str:
    with app.state.database.read() as session:
        return f"cow_{session.query(EpisodeRequest).one().coworld_id}"
