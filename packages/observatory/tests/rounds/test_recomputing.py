"""Ratings follow bit by bit from the logs of rounds; an operator checks and corrects them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from observatory.database.tables.leagues import LadderRating, RoundResult
from packages.observatory.tests.leagues.field import raw
from packages.observatory.tests.rounds.conftest import Yard, alphabetical, blames
from tests.warm import WarmProgram


def awkward(names: list[str]) -> list[float]:
    """Scores with long fractions, and a negative zero."""
    return [score / 3 - 0.1 if score else -0.0 for score in alphabetical(names)]


RANKINGS = [
    {"algorithm": "elo", "margin_scale": 3.0},
    {"algorithm": "openskill", "tau": 0.1},
    {"algorithm": "score", "standing_aggregation": "ewma", "half_life_hours": 5.0},
]


def test_ratings_are_the_fold_of_the_logs(yard: Yard, admin: Any, clock: Any) -> None:
    yard.start(round_interval_minutes=5)
    yard.enter("ada", "bob", "crash")
    for number, ranking in enumerate(RANKINGS):
        yard.configure({"ranking": ranking}, round_interval_minutes=5)
        assert yard.round(blames("crash") if number == 1 else awkward)["status"] == "completed"
        clock.advance(307)
    path = f"/observatory/api/admin/leagues/{yard.league}/recompute"

    def recompute(check: bool = True) -> Any:
        answer = yard.client.post(path, json={"check": check}, headers=admin.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    report = recompute()
    assert (report["rounds"], report["results"], report["players"], report["differences"]) == (3, 9, 3, [])
    with yard.world.database.transaction() as session:
        row = session.scalars(select(LadderRating)).first()
        assert row is not None
        row.standing = {**row.standing, "mean": row.standing["mean"] + 1e-9}
    [difference] = recompute()["differences"]
    assert row.player_id in difference and "mean is" in difference
    assert recompute(check=False)["repaired"] == 1 and recompute()["differences"] == []
    with yard.world.database.transaction() as session:
        result = session.scalars(select(RoundResult)).first()
        assert result is not None
        result.score += 1e-12
    [difference] = recompute()["differences"]
    assert difference == (
        f"Round 1 of {yard.divisions()['Competition']} has another result for the policy version "
        f"{result.policy_version_id}"
    )


@pytest.mark.any_database
def test_an_operator_triggers_cancels_and_recomputes(
    yard: Yard, server: Any, admin: Any, clock: Any, tmp_path: Path, observatory_program: WarmProgram
) -> None:
    yard.start(round_interval_minutes=5)
    yard.enter("ada", "bob")
    (tmp_path / "token").write_text(admin.token)
    where = ["admin", "--server", server.url, "--token-file", str(tmp_path / "token"), "league"]

    def run(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = observatory_program.run(*where, *words)
        assert done.returncode == code, done.stderr
        return done

    yard.round()
    clock.advance(1)
    assert run("trigger", "Main").stdout == "The next round of Main starts now\n"
    yard.check()
    round_id = yard.rounds()[0]["id"]
    assert run("cancel-round", round_id, "--reason", "wrong map").stdout == "Cancelled round 2 of Competition\n"
    assert yard.rounds()[0]["error"] == "wrong map"
    assert "cancelled already" in run("cancel-round", round_id, code=1).stderr
    assert run("recompute", "Main").stdout == "Checked 1 rounds, 2 results and 2 players: no differences\n"
    with yard.world.database.transaction() as session:
        player = yard.member("ada")["player"]["id"]
        row = session.get_one(LadderRating, (raw(yard.league), player))
        row.standing = {**row.standing, "rating": 9000.0}
    wrong = run("recompute", "Main", code=1).stdout
    assert "rating is 9000.0, not 1516.0" in wrong and "1 differences" in wrong
    assert "corrected 1 ratings" in run("recompute", "Main", "--fix").stdout
    run("recompute", "Main")
