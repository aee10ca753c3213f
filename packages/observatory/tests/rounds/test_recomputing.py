"""Ratings follow bit by bit from the logs of rounds; an operator checks and corrects them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from observatory.database.tables.leagues import LadderRating, RoundResult
from observatory.events import ChangeKind
from packages.observatory.tests.rounds.conftest import Yard, alphabetical, blames


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

    changes = yard.world.database.changes
    report = recompute()
    assert (report["rounds"], report["results"], report["players"], report["differences"]) == (3, 9, 3, [])
    with yard.world.database.transaction() as session:
        row = session.scalars(select(LadderRating)).first()
        assert row is not None
        row.standing = {**row.standing, "mean": row.standing["mean"] + 1e-9}
    [difference] = recompute()["differences"]
    assert row.player_id in difference and "mean is" in difference
    before = changes.versions([ChangeKind.ROUND])
    assert recompute(check=False)["repaired"] == 1 and recompute()["differences"] == []
    assert changes.versions([ChangeKind.ROUND]) != before  # cached tables are stale
    with yard.world.database.transaction() as session:
        result = session.scalars(select(RoundResult)).first()
        assert result is not None
        result.score += 1e-12
    [difference] = recompute()["differences"]
    assert difference == (
        f"Round 1 of {yard.divisions()['Competition']} has another result for the policy version "
        f"{result.policy_version_id}"
    )
