"""The page of a policy: all its matches, its versions, its partners or opponents, and its diagnosis."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from observatory.database.tables.assays import AssayJob
from packages.observatory.tests.world import World

API = "/observatory/api"
EACH = [(0, 1.0, 2.0), (1, 4.0, 2.0), (2, 3.0, 3.0)]


@pytest.fixture
def rival(world: World, clock, ada, bob) -> dict[str, Any]:
    """Matches of ada's `mine` with two policies of bob's, whose scores differ; one failed, one waits."""
    world.season()
    mine, first, second = world.version(ada, "mine"), world.version(bob, "first"), world.version(bob, "second")
    matches = []
    for sample, own, other in EACH:
        match = world.match("open", "competition", [(mine, 2), (first, 2)], repetition=sample)
        world.play(match, [own, own, other, other])
        matches.append(str(match))
        clock.advance(60)
    failed = world.match("open", "competition", [(mine, 2), (second, 2)])
    world.fail(failed, "it broke")
    clock.advance(60)
    waiting = world.match("open", "qualifying", [(mine, 4)])
    return {"mine": mine, "first": first, "second": second, "matches": [*matches, str(failed), str(waiting)]}


def test_all_matches_of_a_policy_with_filters_orders_and_pages(client: TestClient, world: World, rival, admin) -> None:
    path = f"{API}/policies/{rival['mine']}/matches"
    won_not, won, drawn, failed, waiting = matches = rival["matches"]

    def ids(query: str = "") -> list[str]:
        return [row["id"] for row in client.get(f"{path}?{query}").json()["rows"]]

    assert ids() == matches[::-1] and ids("sort=oldest") == matches
    assert ids("sort=best") == [won, drawn, won_not] and ids("sort=worst") == [won_not, drawn, won]
    assert (ids("result=won"), ids("result=lost")) == ([won], [won_not])
    assert (ids("result=at_fault"), ids("result=open")) == ([failed], [waiting])
    assert client.get(f"{API}/policies/{rival['second']}/matches?result=at_fault").json()["rows"] == []
    assert ids(f"partner={rival['second']}") == [failed]
    assert ids("season=open:v1&result=completed") == [drawn, won, won_not] and ids("season=other") == []
    for sort in ("newest", "oldest", "best", "worst"):
        read, cursor = [], ""
        while cursor is not None:
            page = client.get(f"{path}?limit=2&sort={sort}{cursor and f'&cursor={cursor}'}").json()
            read += [row["id"] for row in page["rows"]]
            assert page["total"] == (3 if sort in ("best", "worst") else 5)
            cursor = page["next_cursor"]
        assert read == ids(f"sort={sort}")
    assert client.get(f"{path}?cursor=nonsense").status_code == 400
    other_order = client.get(f"{path}?limit=2").json()["next_cursor"]
    assert client.get(f"{path}?sort=best&cursor={other_order}").status_code == 400

    hidden = world.season(name="hidden", public=False, is_default=False)
    private = world.match(hidden, "competition", [(rival["mine"], 2), (rival["first"], 2)])
    assert ids() == matches[::-1]
    seen = client.get(path, headers=admin.headers).json()["rows"]
    assert [row["id"] for row in seen] == [str(private), *matches[::-1]]


def test_opponents_are_compared_head_to_head_and_versions_by_their_scores(
    client: TestClient, world: World, rival, ada
) -> None:
    newer = world.version(ada, "mine")
    match = world.match("open", "competition", [(newer, 2), (rival["first"], 2)], repetition=3)
    world.play(match, [5.0, 5.0, 2.0, 2.0])
    page = client.get(f"{API}/policies/{rival['mine']}").json()
    assert page["shared_reward"] is False and page["partners"] == []
    [row] = page["head_to_head"]
    assert (row["matches"], row["difference"]) == (3, pytest.approx(1 / 3))
    assert [(line["version"], line["score"], line["matches"]) for line in page["versions"]] == [
        (2, 5.0, 1),
        (1, pytest.approx(8 / 3), 3),
    ]
    [place] = [row for row in page["seasons"] if row["pool"] == "competition"]
    assert all(page["versions"][1][name] == place[name] for name in ("rank", "score", "low", "high", "matches"))


def test_partners_with_a_shared_reward_are_compared_with_the_average_on_the_same_maps(
    client: TestClient, world: World, ada, bob
) -> None:
    world.season()
    mine = world.version(ada, "mine")
    good, bad = world.version(bob, "good"), world.version(bob, "bad")
    for sample, (with_good, with_bad) in enumerate([(10.0, 8.0), (2.1, 0.3), (5.0, 1.0)]):
        for partner, reward in ((good, with_good), (bad, with_bad)):
            # Seats of different sizes: sums are rounded differently.
            world.play(world.match("open", "competition", [(mine, 1), (partner, 3)], repetition=sample), [reward] * 4)
    page = client.get(f"{API}/policies/{mine}").json()
    assert page["shared_reward"] is True and page["head_to_head"] == []
    rows = [(row["partner"]["name"], row["matches"], row["difference"]) for row in page["partners"]]
    assert rows == [("good", 3, pytest.approx(1.3)), ("bad", 3, pytest.approx(-1.3))]
    assert page["partners"][0]["average"] == pytest.approx((9.0 + 1.2 + 3.0) / 3)
    assert page["partners"][0]["low"] < 1.3 < page["partners"][0]["high"]


def test_an_owner_has_a_policy_diagnosed_and_reads_the_findings(client: TestClient, world: World, ada, bob) -> None:
    version = world.version(ada, "mine")
    path = f"{API}/policies/{version}/diagnosis"
    empty = client.get(path, headers=ada.headers).json()
    assert empty == {"run": None, "axes": [], "missions": {}, "findings": [], "why_not": None}
    assert client.get(path, headers=bob.headers).status_code == 403
    assert client.post(path, headers=bob.headers).status_code == 403

    started = client.post(path, headers=ada.headers).json()
    assert (started["run"]["status"], started["run"]["total_jobs"], started["axes"]) == ("pending", 18, [])
    again = client.post(path, headers=ada.headers)
    assert (again.status_code, again.json()["detail"]) == (409, "A diagnosis of this policy version is running already")
    with world.database.read() as session:
        jobs = list(session.scalars(select(AssayJob.job_id)))
    for job in jobs:  # it stands still all the time
        world.finish(job, [0.0] * 8, **{"status.max_steps_without_motion": 10.0})
    done = client.get(path, headers=ada.headers).json()
    assert done["run"]["status"] == "completed" and len(done["missions"]) == 6
    assert {axis["axis"] for axis in done["axes"]} == {"stability", "efficiency", "control"}
    assert done["findings"] and all(finding["action"] for finding in done["findings"])


def test_a_user_starts_a_limited_number_of_diagnoses_a_day(
    client: TestClient, world: World, clock, ada, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.app.state.settings, "max_diagnoses_per_day", 1)
    first, second = world.version(ada, "first"), world.version(ada, "second")
    assert client.post(f"{API}/policies/{first}/diagnosis", headers=ada.headers).status_code == 200
    refused = client.post(f"{API}/policies/{second}/diagnosis", headers=ada.headers)
    assert refused.status_code == 429 and "1 diagnoses a day" in refused.json()["detail"]
    assert client.get(f"{API}/policies/{second}/diagnosis", headers=ada.headers).json()["why_not"] is not None
    clock.advance(25 * 3600)
    assert client.get(f"{API}/policies/{second}/diagnosis", headers=ada.headers).json()["why_not"] is None
