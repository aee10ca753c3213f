"""A league follows its commissioner: another program, another configuration, values that only it may see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.commissioners.conversing import Commissioned, make_commissioned
from packages.observatory.tests.coworlds.games import pass_certification, pass_smoke_episodes
from packages.observatory.tests.images.pushing import upload
from packages.observatory.tests.world import World

pytestmark = pytest.mark.any_database

OVERLAY = {
    "format": "coworld.commissioner_config_overlay.v1",
    "commissioner_config_overrides": {"api_key": "only for the program", "speed": 2},
}


def status(league: Commissioned) -> dict[str, Any]:
    return league.get(f"/v2/leagues/{league.league}/commissioner")


def test_a_patched_commissioner_runs_as_soon_as_its_version_is_canonical(league: Commissioned) -> None:
    league.loop.check_all()
    league.converse()
    before = status(league)
    assert (before["runnable_id"], before["image"], before["is_migrated"]) == (
        "mine",
        "softmax/default-commissioner:latest",
        True,
    )
    image = upload(league.client, league.owner)["id"]
    body = {"coworld_name": "paintarena", "container_image_id": image}
    patched = league.post("/v2/coworlds/patch-commissioner", body)
    assert status(league) == before  # it has to be certified first
    app, clock = league.world.app, league.world.clock
    pass_certification(app, clock, patched["id"])
    pass_smoke_episodes(app, clock, patched["id"])
    after = status(league)
    assert (after["coworld_id"], after["image"], after["is_migrated"]) == (patched["id"], image, False)
    league.loop.check_all()
    lease = league.lease()
    assert lease is not None
    [entry] = lease["spec"]["manifest"]["commissioner"]
    assert (lease["spec"]["role_id"], entry["image"].startswith("testserver/images/")) == ("mine", True)
    assert lease["registry"]["host"] == "testserver"
    assert league.answer(league.connect(lease))
    assert status(league)["is_migrated"]


def test_another_configuration_is_another_commissioner(league: Commissioned) -> None:
    league.loop.check_all()
    league.converse()
    [seed] = league.get("/v2/coworld-league-seeds")
    change = {"overrides": {"commissioner_runnable_id": "default-commissioner", "rounds_that_count": 3}}
    answer = league.client.patch(f"/v2/coworld-league-seeds/{seed['id']}", json=change, headers=league.owner.headers)
    assert answer.status_code == 200, answer.text
    now = status(league)
    assert (now["runnable_id"], now["is_migrated"]) == ("default-commissioner", False)
    assert league.get(f"/v2/leagues/{league.league}")["commissioner_config"]["rounds_that_count"] == 3
    league.loop.check_all()
    connection = league.connect()
    [message], _ = league.fetch(connection)
    assert message.league.commissioner_config == change["overrides"]


def test_an_unknown_program_is_reported_and_nothing_runs(
    world: World, client: TestClient, ada: Any, token: str
) -> None:
    league = make_commissioned(world, client, ada, token, commissioner_runnable_id="unknown")
    league.loop.check_all()
    assert league.lease() is None
    assert (
        "has no commissioner 'unknown'; it has: mine, ruleset-commissioner, default-commissioner"
        in status(league)["problem"]
    )


def test_private_values_reach_the_program_and_never_a_response(
    world: World, client: TestClient, ada: Any, token: str
) -> None:
    league = make_commissioned(
        world, client, ada, token, commissioner_config_overlay_secret="overlay", speed=1, colour="red"
    )
    put(league, "not an overlay")
    league.loop.check_all()
    lease = league.lease()
    assert lease is not None
    league.call(lease, "heartbeat", {"status": "running"})
    assert league.call(lease, "commissioner/connect", {})["connection"] is None
    assert "is not a configuration: it is not JSON" in status(league)["problem"]
    put(league, json.dumps(OVERLAY))
    league.world.clock.advance(3600)  # type: ignore[attr-defined]
    league.loop.check_all()
    connection = league.connect()
    [message], _ = league.fetch(connection)
    assert message.league.commissioner_config == {"api_key": "only for the program", "speed": 2, "colour": "red"}
    assert "only for the program" not in json.dumps(status(league))
    assert league.get(f"/v2/leagues/{league.league}")["commissioner_config"] == {"speed": 1, "colour": "red"}
    with world.database.read() as session:
        stored = session.connection().exec_driver_sql("SELECT content FROM commissioner_messages").fetchall()
    assert stored and "only for the program" not in str(stored)


def put(league: Commissioned, text: str) -> None:
    path = "/v2/coworlds/secrets/paintarena/overlay"
    answer = league.client.put(path, content=text.encode(), headers=league.owner.headers)
    assert answer.status_code == 200, answer.text
