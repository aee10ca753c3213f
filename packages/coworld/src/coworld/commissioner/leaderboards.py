"""Leaderboards: views of rows and columns, and the older tables and rankings, each derived from the others.

A view's row has any columns. An older ranking has a rank and a score, so the view's main column becomes the score.
"""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, field_serializer

from coworld.commissioner.shapes import DivisionRanking, RankingEntry

__all__ = [
    "DivisionLeaderboard",
    "DivisionLeaderboardAxis",
    "DivisionLeaderboardColumn",
    "DivisionLeaderboardEntry",
    "DivisionLeaderboardRow",
    "DivisionLeaderboardTable",
    "DivisionLeaderboardView",
    "LeaderboardValue",
    "axes_of_views",
    "leaderboard_of_results",
    "table_of_view",
    "view_of_table",
]

LeaderboardValue = str | int | float | bool | None
"""the value of a leaderboard's cell"""

NUMERIC = ("number", "integer", "percent")
"""types of columns that can rank a table"""


class _WithPolicies(BaseModel):
    policy_version_ids: set[UUID] = Field(default_factory=set)

    @field_serializer("policy_version_ids")
    def in_order(self, policies: set[UUID]) -> list[UUID]:
        """Sort the values of a set, so that documents are deterministic."""
        return sorted(policies)


class DivisionLeaderboardAxis(BaseModel):
    """A dimension by which views are selected."""

    key: str
    label: str | None = None


class DivisionLeaderboardColumn(BaseModel):
    """A column of a view."""

    key: str
    label: str | None = None
    value_type: Literal["number", "integer", "string", "boolean", "percent"] = "number"
    sort: Literal["asc", "desc"] | None = None


class DivisionLeaderboardRow(_WithPolicies):
    """A row of a view."""

    subject_type: str = "player"
    subject_id: str
    subject_name: str | None = None
    values: dict[str, LeaderboardValue] = Field(default_factory=dict)
    recent_rounds: list[dict[str, Any]] | None = None


class DivisionLeaderboardView(BaseModel):
    """One view of a leaderboard."""

    key: str = "score"
    title: str | None = None
    description: str | None = None
    primary_column: str | None = None
    axis_values: dict[str, str] = Field(default_factory=dict)
    columns: list[DivisionLeaderboardColumn] = Field(default_factory=list)
    rows: list[DivisionLeaderboardRow] = Field(default_factory=list)


class DivisionLeaderboard(BaseModel):
    """The leaderboard of a division."""

    division_id: UUID
    default_view_key: str = "score"
    axes: list[DivisionLeaderboardAxis] = Field(default_factory=list)
    views: list[DivisionLeaderboardView] = Field(default_factory=list)


class DivisionLeaderboardEntry(_WithPolicies):
    """A place in an older table."""

    player_id: str
    player_name: str | None = None
    rank: int
    score: float
    rounds_played: int
    recent_rounds: list[dict[str, Any]] | None = None
    episode_wins: float | None = None
    episodes_played: int | None = None
    win_rate: float | None = None


class DivisionLeaderboardTable(BaseModel):
    """An older table."""

    id: str = "score"
    label: str = "Score"
    description: str | None = None
    score_label: str = "Score"
    rankings: list[DivisionLeaderboardEntry] = Field(default_factory=list)


def _column(
    key: str, label: str, kind: Literal["number", "integer"], sort: Literal["asc", "desc"] | None = None
) -> Any:
    return DivisionLeaderboardColumn(key=key, label=label, value_type=kind, sort=sort)


def view_of_table(table: DivisionLeaderboardTable) -> DivisionLeaderboardView:
    """Convert an older table to a view. Wins have columns only where an entry counts them."""
    with_wins = any(
        value is not None
        for entry in table.rankings
        for value in (entry.episode_wins, entry.episodes_played, entry.win_rate)
    )
    columns = [_column("rank", "Rank", "integer", "asc")]
    if with_wins:
        columns.append(_column("win_rate", "Win %", "number", "desc"))
    columns.append(_column("score", table.score_label, "number", "desc"))
    if with_wins:
        columns += [_column("wins", "Wins", "number"), _column("episodes_played", "Episodes Played", "integer")]
    columns.append(_column("rounds_played", "Rounds Played", "integer"))
    if with_wins:
        columns.append(_column("episode_wins", "Episode Wins", "number"))
    return DivisionLeaderboardView(
        key=table.id,
        title=table.label,
        description=table.description,
        columns=columns,
        rows=[_row(entry) for entry in table.rankings],
    )


