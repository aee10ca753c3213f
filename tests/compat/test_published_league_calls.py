"""The reading calls of published `coworld` clients, replayed against our server: every one of them is answered."""

from __future__ import annotations

import json
from pathlib import Path

from tests.coworld_league import CALLS, running_coworld_league
from tests.league import filled


def test_every_noted_call_is_answered(tmp_path: Path) -> None:
    notes = json.loads(CALLS.read_text())
    with running_coworld_league(tmp_path / "server") as league, league.http() as http:
        answered = set()
        for note in notes:
            for call in note["calls"]:
                key = (call["ask"], call["auth"])
                if key in answered:
                    continue
                headers = {
                    "token": {"X-Auth-Token": league.names["token"]},
                    "bearer": {"Authorization": f"Bearer {league.names['token']}"},
                    "none": {},
                }[call["auth"]]
                address = filled(call["ask"], league.names).removeprefix("GET ")
                response = http.get(address, headers=headers, follow_redirects=True)
                assert response.is_success, (note["command"], call["ask"], response.status_code, response.text[:300])
                answered.add(key)
    assert len(answered) > 40
