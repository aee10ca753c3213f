"""Pages of lists: rows, and the cursor of the next page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from pydantic import BaseModel

from softmax.wire.coworlds import CoworldSummaryRow, ReporterRow
from softmax.wire.images import ContainerImageRow
from softmax.wire.leagues import CompetitionEventRow, CompetitionMembership, CompetitionSubmission

__all__ = [
    "CompetitionEventPage",
    "CoworldPage",
    "ImagePage",
    "LeaguePolicyMembershipPage",
    "LeagueSubmissionPage",
    "ReporterListPage",
    "Rows",
]

Row = TypeVar("Row", bound=BaseModel)


class Rows(BaseModel, Generic[Row]):
    """One page of a list, and the cursor of the next one."""

    entries: list[Row]
    next_cursor: str | None = None

    def __iter__(self) -> Iterator[Row]:  # type: ignore[override]
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class LeaguePolicyMembershipPage(Rows[CompetitionMembership]):
    """One page of memberships."""


class LeagueSubmissionPage(Rows[CompetitionSubmission]):
    """One page of submissions."""


class CompetitionEventPage(Rows[CompetitionEventRow]):
    """One page of events."""


class ReporterListPage(Rows[ReporterRow]):
    """One page of reporters."""


class CoworldPage(Rows[CoworldSummaryRow]):
    """One page of Coworlds."""


class ImagePage(Rows[ContainerImageRow]):
    """One page of images."""
