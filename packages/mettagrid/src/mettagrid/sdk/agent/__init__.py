"""A semantic view of a game for agents that reason about it: state, actions, memory.

A game turns its observations into a `MettagridState` (`runtime.observation` does the first half) and hands it, with
actions, helpers, a memory and a log, to the agent's code as one `MettagridSDK`.
"""

from mettagrid.sdk.agent import actions, directives, helpers, log, progress, state, types
from mettagrid.sdk.agent.actions import ActionCatalog, ActionDescriptor, ActionOutcome, MettagridActions
from mettagrid.sdk.agent.directives import MacroDirective
from mettagrid.sdk.agent.helpers import HelperCapability, HelperCatalog, MettagridHelpers, StateHelperCatalog
from mettagrid.sdk.agent.log import LogRecord, LogSink, ReviewRequest
from mettagrid.sdk.agent.progress import ProgressSnapshot
from mettagrid.sdk.agent.state import (
    GridPosition,
    KnownWorldState,
    MettagridState,
    SelfState,
    SemanticEntity,
    SemanticEvent,
    TeamMemberSummary,
    TeamSummary,
)
from mettagrid.sdk.agent.types import (
    BeliefMemoryRecord,
    EventMemoryRecord,
    MemoryQuery,
    MemoryRecord,
    MemoryView,
    MettagridSDK,
    PlanMemoryRecord,
    PlanView,
    RetrievedMemoryRecord,
)

__all__ = [
    "ActionCatalog",
    "ActionDescriptor",
    "ActionOutcome",
    "BeliefMemoryRecord",
    "EventMemoryRecord",
    "GridPosition",
    "HelperCapability",
    "HelperCatalog",
    "KnownWorldState",
    "LogRecord",
    "LogSink",
    "MacroDirective",
    "MemoryQuery",
    "MemoryRecord",
    "MemoryView",
    "MettagridActions",
    "MettagridHelpers",
    "MettagridSDK",
    "MettagridState",
    "PlanMemoryRecord",
    "PlanView",
    "ProgressSnapshot",
    "RetrievedMemoryRecord",
    "ReviewRequest",
    "SelfState",
    "SemanticEntity",
    "SemanticEvent",
    "StateHelperCatalog",
    "TeamMemberSummary",
    "TeamSummary",
    "actions",
    "directives",
    "helpers",
    "log",
    "progress",
    "state",
    "types",
]
