"""The published table of a division, as pages show it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.database.cache import cached_value, of_division
from observatory.database.tables.leagues import Division
from observatory.events import ChangeKind
from observatory.leagues.standings import default_view, headline
from observatory.pages.league_schemas import BoardPlace, PlayerRef
from observatory.pages.schemas import PolicyRef
from softmax.wire.leagues import DivisionLeaderboards, LeaderboardRow, LeaderboardView

__all__ = ["Board", "board_in", "board_of", "measured_in", "measured_label", "number", "version_of"]

SCORE = "Score"


@dataclass(frozen=True)
class Board:
    """The view that represents a division, and the column that ranks it."""

    view: LeaderboardView
    label: str
    key: str | None

    def rows(self) -> list[tuple[int, LeaderboardRow]]:
        """Return the rows with their ranks, best first."""
        ranked = [(int(number(row, "rank") or place), row) for place, row in enumerate(self.view.rows, 1)]
        return sorted(ranked, key=lambda pair: pair[0])

    def players(self) -> dict[str, tuple[int, LeaderboardRow]]:
        """Return the rank and the row of each player."""
        return {row.subject_id: (rank, row) for rank, row in self.rows() if row.subject_type == "player"}

    def score(self, row: LeaderboardRow) -> float | None:
        return number(row, self.key)

    def best(self, count: int, names: Mapping[uuid.UUID, PolicyRef]) -> list[BoardPlace]:
        """Return the first places; `names` has the policy versions of `versions(count)`."""
        places = []
        for rank, row in self.rows()[:count]:
            if row.subject_type == "player":
                version = version_of(row)
                places.append(
                    BoardPlace(
                        rank=rank,
                        player=PlayerRef(id=row.subject_id, name=row.subject_name or row.subject_id),
                        policy=None if version is None else names.get(version),
                        score=self.score(row),
                        measured=measured_in(row, measured_label(self.view)),
                        low=number(row, "low"),
                        high=number(row, "high"),
                    )
                )
        return places

    def versions(self, count: int) -> list[uuid.UUID]:
        return [version for _, row in self.rows()[:count] if (version := version_of(row)) is not None]


def board_of(session: Session, division: Division) -> Board | None:
    """Return the table that was published last; None before the first one. It is read once, however many show it."""
    dependencies = of_division((ChangeKind.LEAGUE, ChangeKind.ROUND), division.id)
    return cached_value(session, ("board", division.id), dependencies, lambda: _read(division))


def _read(division: Division) -> Board | None:
    if division.leaderboards is None:
        return None
    document = DivisionLeaderboards.model_validate(division.leaderboards)
    return board_in(default_view(document)) if document.views else None


def board_in(view: LeaderboardView) -> Board:
    column = headline(view)
    label = SCORE if column is None else column.label or column.key
    return Board(view, label, None if column is None else column.key)


def number(row: LeaderboardRow, key: str | None) -> float | None:
    value = None if key is None else row.values.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def version_of(row: LeaderboardRow) -> uuid.UUID | None:
    """Return the policy version with which a row's player plays."""
    return row.policy_version_ids[0] if row.policy_version_ids else None


def measured_label(view: LeaderboardView) -> str | None:
    """Return what the interval of a view is about, such as `Mean score`; None for a view without an interval."""
    low = next((column for column in view.columns if column.key == "low"), None)
    return None if low is None else (low.label or "Low").removesuffix(", low")


def measured_in(row: LeaderboardRow, label: str | None) -> float | None:
    """Return the number that the interval of a row is about."""
    low, high = number(row, "low"), number(row, "high")
    if label is None:
        return None
    if label == "Mean score":
        return number(row, "mean_score")
    return None if low is None or high is None else (low + high) / 2
