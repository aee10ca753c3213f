"""The table of a division, as the ladder publishes it after each round."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from observatory.ladder.rating import SETTLED_ROUNDS, Standing, displayed, interval, label
from observatory.leagues.ladder_settings import OpenSkill, Ranking
from softmax.wire.leagues import DivisionLeaderboards, LeaderboardColumn, LeaderboardRow, LeaderboardView

__all__ = ["BoardEntry", "board", "ranks"]

RATING = "rating"
_NORMAL = 1.959963984540054


@dataclass(frozen=True)
class BoardEntry:
    player_id: str
    player_name: str
    policy_version_id: uuid.UUID
    standing: Standing


def ranks(document: dict[str, Any] | None) -> dict[str, int]:
    """Return the rank of each player in a published table."""
    views = (document or {}).get("views") or []
    return {row["subject_id"]: int(row["values"]["rank"]) for row in views[0]["rows"]} if views else {}


def board(ranking: Ranking, entries: Sequence[BoardEntry]) -> dict[str, Any]:
    """Return the table of these players, best first. Equal numbers have equal ranks."""
    values = [displayed(ranking, entry.standing) for entry in entries]
    ordered = sorted(zip(entries, values, strict=True), key=lambda pair: (-pair[1], pair[0].player_name))
    rows = [_row(ranking, entry, value, 1 + sum(other > value for other in values)) for entry, value in ordered]
    measured = "Strength" if isinstance(ranking, OpenSkill) else "Mean score"
    columns = [
        LeaderboardColumn(key="rank", label="Rank", value_type="integer", sort="asc"),
        LeaderboardColumn(key=RATING, label=label(ranking), value_type="number", sort="desc"),
        LeaderboardColumn(key="mean_score", label="Mean score", value_type="number", sort="desc"),
        LeaderboardColumn(key="low", label=f"{measured}, low", value_type="number"),
        LeaderboardColumn(key="high", label=f"{measured}, high", value_type="number"),
        LeaderboardColumn(key="rounds_played", label="Rounds", value_type="integer", sort="desc"),
        LeaderboardColumn(key="settling", label="Settling", value_type="boolean"),
    ]
    view = LeaderboardView(
        key=RATING,
        title=label(ranking),
        description=f"Low and high are the 95% interval; a version is settling for {SETTLED_ROUNDS} rounds",
        primary_column=RATING,
        axis_values={},
        columns=columns,
        rows=rows,
    )
    return DivisionLeaderboards(default_view_key=RATING, axes=[], views=[view]).model_dump(mode="json")


def _row(ranking: Ranking, entry: BoardEntry, value: float, rank: int) -> LeaderboardRow:
    standing = entry.standing
    bounds = interval(standing)
    if isinstance(ranking, OpenSkill) and standing.sigma is not None:
        bounds = standing.rating - _NORMAL * standing.sigma, standing.rating + _NORMAL * standing.sigma
    low, high = bounds or (None, None)
    return LeaderboardRow(
        subject_id=entry.player_id,
        subject_name=entry.player_name,
        values={
            "rank": rank,
            RATING: value,
            "low": low,
            "high": high,
            "mean_score": standing.mean,
            "rounds_played": standing.rounds,
            "settling": standing.version_rounds < SETTLED_ROUNDS,
        },
        policy_version_ids=[entry.policy_version_id],
    )
