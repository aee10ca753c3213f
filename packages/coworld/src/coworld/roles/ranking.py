"""Compute places and leaderboards from scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeVar
from uuid import UUID

from coworld.commissioner.protocol import DivisionLeaderboardColumn, DivisionLeaderboardRow, DivisionLeaderboardView

Key = TypeVar("Key")


def ranks(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Return places by score, the highest first; equal scores share a place and the next one is left out."""
    ordered = sorted(scores.values(), reverse=True)
    return {key: ordered.index(score) + 1 for key, score in scores.items()}


def score_view(rows: Sequence[tuple[str, str | None, set[UUID], Sequence[float]]]) -> DivisionLeaderboardView:
    """Return a view with a row per player (id, name, policy versions, scores of its rounds), the best mean first."""
    means = {player: fmean(scores) for player, _, _, scores in rows}
    places = ranks(means)
    return DivisionLeaderboardView(
        key="score",
        title="Score",
        description="Mean score of the rounds that count.",
        primary_column="score",
        columns=[
            DivisionLeaderboardColumn(key="rank", label="Rank", value_type="integer", sort="asc"),
            DivisionLeaderboardColumn(key="score", label="Score", value_type="number", sort="desc"),
            DivisionLeaderboardColumn(key="rounds_played", label="Rounds", value_type="integer"),
        ],
        rows=[
            DivisionLeaderboardRow(
                subject_id=player,
                subject_name=name,
                values={"rank": places[player], "score": means[player], "rounds_played": len(scores)},
                policy_version_ids=policies,
            )
            for player, name, policies, scores in sorted(rows, key=lambda row: (places[row[0]], row[0]))
        ],
    )
