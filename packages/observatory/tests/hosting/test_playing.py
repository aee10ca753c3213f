"""Games through the proxy: a real worker runs them in boxes, people and programs reach them with their tokens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.observatory.tests.hosting.conftest import Arcade, observe

pytestmark = pytest.mark.any_database


def test_people_join_a_session_play_it_to_its_end_and_leave_no_episode(
    arcade: Arcade, token: str, paint: str, ada: Any, bob: Any
) -> None:
    session = arcade.create(ada, paint)
    name = session["session_id"]
    assert name.startswith("ps_") and session["player_count"] == 2 and session["status"] == "open"
    first, second = arcade.join(ada, name), arcade.join(bob, name)
    assert (first["slot"], second["slot"]) == (0, 1) and first["target_url"] != second["target_url"]
    with arcade.working(token):
        running = arcade.running(ada, name)
        with arcade.socket(first["socket_url"]) as mine, arcade.socket(second["socket_url"]) as theirs:
            state = observe(mine)
            assert state["slot"] == 0 and observe(theirs)["slot"] == 1
            with arcade.socket(running["global_url"].replace("http", "ws", 1) + "global") as watching:
                assert len(observe(watching)["scores"]) == 2
            while not state["done"]:
                mine.send(json.dumps({"move": "right"}))
                state = observe(mine)
        ended = arcade.reach(ada, name, "ended")
    assert ended["error"] is None and ended["player_url"] is None
    assert arcade.http.get(first["target_url"]).status_code == 410
    assert arcade.http.get("/v2/episode-requests", headers=ada.headers).json() == []
