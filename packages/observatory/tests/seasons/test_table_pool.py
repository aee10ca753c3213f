"""Commands and pages show the table of the same pool, whatever kind of season it is and however far it has come."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.events import Change, ChangeKind, note
from packages.observatory.tests.world import FREEPLAY, TEAM, World

POOLS = {"open": ("qualifying", "competition"), "teams": ("stage-1", "sample-1", "team-round-1", "team-round-2")}
DECIDING = {"open": "competition", "teams": "policy-scores-1"}


def _expected(season: str, played: Sequence[str], *, placed: bool) -> str:
    """The rule in the words of the documents, written a second time."""
    if season == "teams" and placed:
        return DECIDING[season]
    with_matches = [pool for pool in POOLS[season] if pool in played]
    return with_matches[-1] if with_matches else POOLS[season][0]


STATES = [
    *(("open", played, False) for size in range(3) for played in itertools.combinations(POOLS["open"], size)),
    *(("teams", POOLS["teams"][:stage], False) for stage in (0, 1, 3, 4)),
    ("teams", (*POOLS["teams"],), True),
    ("teams", (), True),
]


@pytest.mark.parametrize(("season", "played", "placed"), STATES)
def test_command_page_and_card_show_the_same_table(
    client: TestClient, world: World, ada, season: str, played: Sequence[str], placed: bool
) -> None:
    _season(world, ada, season, played, placed=placed)
    _check(client, season, played, placed=placed)
    _end(world)
    _check(client, season, played, placed=placed)


def _check(client: TestClient, season: str, played: Sequence[str], *, placed: bool) -> None:
    command = client.get(f"/tournament/seasons/{season}/leaderboard").json()
    page = client.get(f"/observatory/api/seasons/{season}/table").json()
    [card] = client.get("/observatory/api/seasons").json()

    assert page["pool"] == _expected(season, played, placed=placed)
    assert page["kind"] == ("placements" if placed else "scores")
    assert _rows(page["rows"]) == _rows(command)
    assert bool(command) is bool(played or placed)
    if played:
        assert [(card["leader"]["policy"]["name"], card["leader"]["score"])] == _rows(command)[:1]
    else:
        assert card["leader"] is None


def test_placements_stay_the_table_when_every_policy_was_withdrawn(client: TestClient, world: World, ada) -> None:
    _season(world, ada, "teams", POOLS["teams"], placed=True)
    _end(world)
    with world.database.transaction() as session:
        for member in session.scalars(select(PoolPlayer).join(Pool).where(Pool.name == DECIDING["teams"])):
            member.retired = True
        note(session, Change(ChangeKind.MEMBERSHIP))
    page = client.get("/observatory/api/seasons/teams/table").json()
    assert (page["pool"], page["kind"]) == ("policy-scores-1", "placements")
    assert _rows(page["rows"]) == _rows(client.get("/tournament/seasons/teams/leaderboard").json()) != []


def test_a_failed_match_alone_does_not_make_a_pool_the_table(client: TestClient, world: World, ada) -> None:
    _season(world, ada, "open", ("qualifying",), placed=False)
    world.fail(world.match("open", "competition", [(world.version(ada, "other"), 4)]))
    assert client.get("/observatory/api/seasons/open/table").json()["pool"] == "qualifying"
    assert len(client.get("/tournament/seasons/open/leaderboard").json()) == 2


def _season(world: World, ada: Any, season: str, played: Sequence[str], *, placed: bool) -> None:
    """A season in which the pools `played` have a match each, with other scores in each of them."""
    world.season(FREEPLAY if season == "open" else TEAM)
    first, second = world.version(ada, "first"), world.version(ada, "second")
    for number, pool in enumerate(played):
        match = world.match(season, pool, [(first, 2), (second, 2)])
        world.play(match, [1.0 + number, 1.0 + number, 5.0, 5.0] if number % 2 else [5.0, 5.0, number, number])
    if placed:
        world.team(season, "team-round-2", [first, second], score=3.0)
        world.team(season, "team-round-2", [first], score=2.0)
        world.enter(season, DECIDING[season], [first, second])


def _end(world: World) -> None:
    with world.database.transaction() as session:
        for season in session.scalars(select(Season)):
            season.started_at = season.completed_at = world.clock()
            note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))


def _rows(rows: Sequence[dict[str, Any]]) -> list[tuple[str, float]]:
    return [(row["policy"]["name"], row["score"]) for row in rows]
