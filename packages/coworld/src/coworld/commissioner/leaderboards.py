"""Leaderboards: views of rows and columns, and the older tables and rankings, each made from the others.

A view's row has any columns. An older ranking has a rank and a score, so the view's main column becomes the score.
"""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, field_serializer

__all__ = [
    "DivisionLeaderboard",
    "DivisionLeaderboardAxis",
    "DivisionLeaderboardColumn",
    "DivisionLeaderboardEntry",
    "DivisionLeaderboardRow",
    "DivisionLeaderboardTable",
    "DivisionLeaderboardView",
    "table_of_view",
    "view_of_table",
]


class _WithPolicies(BaseModel):
    policy_version_ids: set[UUID] = Field(default_factory=set)

    @field_serializer("policy_version_ids")
    def in_order(self, policies: set[UUID]) -> list[UUID]:
        """Sets have no order; documents should have one."""
        return sorted(policies)


class DivisionLeaderboardAxis(BaseModel):
    """Something that views can be chosen by."""

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
    values: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    recent_rounds: list[dict[str, Any]] | None = None


class DivisionLeaderboardView(BaseModel):
    """One way to look at a leaderboard."""

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
    """An older table as a view. Wins have columns only when somebody has them."""
    with_wins = any(
        value is not None
        for entry in table.rankings
        for value in (entry.episode_wins, entry.episodes_played, entry.win_rate)
    )
    columns = [_column("rank", "Rank", "integer", "asc")]
    if with_wins:
        columns.append(_column("win_rate", "Win %", "number", "desc"))
    columns.append(_column("score", "Score", "number", "desc"))
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
        "win_rate": entry.win_rate,
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


def table_of_view(view: DivisionLeaderboardView) -> DivisionLeaderboardTable:
    """A view as an older table. Rows without a rank are ranked as they come; without a score they have 0."""
    score, label = _score_column(view)
    return DivisionLeaderboardTable(
        id=view.key,
        label=view.title or view.key,
        description=view.description,
        score_label=label,
        rankings=[_entry(row, position, score) for position, row in enumerate(view.rows, 1)],
    )


def _score_column(view: DivisionLeaderboardView) -> tuple[str, str]:
    """The key and the name of what a view ranks by: its main column, else `score`, else the first beside the rank."""
    columns = {column.key: column.label or column.key for column in view.columns}
    wanted = [view.primary_column, "score", *(key for key in columns if key != "rank")]
    key = next((key for key in wanted if key in columns), None) or "score"
    return key, columns.get(key, key)


def _entry(row: DivisionLeaderboardRow, position: int, score: str) -> DivisionLeaderboardEntry:
    def number(*keys: str) -> float | None:
        for key in keys:
            value = row.values.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return value
        return None

    def whole(key: str) -> int | None:
        value = number(key)
        return None if value is None else int(value)

    return DivisionLeaderboardEntry(
        player_id=row.subject_id,
        player_name=row.subject_name,
        rank=whole("rank") or position,
        score=number(score) or 0.0,
        rounds_played=whole("rounds_played") or 0,
        policy_version_ids=row.policy_version_ids,
        recent_rounds=row.recent_rounds,
        episode_wins=number("episode_wins", "wins"),
        episodes_played=whole("episodes_played"),
        win_rate=number("win_rate"),
    )
