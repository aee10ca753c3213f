"""The commissioners that come with the package run leagues: the ruleset, and the default one."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from coworld.roles.commissioner import DefaultCommissioner
from coworld.roles.ruleset.commissioner import RulesetCommissioner
from packages.observatory.tests.commissioners.conversing import (
    Commissioned,
    make_account,
    make_commissioned,
    submit,
)
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World

pytestmark = pytest.mark.any_database


def run(league: Commissioned) -> None:
    """Hold conversations and play episodes until none is queued."""
    while True:
        lease = league.lease()
        if lease is None:
            return
        connection = league.connect(lease)
        while not league.answer(connection):
            assert league.play()


def test_a_game_without_a_commissioner_has_the_ruleset(
    world: World, client: TestClient, ada: Any, token: str, clock: Any
) -> None:
    league = make_commissioned(world, client, ada, token, image=None)
    league.new_handler = lambda: RulesetCommissioner(clock=clock)
    league.loop.check_all()
    run(league)
    status = league.get(f"/v2/leagues/{league.league}/commissioner")
    assert (status["runnable_id"], status["is_migrated"], status["problem"]) == ("ruleset-commissioner", True, None)
    league.loop.check_all()
    run(league)
    [round_] = league.rounds()
    assert (round_["status"], round_["division"]["name"]) == ("completed", "Competition")
    divisions = {row["name"]: row for row in league.get("/v2/divisions", league_id=league.league)}
    assert divisions["Competition"]["commissioner_description"]["round_schedule"] == "A round every 10 minutes"
    table = league.get(f"/v2/divisions/{divisions['Competition']['id']}/leaderboard")
    assert [row["player_name"] for row in table] == ["eve", "ben", "ann", "zed"]

    newcomer = make_account(world, "new")
    submit(client, newcomer, league.league, Arena(world, client).policy(newcomer, "new"))
    assert league.members()["new"] == ("Qualifiers", "qualifying", False)
    league.loop.check_all()
    run(league)
    assert league.members()["new"] == ("Competition", "competing", True)
    clock.advance(600)
    league.loop.check_all()
    run(league)
    assert [row["division"]["name"] for row in league.rounds()] == ["Competition", "Qualifiers", "Competition"]
    assert "new" in [row[1] for row in league.outcome()["tables"]["Competition"]]


def test_the_default_commissioner_promotes_after_a_round(league: Commissioned) -> None:
    divisions = [{"name": "Competition", "level": 1}, {"name": "Top", "level": 2}]
    answer = league.client.put(
        f"/v2/leagues/{league.league}/divisions", json={"divisions": divisions}, headers=league.owner.headers
    )
    assert answer.status_code == 200, answer.text
    [seed] = league.get("/v2/coworld-league-seeds")
    change = {"overrides": {"promote": 1, "variants": ["quick"]}}
    league.client.patch(f"/v2/coworld-league-seeds/{seed['id']}", json=change, headers=league.owner.headers)
    league.new_handler = DefaultCommissioner
    for _ in range(2):
        league.loop.check_all()
        run(league)
    [round_] = league.rounds()
    assert (round_["status"], round_["division"]["name"]) == ("completed", "Competition")
    assert league.members()["eve"] == ("Top", "competing", True)
    assert {division for division, _, _ in league.members().values()} == {"Top", "Competition"}
    kinds = [row["event_type"] for row in league.get("/v2/competition-events", league_id=league.league)]
    assert kinds.count("membership_promoted") == 1
