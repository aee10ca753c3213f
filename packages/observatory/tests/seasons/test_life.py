"""The life of a season: drafts, consequences before each step, cancelled matches and how a step is undone."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from packages.observatory.tests.seasons.test_administration import MINE, SEASONS, TEAM
from packages.observatory.tests.world import World


@pytest.fixture
def call(client: TestClient, admin: Any) -> Callable[..., Any]:
    """A call of an administrator; the document, or the status of a refusal."""

    def send(method: str, path: str, body: Any = None) -> Any:
        answer = client.request(method, SEASONS + path, json=body, headers=admin.headers)
        return answer.json() if answer.is_success else answer.status_code

    return send


def steps(call: Any, name: str) -> dict[str, Any]:
    return {step["action"]: step for step in call("GET", f"/{name}/life")["steps"]}


def test_a_draft_is_seen_by_administrators_only_until_it_is_opened(
    call: Any, client: TestClient, world: World, ada: Any
) -> None:
    assert call("POST", "", {"yaml": MINE, "draft": True})["sentence"] == "Made a draft of mine"
    published = lambda: client.get("/tournament/seasons", headers=ada.headers).json()  # noqa: E731
    assert published() == [] and client.get("/observatory/api/seasons/mine", headers=ada.headers).status_code == 404
    assert client.get("/tournament/seasons/mine/leaderboard", headers=ada.headers).status_code == 404
    found = client.get("/observatory/api/search", params={"q": "mine"}, headers=ada.headers).json()
    assert "/observatory/seasons/mine" not in str(found)
    version = world.version(ada)
    body = {"policy_version_id": str(version)}
    assert client.post("/tournament/seasons/mine/submissions", json=body, headers=ada.headers).status_code == 404
    # Even the rules of a draft change in place.
    changed = MINE.replace("[[1, 1]]", "[[2, 2]]").replace("num_agents: 2", "num_agents: 4")
    assert call("PUT", "/mine/yaml", {"yaml": changed})["change"] == "edited"
    assert call("POST", "/mine/start") == 400 and call("POST", "/mine/roll") == 409 == call("POST", "/mine/close")
    assert list(steps(call, "mine")) == ["open"]
    assert call("POST", "/mine/open")["sentence"] == "mine is open and plays"
    [season] = published()
    assert (season["name"], season["version"], season["status"]) == ("mine", 1, "in_progress")
    assert call("POST", "/mine/draft")["change"] == "draft" and published() == []
    call("POST", "/mine/open")
    assert client.post("/tournament/seasons/mine/submissions", json=body, headers=ada.headers).is_success
    assert call("POST", "/mine/draft") == 409, "a policy is in it"


def test_the_start_of_a_team_season_is_undone_until_its_first_match(call: Any) -> None:
    call("POST", "", {"yaml": TEAM})
    assert call("POST", "/together/start")["change"] == "started"
    assert call("POST", "/together/unstart")["change"] == "opened"
    assert list(steps(call, "together")) == ["start", "draft", "close", "roll"]


def test_closing_cancels_waiting_matches_and_reopening_schedules_the_same_ones(
    call: Any, client: TestClient, world: World, ada: Any, admin: Any
) -> None:
    name = world.season()
    first, second = world.version(ada), world.version(ada)
    waiting = world.match(name, "competition", [(first, 2), (second, 2)])
    before = _games(world)
    effects = steps(call, name)["close"]["consequences"]
    assert "1 waiting match will be cancelled" in effects and "2 policies lose matches that were scheduled" in effects
    assert "1 waiting match was cancelled" in call("POST", f"/{name}/close", {"reason": "a storm"})["sentence"]
    page = client.get(f"/observatory/api/matches/{waiting}", headers=ada.headers).json()
    assert page["status"] == "cancelled"
    assert page["error"] == "Cancelled by root, who closed the season: a storm"
    published = client.get(f"/tournament/matches/{waiting}", headers=ada.headers).json()
    assert (published["status"], published["error_type"]) == ("failed", "cancelled")
    assert (
        "1 cancelled match is scheduled again, with the same maps and seeds"
        in steps(call, name)["reopen"]["consequences"]
    )
    assert "1 cancelled match is scheduled again" in call("POST", f"/{name}/open")["sentence"]
    assert _games(world) == before
    assert client.get(f"/observatory/api/matches/{waiting}", headers=ada.headers).json()["status"] == "waiting"
    audit = client.get("/observatory/api/admin/audit-log?action=season.", headers=admin.headers).json()
    assert [row["action"] for row in audit["rows"]] == ["season.open", "season.close"]


def _games(world: World) -> list[tuple[uuid.UUID, Any]]:
    """The waiting matches and what exactly their jobs play."""
    with world.database.read() as session:
        rows = session.execute(select(Match.id, Job.stored_spec).join(Job, Match.job_id == Job.id).order_by(Match.id))
        return [(match_id, spec) for match_id, spec in rows]


def test_the_form_and_its_yaml_are_two_views_of_one_season(call: Any, client: TestClient, world: World) -> None:
    form = call("GET", "/form")
    document = form["document"] | {"name": "cup", "display_name": "Cup", "summary": "A cup"}
    document["freeplay"] = {"game": {"mission": "arena", "num_agents": 4}, "splits": [[2, 2]], "repetitions": 3}
    checked = call("POST", "/preview", {"document": document, "policies": 4})
    assert checked["good"] and [stage["matches"] for stage in checked["preview"]["stages"]] == [8, 18]
    assert checked["preview"]["basis"].startswith("No match has been played")
    off = call("POST", "/preview", {"yaml": checked["yaml"] + "  live: off\n"})
    assert off["document"]["freeplay"]["live"] == {"watch": False}
    commented = "# my cup\n" + checked["yaml"]
    again = call("POST", "/preview", {"yaml": commented, "policies": 4})
    assert again["yaml"] == commented and again["document"] == document | {"tournament_type": "freeplay"}
    document["freeplay"]["splits"] = [[2, 3]]
    document["summary"] = 7
    broken = call("POST", "/preview", {"document": document})
    assert not broken["good"] and {tuple(problem["path"]) for problem in broken["problems"]} == {
        ("summary",),
        ("freeplay",),
    }
    document["freeplay"] |= {"splits": [[2, 2]], "game": {"mission": "nowhere", "num_agents": 4}}
    document["summary"] = "A cup"
    [problem] = call("POST", "/preview", {"document": document})["problems"]
    assert problem["path"] == ["freeplay", "game", "mission"] and "nowhere" in problem["message"]


def test_the_cost_of_a_season_follows_from_measured_matches_of_seasons_like_it(
    call: Any, world: World, ada: Any, clock: Any
) -> None:
    name = world.season()
    match = world.match(name, "competition", [(world.version(ada), 4)])
    world.play(match, [1.0] * 4)
    text = MINE.replace("tutorial, num_agents: 2", "arena, num_agents: 4").replace("[[1, 1]]", "[[2, 2]]")
    preview = call("POST", "/preview", {"yaml": text, "policies": 3})["preview"]
    assert preview["matches"] == 3 * 2 + 3 * 5
    assert preview["basis"] == "Measured with the last 1 match of arena with 4 agents"
    assert preview["cpu_seconds"] == pytest.approx(preview["matches"] * preview["match_seconds"])
    assert preview["workers"] == 0 and preview["days"] is None
