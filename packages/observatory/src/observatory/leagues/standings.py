"""The tables of a division: what its commissioner published last, or the mean scores of its rounds."""

from __future__ import annotations

import statistics
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from observatory.database.cache import cached_value
from observatory.database.tables.leagues import Division, RoundStatus
from observatory.events import ChangeKind
from observatory.leagues import repository
from observatory.leagues.repository import PlayedRound
from observatory.public_ids import public_id
from softmax.wire.leagues import (
    DivisionLeaderboardEntry,
    DivisionLeaderboards,
    LeaderboardColumn,
    LeaderboardRow,
    LeaderboardView,
    RecentRound,
)

__all__ = ["RECENT_ROUNDS", "default_view", "headline", "leaderboard", "leaderboards"]

MAX_ROUNDS = 1000
RECENT_ROUNDS = 10
MEAN_SCORE = "Mean score"
_NUMBERS = ("number", "integer", "percent")


@dataclass
class _Record:
    """What a player did in the rounds of a division, newest first: the best result of each round."""

    name: str | None
    results: list[PlayedRound] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return statistics.fmean(result.score for result in self.results)

    def recent(self, number: int) -> list[RecentRound]:
        return [
            RecentRound(
                id=public_id("round", result.round_id),
                round_number=result.round_number,
                status=RoundStatus.COMPLETED,
                rank=result.rank,
                score=result.score,
                started_at=result.started_at,
                completed_at=result.completed_at,
            )
            for result in self.results[:number]
        ]


def leaderboards(session: Session, division: Division) -> DivisionLeaderboards | None:
    """Return every view of a division's table; None before its first round."""
    if division.leaderboards is not None:
        return DivisionLeaderboards.model_validate(division.leaderboards)
    records = _records(session, division)
    if not records:
        return None
    rows = [
        LeaderboardRow(
            subject_id=player_id,
            subject_name=record.name,
            values={"rank": rank, "score": record.mean, "rounds_played": len(record.results)},
            policy_version_ids=list(dict.fromkeys(result.policy_version_id for result in record.results)),
        )
        for rank, (player_id, record) in enumerate(_ranked(records), 1)
    ]
    columns = [
        LeaderboardColumn(key="rank", label="Rank", value_type="integer", sort="asc"),
        LeaderboardColumn(key="score", label=MEAN_SCORE, value_type="number", sort="desc"),
        LeaderboardColumn(key="rounds_played", label="Rounds", value_type="integer", sort="desc"),
    ]
    view = LeaderboardView(
        key="score", title="Score", primary_column="score", axis_values={}, columns=columns, rows=rows
    )
    return DivisionLeaderboards(default_view_key="score", axes=[], views=[view])


def leaderboard(session: Session, division: Division, *, recent_rounds: int) -> list[DivisionLeaderboardEntry]:
    """Return the table of a division, best player first; empty before its first round."""
    board = leaderboards(session, division)
    if board is None or not board.views:
        return []
    view = default_view(board)
    column = headline(view)
    records = _records(session, division)
    entries = []
    for number, row in enumerate((row for row in view.rows if row.subject_type == "player"), 1):
        record = records.get(row.subject_id)
        score = _number(row.values, column.key if column is not None else None)
        entries.append(
            DivisionLeaderboardEntry(
                rank=int(_number(row.values, "rank") or number),
                player_id=row.subject_id,
                player_name=row.subject_name or (None if record is None else record.name),
                score=score,
                score_label="Score" if column is None else column.label or column.key,
                avg_score=score,
                mean_round_score=None if record is None else record.mean,
                rounds_played=0 if record is None else len(record.results),
                recent_rounds=_recent(record, recent_rounds) if recent_rounds else None,
            )
        )
    return sorted(entries, key=lambda entry: entry.rank or 0)


def default_view(board: DivisionLeaderboards) -> LeaderboardView:
    """Return the view that represents a table with at least one view."""
    return next((view for view in board.views if view.key == board.default_view_key), board.views[0])


def _recent(record: _Record | None, number: int) -> list[RecentRound]:
    return [] if record is None else record.recent(number)


def _records(session: Session, division: Division) -> Mapping[str, _Record]:
    """Return what each player did in the last rounds; read again only when the division has completed another."""
    key = ("division records", division.id, *repository.completed_stamp(session, division.id))
    return cached_value(session, key, (ChangeKind.ACCOUNT,), lambda: _read_records(session, division.id))


def _read_records(session: Session, division_id: uuid.UUID) -> dict[str, _Record]:
    records: dict[str, _Record] = {}
    for result in repository.played_rounds(session, division_id, MAX_ROUNDS):  # newest first, in a round by rank
        record = records.setdefault(result.player_id, _Record(result.player_name))
        if not record.results or record.results[-1].round_id != result.round_id:
            record.results.append(result)
    return records


def _ranked(records: Mapping[str, _Record]) -> list[tuple[str, _Record]]:
    return sorted(records.items(), key=lambda entry: (-entry[1].mean, entry[1].name or "", entry[0]))


def headline(view: LeaderboardView) -> LeaderboardColumn | None:
    """Return the column that ranks a view: the named one, else `score`, else the first that is a number."""
    numbers = [column for column in view.columns if column.value_type in _NUMBERS]
    for key in (view.primary_column, "score"):
        named = next((column for column in numbers if column.key == key), None)
        if named is not None:
            return named
    descending = [column for column in numbers if column.sort == "desc" and column.key != "rank"]
    return next(iter(descending or numbers), None)


def _number(values: Mapping[str, object], key: str | None) -> float:
    value = values.get(key) if key is not None else None
    return float(value) if isinstance(value, int | float) else 0.0
