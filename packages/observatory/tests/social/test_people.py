"""Pages of people, and the search over people and pairs of policies: what everyone may see, and nothing else."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from observatory.accounts.service import create_user
from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.site.test_search import hits
from packages.observatory.tests.world import World

API = "/observatory/api/people"


def person(client: TestClient, key: str, account: Any = None) -> Any:
    return client.get(f"{API}/{key}", headers={} if account is None else account.headers)


def test_a_person_has_policies_seasons_leagues_and_best_results(
    client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    world.season()
    world.version(ada, "mine")
    mine, theirs = world.version(ada, "mine"), world.version(bob, "theirs")
    match = world.match("open", "competition", [(mine, 2), (theirs, 2)])
    world.play(match, [3.0, 3.0, 1.0, 1.0])
    field = Field(world, client)
    league = field.league(bob, league_name="Painters")
    field.enter(ada, league, version=mine)
    answer = person(client, "ada")
    assert answer.status_code == 200, answer.text
    page = answer.json()
    assert (page["id"], page["key"], page["name"], page["mine"]) == (ada.user_id, "ada", "ada", False)
    [policy] = page["policies"]
    assert policy["policy"]["version"] == 2 and policy["versions"] == 2
    assert [(row["season"], row["rank"], row["of"]) for row in page["seasons"]] == [("open", 1, 2)]
    assert [row["league"]["name"] for row in page["leagues"]] == ["Painters"]
    assert [(row["title"], row["rank"], row["of"], row["is_final"]) for row in page["best"]] == [("Open", 1, 2, False)]
    assert [row["id"] for row in page["matches"]] == [str(match)]
    assert ada.email not in answer.text and "example.com" not in answer.text
    assert person(client, ada.user_id).json()["key"] == "ada"
    assert person(client, "ada", ada).json()["mine"] is True
    author = client.get(f"/observatory/api/policies/{mine}").json()["policy"]["author_id"]
    assert author == ada.user_id
    page = client.get("/observatory/people/ada", headers={"Accept": "text/html"})
    assert page.status_code == 200 and '<meta property="og:title" content="ada" />' in page.text


def test_people_without_anything_public_have_no_page(
    client: TestClient, world: World, ada: Any, bob: Any, admin: Any
) -> None:
    assert person(client, "ada").status_code == 404 and person(client, ada.user_id).status_code == 404
    assert person(client, "ada", bob).status_code == 404 and person(client, "ada", ada).status_code == 200
    assert client.get("/observatory/people/ada", headers={"Accept": "text/html"}).status_code == 404
    world.season(public=False)
    mine = world.version(ada)
    world.play(world.match("open", "qualifying", [(mine, 4)]), [1.0] * 4)
    page = person(client, "ada", bob).json()
    assert page["seasons"] == page["matches"] == page["best"] == []
    assert [row["season"] for row in person(client, "ada", admin).json()["seasons"]] == ["open"]


def test_people_with_the_same_name_are_found_by_their_ids(
    client: TestClient, world: World, ada: Any, account: Any
) -> None:
    world.version(ada)
    with world.database.transaction() as session:
        user = create_user(session, email="other@example.com", name="ada", now=world.clock())
        other = type(ada)(user.id, user.email, "", False)
    world.version(other)
    refused = person(client, "ada")
    assert refused.status_code == 404 and "Several people" in refused.json()["detail"]
    assert person(client, ada.user_id).json()["key"] == ada.user_id
    found = [url for kind, _, url in hits(client, "ada") if kind == "person"]
    assert sorted(found) == sorted(f"/observatory/people/{one}" for one in (ada.user_id, user.id))


def test_matches_are_found_by_the_names_of_two_policies(client: TestClient, world: World, ada: Any, bob: Any) -> None:
    world.season()
    mine, theirs, third = world.version(ada, "Big Painter"), world.version(bob, "rival"), world.version(bob, "third")
    match = world.match("open", "competition", [(mine, 2), (theirs, 2)])
    world.match("open", "competition", [(mine, 2), (third, 2)])
    expected = ("match", "Big Painter v1 – rival v1", f"/observatory/matches/{match}")
    queries = ("big painter rival", "rival vs big painter", "rival v1 – Big Painter:v1", "RIVAL against big painter")
    for query in queries:
        assert hits(client, query) == [expected], query
    assert hits(client, "rival third") == [] == hits(client, "rival v2 vs big painter")
    world.season(name="secret", display_name="Secret", public=False, is_default=False)
    world.match("secret", "competition", [(theirs, 2), (third, 2)])
    assert hits(client, "rival third") == [] == hits(client, "rival third", bob)


def test_one_list_has_the_best_hit_first(client: TestClient, world: World, ada: Any, bob: Any) -> None:
    world.season(name="ada-season", display_name="Season of ada")
    world.version(bob, "ada lover")
    world.version(ada, "mine")
    found = hits(client, "ada")
    assert found[0] == ("person", "ada", "/observatory/people/ada")
    assert {kind for kind, _, _ in found} == {"person", "policy", "season"}
