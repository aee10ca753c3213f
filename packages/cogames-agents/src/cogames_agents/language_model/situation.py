"""Summarise the situation of a cog for the prompt."""

from __future__ import annotations

from collections import Counter, deque
from typing import cast

from cogames.policy.cells import cells_of
from cogames.policy.cog import ELEMENTS, GEAR_COST, Cog
from cogames.sdk.cogsguard import (
    CogsguardSemanticSurface,
    JunctionSnapshot,
    PlannerSummary,
)
from cogames.sdk.cogsguard.llm_contract import ResourceName
from cogames_agents.language_model.skills import DirectedCog
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.sdk.agent import MettagridState
from mettagrid.simulator.interface import AgentObservation

__all__ = ["Situation"]

TRAIL = 16  # positions that show whether the cog makes headway
STILL, NARROW = 1, 3  # different positions on the trail of a cog that stands, or that goes to and fro
MOST_EVENTS = 8
FULL_SHARE = 255  # value of `episode_completion_pct` at the end


class Situation:
    """Follows one cog through an episode."""

    def __init__(self, policy_env_info: PolicyEnvInterface, player: DirectedCog) -> None:
        self._info = policy_env_info
        self._player = player
        self._surface = CogsguardSemanticSurface()
        self._previous: MettagridState | None = None
        self._trail: deque[tuple[int, int]] = deque(maxlen=TRAIL)

    def look(self) -> None:
        """Note the position of the cog; called in every step."""
        memory = self._player.cog.memory
        self._trail.append(memory.grid.offset(memory.here))

    def summary(self, observation: AgentObservation, talk_cooldown: int) -> PlannerSummary:
        """Return the situation, with the events since the last summary."""
        player, cog = self._player, self._player.cog
        state = self._surface.build_state_with_events(
            observation, policy_env_info=self._info, step=cog.steps - 1, previous_state=self._previous
        )
        self._previous = state
        own, directive = state.self_state, player.directive
        scarcest = min(ELEMENTS, key=cog.stock)
        bias = scarcest if directive is None else directive.resource_bias or scarcest
        junctions, ours, theirs = cog.junctions, cog.ours, cog.theirs
        places = len(set(self._trail)) if len(self._trail) == TRAIL else TRAIL
        events = sorted(state.recent_events, key=lambda event: -event.importance)[:MOST_EVENTS]
        return PlannerSummary(
            step=cog.steps - 1,
            agent_id=cog.agent_id,
            hp=cog.has("hp"),
            position=(own.position.x, own.position.y),
            role=player.role,
            strategy_mode=None if directive is None else directive.mode,
            active_skill=None if directive is None else directive.skill,
            resource_bias=cast(ResourceName, bias),
            team_resources={element: cog.stock(element) for element in ELEMENTS},
            inventory=own.inventory,
            junctions=JunctionSnapshot(
                friendly=(junctions & ours).bit_count(),
                enemy=(junctions & theirs & ~ours).bit_count(),
                neutral=(junctions & ~ours & ~theirs).bit_count(),
            ),
            safe_distance=_distance_to_hub(cog),
            stalled=places <= STILL,
            oscillating=STILL < places <= NARROW,
            has_gear=any(cog.has(gear) for gear in GEAR_COST),
            emergency_mining=not any(map(cog.can_pay, GEAR_COST)),
            roles=_roles(state),
            active_skill_steps=0 if directive is None else player.skill_steps,
            last_skill_exit_reason=player.exit_reason,
            recent_events=[f"{event.event_type}: {event.summary}" for event in events],
            skill_options=player.options(),
            visible_talk=_talk(state),
            talk_enabled=self._info.talk.enabled,
            talk_cooldown_steps=talk_cooldown,
            episode_percent=round(100 * cog.memory.number("episode_completion_pct") / FULL_SHARE),
        )


def _distance_to_hub(cog: Cog) -> int:
    """Return the Manhattan distance to the nearest own hub; 0 if none is known."""
    offset = cog.memory.grid.offset
    row, col = offset(cog.memory.here)
    return min(
        (abs(hub_row - row) + abs(hub_col - col) for hub_row, hub_col in map(offset, cells_of(cog.hub))), default=0
    )


def _roles(state: MettagridState) -> str:
    members = [] if state.team_summary is None else state.team_summary.members
    counts = Counter(member.role for member in members)
    return ", ".join(f"{role}={count}" for role, count in sorted(counts.items()))


def _talk(state: MettagridState) -> list[str]:
    return [
        f"{entity.entity_id}: {entity.attributes['talk_text']}"
        for entity in state.visible_entities
        if entity.attributes.get("talk_text")
    ]
