"""Test doubles for the parts of a `MettagridSDK`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mettagrid.sdk.agent.log import LogRecord
from mettagrid.sdk.agent.types import MemoryQuery, MemoryRecord, RetrievedMemoryRecord

__all__ = ["LogStub", "MemoryStub", "PlanStub"]

SCORE = 0.9


class MemoryStub(dict[str, Any]):
    """A memory that returns its records in order for any query."""

    def __init__(self, *, records: list[MemoryRecord] | None = None, scratchpad: str = "Nothing noted so far.") -> None:
        super().__init__()
        remembered = MemoryRecord(record_id="evt-1", kind="event", summary="Opened a chest.")
        self._records = [remembered] if records is None else list(records)
        self._scratchpad = scratchpad

    def recent_records(self, limit: int = 10) -> list[MemoryRecord]:
        return self._records[:limit]

    def retrieve(self, query: MemoryQuery, limit: int = 10) -> list[RetrievedMemoryRecord]:
        """Return only the first record, with a good score."""
        return [
            RetrievedMemoryRecord(
                record=record, score=SCORE, relevance_score=SCORE, recency_score=0.0, importance_score=0.0
            )
            for record in self._records[: min(limit, 1)]
        ]

    def render_prompt_context(self, query: MemoryQuery, limit: int = 6) -> str:
        records = (each.record for each in self.retrieve(query, limit))
        lines = [f"- {record.kind}, step {record.step}: {record.summary}" for record in records]
        return "\n".join(["Remembered:", *lines])

    def read_scratchpad(self) -> str:
        return self._scratchpad

    def replace_scratchpad(self, text: str) -> None:
        self._scratchpad = text

    def append_scratchpad(self, text: str) -> None:
        self._scratchpad += text


@dataclass(slots=True)
class LogStub:
    """A log in memory."""

    records: list[LogRecord] = field(default_factory=list)

    def write(self, record: LogRecord) -> None:
        self.records.append(record)


@dataclass(slots=True)
class PlanStub:
    """A plan in memory."""

    text: str = "Explore first."

    def read_plan(self, max_chars: int = 4000) -> str:
        """Return the end of the plan."""
        return self.text[-max_chars:] if max_chars > 0 else ""

    def replace_plan(self, text: str) -> None:
        self.text = text

    def append_plan(self, text: str) -> None:
        self.text += text
