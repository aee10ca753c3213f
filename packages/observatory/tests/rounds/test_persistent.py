"""Persistent leagues: rounds count recorded windows of lasting games; the leader of a table gets its own slots."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from observatory.database.tables.coworlds import Coworld
from packages.observatory.tests.leagues.field import raw
from packages.observatory.tests.rounds.conftest import Yard

pytestmark = pytest.mark.any_database


def window(yard: Yard, number: int, **scores: float) -> dict[str, Any]:
    """Return a window of an hour with the scores of members."""
    members = {name: yard.member(name) for name in scores}
    began = yard.world.clock() + timedelta(hours=number)
    episodes = [
        {
            "player_id": member["player"]["id"],
            "policy_version_id": member["policy_version"]["id"],
            "score": scores[name],
        }
        for name, member in members.items()
    ]
    ends = {"started_at": began.isoformat(), "ended_at": (began + timedelta(hours=1)).isoformat()}
    return {"source_id": f"hour-{number}", **ends, "episodes": episodes}


def test_a_persistent_league_counts_recorded_windows_and_plays_nothing(yard: Yard, admin: Any, bob: Any) -> None:
    overrides = {"max_ticks": 5}
    yard.start({"persistent": {"enabled": True, "game_config_overrides": overrides}})
    yard.enter("ann", "ben")
    yard.check()
    assert yard.why() == "No window of these champions has been recorded since the last round"
    path = f"/v2/leagues/{yard.league}"
    wanted = yard.call("GET", f"{path}/persistent-players")
    assert [row["player_id"] for row in wanted] == [yard.member(name)["player"]["id"] for name in ("ann", "ben")]
    assert {str(row["game_config_overrides"]) for row in wanted} == {str(overrides)}
    assert yard.client.get(f"{path}/persistent-players", headers=bob.headers).status_code == 403

    later, first, alone = window(yard, 2, ann=1, ben=1), window(yard, 1, ann=3.5, ben=2), window(yard, 0, ann=9)
    for body in (later, first, alone):
        stored = yard.call("POST", f"{path}/recorded-windows", body)
        assert stored["id"].startswith("pww_") and stored["round_id"] is None
        assert yard.call("POST", f"{path}/recorded-windows", body)["id"] == stored["id"]
    changed = {**first, "episodes": first["episodes"][:1]}
    yard.call("POST", f"{path}/recorded-windows", changed, status=409)
    assert yard.client.post(f"{path}/recorded-windows", json=first, headers=bob.headers).status_code == 403
    for wrong in (
        {**first, "source_id": "x", "ended_at": first["started_at"]},
        {**first, "source_id": "x", "episodes": first["episodes"] * 2},
        {**first, "source_id": "x", "episodes": [{**first["episodes"][0], "player_id": "ply_other"}]},
    ):
        yard.call("POST", f"{path}/recorded-windows", wrong, status=422)

    yard.check()  # both windows of exactly these champions, the older one first
    assert yard.play() == 0
    second, oldest = yard.rounds()
    assert (oldest["status"], oldest["execution_backend"], oldest["round_config"]["kind"]) == (
        "completed",
        "recorded",
        "recorded",
    )
    assert [(row["player"]["name"], row["score"]) for row in oldest["results"]] == [("ann", 3.5), ("ben", 2.0)]
    assert [row["rank"] for row in second["results"]] == [1, 1]
    counted = {row["source_id"]: row["round_id"] for row in yard.call("GET", f"{path}/recorded-windows")}
    assert counted == {"hour-2": second["id"], "hour-1": oldest["id"], "hour-0": None}
    assert [name for _, name, _ in yard.table()] == ["ann", "ben"]
    report = yard.client.post(
        f"/observatory/api/admin/leagues/{yard.league}/recompute", json={"check": True}, headers=admin.headers
    ).json()
    assert (report["rounds"], report["differences"]) == (2, [])
    yard.check()
    assert len(yard.rounds()) == 2


def test_the_leader_of_the_table_has_its_own_slots(yard: Yard, clock: Any) -> None:
    yard.start({"leader_slot_config": {"skin": "crown"}}, round_interval_minutes=1)
    yard.enter("ann", "ben")
    with yard.world.database.transaction() as session:
        row = session.get_one(Coworld, raw(yard.coworld))
        variants = [
            {**variant, "game_config": {**variant["game_config"], "slots": [{"team": "red", "skin": "plain"}]}}
            for variant in row.manifest["variants"]
        ]
        row.manifest = {**row.manifest, "variants": variants}
    configs: list[tuple[list[str], Any]] = []

    def play_round() -> None:
        yard.check()
        while (lease := yard.arena.lease(yard.token)) is not None:
            names = lease["spec"]["policy_names"]
            configs.append((names, lease["spec"]["game_config"].get("slots")))
            scores = b'{"scores": [%d, %d]}' % tuple(name.startswith("ann") for name in names)
            yard.arena.finish(lease, {"results.json": scores, "replay": b"replay"})
        yard.check()
        clock.advance(61)

    play_round()
    assert [slots for _, slots in configs] == [[{"team": "red", "skin": "plain"}]]  # no one leads an empty table
    play_round()
    names, slots = configs[-1]
    seats = [{"team": "red", "skin": "plain"}, {}]
    leader = next(seat for seat, name in enumerate(names) if name.startswith("ann"))
    seats[leader] = {**seats[leader], "skin": "crown"}
    assert slots == seats
