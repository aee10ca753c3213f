"""The two parts of a game's kit: build a state from an observation, and compare two states."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from mettagrid.sdk.agent.runtime.observation import ObservationEnvelope
from mettagrid.sdk.agent.state import MettagridState, SemanticEvent

__all__ = ["SemanticEventExtractor", "SemanticStateAdapter"]


@runtime_checkable
class SemanticStateAdapter(Protocol):
    """Builds the state that one observation shows."""

    def build_state(self, observation: ObservationEnvelope) -> MettagridState: ...


@runtime_checkable
class SemanticEventExtractor(Protocol):
    """Derives events from two consecutive states of one agent."""

    def extract_events(
        self, previous_state: MettagridState | None, current_state: MettagridState
    ) -> list[SemanticEvent]: ...
