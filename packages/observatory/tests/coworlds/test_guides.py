"""The server's guide to each game."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from packages.observatory.tests.coworlds.games import put_coworld

pytestmark = pytest.mark.any_database


def test_every_game_has_a_guide_under_its_name_without_signs(
    app: FastAPI, client: TestClient, ada: Any, clock: Any
) -> None:
    put_coworld(app, clock, ada, "cogs_vs_clips", version="0.9.0", canonical=False)
    clock.advance(1)
    coworld_id = put_coworld(app, clock, ada, "cogs_vs_clips")
    answer = client.get("/play_cogsvsclips.md")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    text = answer.text
    assert text.startswith("# Play cogs_vs_clips\n")
    assert f"$ coworld download {coworld_id} --server http://testserver" in text
    assert "- `default`: Duel." in text
    assert "## From the authors of the game\n\n# Play Paint Arena" in text
    for path in ("/play_cogs-vs-clips.md", "/api/play_cogsvsclips.md", f"/v2/coworlds/{coworld_id}/play.md"):
        assert client.get(path).text == text
    assert client.get("/play_nothing.md").json() == {"detail": "There is no game with a guide play_nothing.md"}
