"""All of the kit for Cogs vs Clips behind one object."""

from __future__ import annotations

from dataclasses import dataclass, field

from cogames.sdk.cogsguard.events import CogsguardEventExtractor
from cogames.sdk.cogsguard.prompt_adapter import CogsguardPromptAdapter
from cogames.sdk.cogsguard.state import CogsguardStateAdapter
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.sdk.agent.actions import MettagridActions
from mettagrid.sdk.agent.helpers import StateHelperCatalog
from mettagrid.sdk.agent.log import LogSink
from mettagrid.sdk.agent.runtime.observation import ObservationEnvelope
from mettagrid.sdk.agent.state import MettagridState, SemanticEvent, TeamSummary
from mettagrid.sdk.agent.types import MemoryView, MettagridSDK, PlanView
from mettagrid.simulator.interface import AgentObservation

__all__ = ["CogsguardSemanticSurface"]


@dataclass(slots=True)
class CogsguardSemanticSurface:
    """Turns observations into states with events, renders them, and bundles them for an agent's code."""

    state_adapter: CogsguardStateAdapter = field(default_factory=CogsguardStateAdapter)
    event_extractor: CogsguardEventExtractor = field(default_factory=CogsguardEventExtractor)
    prompt_adapter: CogsguardPromptAdapter = field(default_factory=CogsguardPromptAdapter)

    def build_state(
        self, raw_observation: AgentObservation, *, policy_env_info: PolicyEnvInterface, step: int | None = None
    ) -> MettagridState:
        """Return the state that an observation shows, without events."""
        envelope = ObservationEnvelope(raw_observation=raw_observation, policy_env_info=policy_env_info, step=step)
        return self.state_adapter.build_state(envelope)

    def build_state_with_events(
        self,
        raw_observation: AgentObservation,
        *,
        policy_env_info: PolicyEnvInterface,
        step: int | None = None,
        previous_state: MettagridState | None = None,
    ) -> MettagridState:
        """Return the state that an observation shows, with the events since `previous_state` of the same agent."""
        state = self.build_state(raw_observation, policy_env_info=policy_env_info, step=step)
        state.recent_events = self.extract_events(previous_state, state)
        return state

    def extract_events(
        self, previous_state: MettagridState | None, current_state: MettagridState
    ) -> list[SemanticEvent]:
        return self.event_extractor.extract_events(previous_state, current_state)

    def render_state(self, state: MettagridState) -> str:
        return self.prompt_adapter.render_state(state)

    def render_skill_library(self) -> str:
        return self.prompt_adapter.render_skill_library()

    def with_shared_objectives(
        self, state: MettagridState, *, shared_objectives: list[str] | None = None
    ) -> MettagridState:
        """Return a copy with these objectives of the team; the state itself if there are none."""
        if not shared_objectives:
            return state
        team = state.team_summary or TeamSummary(team_id=str(state.self_state.attributes.get("team", "unknown")))
        summary = team.model_copy(update={"shared_objectives": list(shared_objectives)})
        return state.model_copy(update={"team_summary": summary})

    def build_sdk(
        self,
        state: MettagridState,
        *,
        actions: MettagridActions,
        memory: MemoryView,
        log: LogSink,
        plan: PlanView | None = None,
        shared_objectives: list[str] | None = None,
    ) -> MettagridSDK:
        """Return the bundle that an agent's code takes; its helpers answer from the state."""
        state = self.with_shared_objectives(state, shared_objectives=shared_objectives)
        helpers = StateHelperCatalog(state)
        return MettagridSDK(state=state, actions=actions, helpers=helpers, memory=memory, log=log, plan=plan)