def _row(entry: DivisionLeaderboardEntry) -> DivisionLeaderboardRow:
    values: dict[str, Any] = {"rank": entry.rank, "score": entry.score, "rounds_played": entry.rounds_played}
    optional = {
        "win_rate": _win_rate(entry),
        "wins": entry.episode_wins,
        "episode_wins": entry.episode_wins,
        "episodes_played": entry.episodes_played,
    }
    return DivisionLeaderboardRow(
        subject_id=entry.player_id,
        subject_name=entry.player_name,
        values=values | {key: value for key, value in optional.items() if value is not None},
        policy_version_ids=entry.policy_version_ids,
        recent_rounds=entry.recent_rounds,
    )


def _win_rate(entry: DivisionLeaderboardEntry) -> float | None:
    """Return the given win rate, else the share of episodes won, between 0 and 1."""
    if entry.win_rate is not None or entry.episode_wins is None or entry.episodes_played is None:
        return entry.win_rate
    if entry.episodes_played <= 0:
        return 0.0
    return min(1.0, max(0.0, entry.episode_wins / entry.episodes_played))


def leaderboard_of_results(results: DivisionRanking) -> DivisionLeaderboard:
    """Derive the leaderboard of a division from the older form of a round's results."""
    view = DivisionLeaderboardView(
        title="Score",
        axis_values={"metric": "score", "timeframe": "legacy"},
        columns=[_column("rank", "Rank", "integer", "asc"), _column("score", "Score", "number", "desc")],
        rows=[_result_row(entry) for entry in results.rankings],
    )
    return DivisionLeaderboard(division_id=results.division_id, axes=axes_of_views([view]), views=[view])


def _result_row(entry: RankingEntry) -> DivisionLeaderboardRow:
    return DivisionLeaderboardRow(
        subject_type="policy_version" if entry.player_id is None else "player",
        subject_id=str(entry.policy_version_id) if entry.player_id is None else entry.player_id,
        values={"rank": entry.rank, "score": entry.score},
        policy_version_ids={entry.policy_version_id},
    )


def axes_of_views(views: list[DivisionLeaderboardView]) -> list[DivisionLeaderboardAxis]:
    """Name an axis for every key in the views' `axis_values`."""
    keys = dict.fromkeys(key for view in views for key in view.axis_values)
    return [DivisionLeaderboardAxis(key=key, label=key.replace("_", " ").title()) for key in keys]


def table_of_view(view: DivisionLeaderboardView) -> DivisionLeaderboardTable:
    """Convert a view to an older table. Rows without a rank get their position; rows without a score get 0."""
    score, label = _score_column(view)
    return DivisionLeaderboardTable(
        id=view.key,
        label=view.title or view.key,
        description=view.description,
        score_label=label,
        rankings=[_entry(row, position, score) for position, row in enumerate(view.rows, 1)],
    )


def _score_column(view: DivisionLeaderboardView) -> tuple[str, str]:
    """Return key and label of the column that ranks a view: the main one, else `score`, else the first numeric one."""
    columns = {column.key: column.label or column.key for column in view.columns}
    numeric = [column.key for column in view.columns if column.key != "rank" and column.value_type in NUMERIC]
    candidates = [view.primary_column, "score", *numeric]
    key = next((key for key in candidates if key in columns), None) or "score"
    return key, columns.get(key, key)


def _entry(row: DivisionLeaderboardRow, position: int, score: str) -> DivisionLeaderboardEntry:
    values = row.values
    rank = _number(values.get("rank"))
    episodes = _count(values.get("episodes_played"))
    wins = _count(values.get("episode_wins"))
    return DivisionLeaderboardEntry(
        player_id=row.subject_id,
        player_name=row.subject_name,
        rank=position if rank is None else int(rank),
        score=_number(values.get(score)) or 0.0,
        rounds_played=int(_number(values.get("rounds_played")) or 0),
        policy_version_ids=row.policy_version_ids,
        recent_rounds=row.recent_rounds,
        episode_wins=_count(values.get("wins")) if wins is None else wins,
        episodes_played=None if episodes is None else int(episodes),
        win_rate=_count(values.get("win_rate")),
    )


def _number(value: LeaderboardValue) -> float | None:
    """Read a cell as a number; true counts as 1, as in a column that says who passed."""
    return value if isinstance(value, int | float) else None


def _count(value: LeaderboardValue) -> float | None:
    """Read a cell as a number; booleans are not counts."""
    return None if isinstance(value, bool) else _number(value)
