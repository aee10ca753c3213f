"""The actions of an agent and their outcomes."""

from typing import Protocol, runtime_checkable

from pydantic import BaseModel, Field

__all__ = ["ActionCatalog", "ActionDescriptor", "ActionOutcome", "MettagridActions"]


class ActionDescriptor(BaseModel):
    """An action, its preconditions and its end conditions."""

    name: str
    description: str
    preconditions: list[str] = Field(default_factory=list)
    terminal_reasons: list[str] = Field(default_factory=list)


class ActionOutcome(BaseModel):
    """An action that has ended, from step to step, and why."""

    action: str
    success: bool
    reason: str
    step_started: int
    step_finished: int
    evidence: list[str] = Field(default_factory=list)
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)


class ActionCatalog:
    """A fixed list of actions."""

    def __init__(self, actions: list[ActionDescriptor]) -> None:
        self._actions = list(actions)

    def list_actions(self) -> list[ActionDescriptor]:
        return list(self._actions)


@runtime_checkable
class MettagridActions(Protocol):
    """An object that lists actions."""

    def list_actions(self) -> list[ActionDescriptor]: ...
