"""Memory, plans, and the SDK object that an agent's code receives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from pydantic import BaseModel, Field

from mettagrid.sdk.agent.actions import MettagridActions
from mettagrid.sdk.agent.helpers import MettagridHelpers
from mettagrid.sdk.agent.log import LogSink
from mettagrid.sdk.agent.progress import ProgressSnapshot
from mettagrid.sdk.agent.state import GridPosition, MettagridState

__all__ = [
    "BeliefMemoryRecord",
    "EventMemoryRecord",
    "MemoryQuery",
    "MemoryRecord",
    "MemoryView",
    "MettagridSDK",
    "PlanMemoryRecord",
    "PlanView",
    "RetrievedMemoryRecord",
]


class MemoryRecord(BaseModel):
    """A record in an agent's memory."""

    record_id: str
    kind: str
    summary: str = ""
    tags: list[str] = Field(default_factory=list)
    game: str | None = None
    step: int | None = None
    location: GridPosition | None = None
    region_id: str | None = None
    role_context: str | None = None
    importance: float = 0.0
    source: str = ""
    evidence_ids: list[str] = Field(default_factory=list)


class EventMemoryRecord(MemoryRecord):
    """What happened."""

    kind: str = "event"
    event_type: str


class PlanMemoryRecord(MemoryRecord):
    """A plan."""

    kind: str = "plan"
    plan_type: str
    status: str = "active"


class BeliefMemoryRecord(MemoryRecord):
    """A belief."""

    kind: str = "belief"
    belief_type: str
    confidence: float = 0.0


class MemoryQuery(BaseModel):
    """A query for memories."""

    game: str | None = None
    step: int | None = None
    role_context: str | None = None
    target_tags: list[str] = Field(default_factory=list)
    active_plan: str | None = None
    text: str = ""

    @classmethod
    def from_state(
        cls, state: MettagridState, *, active_plan: str | None = None, extra_tags: list[str] | None = None
    ) -> Self:
        """Create a query from the agent's role and status, and the types and labels of visible entities."""
        own = state.self_state
        tags = {*own.status, *(extra_tags or ())}
        if own.role is not None:
            tags.add(own.role)
        for entity in state.visible_entities:
            tags |= {entity.entity_type, *entity.labels}
        return cls(
            game=state.game,
            step=state.step,
            role_context=own.role,
            target_tags=sorted(tags),
            active_plan=active_plan,
        )


class RetrievedMemoryRecord(BaseModel):
    """A memory with its relevance."""

    record: MemoryRecord
    score: float
    relevance_score: float
    recency_score: float
    importance_score: float


@runtime_checkable
class PlanView(Protocol):
    """The agent's plan, a text."""

    def read_plan(self, max_chars: int = 4000) -> str: ...
    def replace_plan(self, text: str) -> None: ...
    def append_plan(self, text: str) -> None: ...


@runtime_checkable
class MemoryView(Protocol):
    """The agent's memory: records, a scratchpad, and values by name."""

    def recent_records(self, limit: int = 10) -> list[MemoryRecord]: ...
    def retrieve(self, query: MemoryQuery, limit: int = 10) -> list[RetrievedMemoryRecord]: ...
    def render_prompt_context(self, query: MemoryQuery, limit: int = 6) -> str: ...
    def read_scratchpad(self) -> str: ...
    def replace_scratchpad(self, text: str) -> None: ...
    def append_scratchpad(self, text: str) -> None: ...
    def get(self, key: str, default: object = None) -> object: ...


@dataclass(slots=True)
class MettagridSDK:
    """The input of an agent's code in each step. Without a plan, the plan is empty and read-only."""

    state: MettagridState
    actions: MettagridActions
    helpers: MettagridHelpers
    memory: MemoryView
    log: LogSink
    plan: PlanView | None = None
    progress: ProgressSnapshot | None = None

    @property
    def scratchpad(self) -> str:
        return self.memory.read_scratchpad()

    def read_scratchpad(self) -> str:
        return self.memory.read_scratchpad()

    def replace_scratchpad(self, text: str) -> None:
        self.memory.replace_scratchpad(text)

    def append_scratchpad(self, text: str) -> None:
        self.memory.append_scratchpad(text)

    def read_plan(self, max_chars: int = 4000) -> str:
        return "" if self.plan is None else self.plan.read_plan(max_chars)

    def replace_plan(self, text: str) -> None:
        if self.plan is not None:
            self.plan.replace_plan(text)

    def append_plan(self, text: str) -> None:
        if self.plan is not None:
            self.plan.append_plan(text)
