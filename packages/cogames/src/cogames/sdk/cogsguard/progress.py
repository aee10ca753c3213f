"""Measure the progress of a cog's team toward an objective, and notice stalls."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from cogames.sdk.cogsguard.planner_library import resource_names
from mettagrid.sdk.agent.progress import ProgressMetricValue, ProgressSnapshot
from mettagrid.sdk.agent.state import MettagridState, SemanticEntity

__all__ = ["CogsguardProgressTracker"]

RESOURCE_STALL_STEPS = 16
BOOTSTRAP_STALL_STEPS = 24
PRESSURE_STALL_STEPS = 24


@dataclass(slots=True)
class BestValue:
    """The best value since the objective began, and the step of its last gain."""

    value: int
    gained_at: int | None = None

    def update(self, value: int, step: int) -> bool:
        """Note a value; return whether it is a gain."""
        if value <= self.value:
            return False
        self.value, self.gained_at = value, step
        return True


@dataclass(slots=True)
class Measures:
    """The numbers of one state."""

    types_seen: int
    types_missing: int
    units: int
    hearts: int
    friendly: int
    neutral: int
    enemy: int
    enemy_agents: int


class CogsguardProgressTracker:
    """Compares the states of one cog while it follows one objective.

    The objectives are `resource_coverage` (stalls after 16 steps without a gain while elements are missing),
    `economy_bootstrap` (24 steps without a gain and without hearts) and `aligner_pressure` (24 steps without a new
    junction). Other objectives never stall. A new objective, or a step before the last one, starts the count again.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the objective."""
        self._objective: str | None = None
        self._start = self._last = 0

    def snapshot(
        self,
        state: MettagridState,
        *,
        objective: str,
        seen_resources: Collection[str],
        missing_resources: Collection[str],
    ) -> ProgressSnapshot:
        """Return the progress toward an objective, as of this state."""
        step = state.step or 0
        now = measure(state, len(seen_resources), len(missing_resources))
        milestones: list[str] = []
        if objective != self._objective or step < self._last:
            self._begin(objective, step, now)
        else:
            self._update(state, step, now, milestones)
        self._last = step
        age = step - self._start
        resources = _steps_since(step, age, self._types.gained_at, self._units.gained_at)
        hearts = _steps_since(step, age, self._hearts.gained_at)
        junctions = _steps_since(step, age, self._junctions.gained_at)
        stalled = _is_stalled(objective, now, resources, hearts, junctions)
        if stalled:
            milestones.append("objective appears stalled")
        metrics: dict[str, ProgressMetricValue] = {
            "enemy_agents_visible": now.enemy_agents,
            "enemy_junctions_visible": now.enemy,
            "friendly_junctions_visible": now.friendly,
            "heart_total": now.hearts,
            "neutral_junctions_visible": now.neutral,
            "objective_age_steps": age,
            "progress_stalled": stalled,
            "resource_types_missing": now.types_missing,
            "resource_types_seen": now.types_seen,
            "steps_since_any_progress": min(resources, hearts, junctions),
            "steps_since_heart_progress": hearts,
            "steps_since_map_control_progress": junctions,
            "steps_since_resource_progress": resources,
            "team_resource_units": now.units,
        }
        idle = {"resource_coverage": resources, "economy_bootstrap": max(resources, hearts)}.get(objective, junctions)
        summary = _summary(objective, now, stalled=stalled, idle=idle)
        return ProgressSnapshot(objective=objective, summary=summary, milestones=milestones, metrics=metrics)

    def _begin(self, objective: str, step: int, now: Measures) -> None:
        self._objective, self._start = objective, step
        self._types, self._units = BestValue(now.types_seen), BestValue(now.units)
        self._hearts, self._junctions = BestValue(now.hearts), BestValue(now.friendly)

    def _update(self, state: MettagridState, step: int, now: Measures, milestones: list[str]) -> None:
        if self._types.update(now.types_seen, step):
            milestones.append(f"resource types touched: {now.types_seen}")
        if self._units.update(now.units, step):
            milestones.append(f"team resource units: {now.units}")
        if self._hearts.update(now.hearts, step):
            milestones.append(f"hearts ready: {now.hearts}")
        captured = _has_captured(state)
        if self._junctions.update(now.friendly, step) or captured:
            self._junctions.gained_at = step
            milestones.append(f"friendly junctions visible: {now.friendly}")


def measure(state: MettagridState, types_seen: int, types_missing: int) -> Measures:
    """Return the numbers of a state: what the team and the cog hold, and what is in view."""
    team, own = state.team_summary, state.self_state.inventory
    shared = {} if team is None else team.shared_inventory
    team_id = _team_id(state)
    owners = [_owner(entity) for entity in state.visible_entities if entity.entity_type == "junction"]
    friendly, neutral = owners.count(team_id), owners.count("neutral")
    return Measures(
        types_seen=types_seen,
        types_missing=types_missing,
        units=sum(holder.get(element, 0) for holder in (shared, own) for element in resource_names()),
        hearts=shared.get("heart", 0) + own.get("heart", 0),
        friendly=friendly,
        neutral=neutral,
        enemy=len(owners) - friendly - neutral,
        enemy_agents=sum(_is_enemy(entity, team_id) for entity in state.visible_entities),
    )


def _team_id(state: MettagridState) -> str:
    if state.team_summary is not None:
        return state.team_summary.team_id
    return str(state.self_state.attributes.get("team", ""))


def _owner(junction: SemanticEntity) -> str:
    return str(junction.attributes.get("owner", "neutral"))


def _is_enemy(entity: SemanticEntity, team_id: str) -> bool:
    team = entity.attributes.get("team")
    return entity.entity_type == "agent" and ("enemy" in entity.labels or (team is not None and team != team_id))


def _has_captured(state: MettagridState) -> bool:
    owner = f"current_owner={_team_id(state)}"
    return any(
        event.event_type == "junction_owner_changed" and owner in event.evidence for event in state.recent_events
    )


def _steps_since(step: int, age: int, *gains: int | None) -> int:
    return min((step - gain for gain in gains if gain is not None), default=age)


def _is_stalled(objective: str, now: Measures, resources: int, hearts: int, junctions: int) -> bool:
    if objective == "resource_coverage":
        return now.types_missing > 0 and resources >= RESOURCE_STALL_STEPS
    if objective == "economy_bootstrap":
        return now.hearts == 0 and min(resources, hearts) >= BOOTSTRAP_STALL_STEPS
    return objective == "aligner_pressure" and junctions >= PRESSURE_STALL_STEPS


def _summary(objective: str, now: Measures, *, stalled: bool, idle: int) -> str:
    if objective == "resource_coverage":
        if now.types_missing == 0:
            return "Coverage is complete: the team has touched every element."
        status = f"Coverage: {now.types_seen} elements touched, {now.types_missing} missing"
    elif objective == "economy_bootstrap":
        status = f"Economy: {now.hearts} hearts, {now.units} elements"
    elif objective == "aligner_pressure":
        status = f"Pressure: in view {now.friendly} own junctions, {now.neutral} free, {now.enemy_agents} enemy agents"
    else:
        return f"Progress toward {objective} is not measured."
    return f"{status}; stalled, no gain for {idle} steps." if stalled else f"{status}."
