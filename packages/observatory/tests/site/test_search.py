"""One search over everything, and nothing that the caller may not see."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import Visibility
from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World

API = "/observatory/api/search"


def hits(client: TestClient, query: str, account: Any = None) -> list[tuple[str, str, str]]:
    answer = client.get(API, params={"q": query}, headers={} if account is None else account.headers)
    assert answer.status_code == 200, answer.text
    return [(hit["kind"], hit["title"], hit["url"]) for hit in answer.json()["hits"]]


def test_names_of_every_kind_are_found_best_first(
    client: TestClient, world: World, field: Field, ada: Any, bob: Any
) -> None:
    world.season(name="paint-season", display_name="Paint season")
    version = world.version(ada, "big painter")
    exact = world.version(bob, "Paint")
    league = field.league(ada, "paintball", league_name="Painters' league")
    field.enter(ada, league, version=version)
    found = hits(client, "paint")
    assert found[0] == ("policy", "Paint", f"/observatory/policies/{exact}")
    assert {kind: title for kind, title, _ in found} == {
        "policy": "big painter",
        "season": "Paint season",
        "league": "Painters' league",
        "coworld": "paintball",
    }
    assert ("league", "Painters' league", f"/observatory/leagues/{league}") in found
    assert ("season", "Paint season", "/observatory/seasons/paint-season") in found
    assert [title for kind, title, _ in hits(client, "BIG  painter") if kind == "policy"] == ["big painter"]
    assert [title for kind, title, _ in hits(client, "bob") if kind == "policy"] == ["Paint"]  # its author
    assert hits(client, "") == hits(client, "  ") == hits(client, "100%") == hits(client, "_") == []


def test_ids_are_found_from_their_beginning(client: TestClient, world: World, arena: Arena, ada: Any, bob: Any) -> None:
    world.season()
    version = world.version(ada)
    match = world.match("open", "qualifying", [(version, 4)])
    assert hits(client, str(match)) == [("match", f"Match {str(match)[:8]}", f"/observatory/matches/{match}")]
    assert [kind for kind, _, _ in hits(client, str(match).replace("-", "")[:20])] == ["match"]
    assert ("policy", "mine", f"/observatory/policies/{version}") in hits(client, str(version))
    game = arena.coworld(ada)
    [episode] = arena.ask(ada, game, [{"policy_ref": "mine"}, {"game_player": "sweep"}])["episodes"]
    assert hits(client, episode["id"], ada) == [
        ("episode", f"Episode {episode['id'][5:13]}", f"/observatory/episodes/{episode['id']}")
    ]
    assert hits(client, game[:14]) == [("coworld", "paintarena", f"/observatory/coworlds/{game}")]
    assert hits(client, episode["id"], bob) == hits(client, episode["id"]) == []
    assert hits(client, "league_0") == hits(client, "ereq_" + "0" * 40) == []


def test_what_is_hidden_is_found_by_those_who_may_see_it(
    client: TestClient, world: World, field: Field, ada: Any, bob: Any, admin: Any
) -> None:
    world.season(name="secret", display_name="Secret season", public=False)
    field.coworld(ada, "secretgame", visibility=Visibility.PRIVATE)
    league = field.seed(ada, "secretgame", league_name="Secret league")["league_id"]
    field.enter(ada, league, version=world.version(ada, "mine"))
    assert hits(client, "secret") == hits(client, "secret", bob) == []
    assert {kind for kind, _, _ in hits(client, "secret", ada)} == {"league", "coworld"}
    assert {kind for kind, _, _ in hits(client, "secret", admin)} == {"season", "league", "coworld"}
    assert hits(client, league) == [] and [kind for kind, _, _ in hits(client, league, ada)] == ["league"]
    player = next(url for kind, _, url in hits(client, "ada", ada) if kind == "player")
    assert player not in [url for _, _, url in hits(client, "ada")]


@pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"], indirect=True, scope="session")
def test_names_and_ids_are_found_on_both_databases(client: TestClient, world: World, ada: Any) -> None:
    world.season()
    version = world.version(ada, "Größer_50%")
    match = world.match("open", "qualifying", [(version, 4)])
    for query in ("größer", "50%", "r_5"):
        assert [title for _, title, _ in hits(client, query)] == ["Größer_50%"], query
    assert [url for _, _, url in hits(client, str(match)[:13])] == [f"/observatory/matches/{match}"]
