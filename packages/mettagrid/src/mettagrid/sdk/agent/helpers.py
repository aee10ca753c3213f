"""Common queries on a state."""

from __future__ import annotations

from collections import Counter
from typing import Protocol, runtime_checkable

from pydantic import BaseModel

from mettagrid.sdk.agent.state import AttributeValue, MettagridState, SemanticEntity

__all__ = ["HelperCapability", "HelperCatalog", "MettagridHelpers", "StateHelperCatalog"]


class HelperCapability(BaseModel):
    """The description of one query, for an agent."""

    name: str
    description: str


class HelperCatalog:
    """A list of queries."""

    def __init__(self, capabilities: list[HelperCapability]) -> None:
        self._capabilities = list(capabilities)

    def list_capabilities(self) -> list[HelperCapability]:
        return list(self._capabilities)

    def render_capability_summary(self, max_items: int | None = None) -> str:
        """Return the first `max_items` queries as text, one per line."""
        capabilities = self._capabilities[:max_items]
        return "\n".join(f"- {each.name}: {each.description}" for each in capabilities) or "none"


STATE_CAPABILITIES = {
    "agent_id": "number of this agent",
    "shared_inventory": "what the team holds together, by resource",
    "shared_objectives": "what the team is after",
    "seen_resources": "resources the team has seen: those named in objectives `seen_resource:<name>`",
    "missing_resources": "resources the team lacks: those named in objectives `missing_resource:<name>`",
    "self_attribute": "one of this agent's attributes, or a default",
    "position": "where this agent is, as (x, y)",
    "visible_entity_counts": "how many things of each type are in sight",
    "recent_event_types": "types of recent events, each once, in order",
    "visible_entities": "things in sight, by type, label and distance; who talks has the label `talking` "
    "and the attributes talk_text and talk_remaining_steps",
    "nearest_visible_entity": "the nearest of the things in sight, with the same filters",
    "distance_to_entity": "steps to a thing in sight, by its id, as if nothing were in the way; None when out of sight",
    "visible_entity_ids": "ids of things in sight, with the same filters",
    "entity_by_id": "a thing in sight by its id; None when out of sight",
}


class StateHelperCatalog(HelperCatalog):
    """Queries on one state. Distances are Manhattan distances; among equal distances the lower id comes first."""

    def __init__(self, state: MettagridState, capabilities: list[HelperCapability] | None = None) -> None:
        known = [HelperCapability(name=name, description=text) for name, text in STATE_CAPABILITIES.items()]
        super().__init__(known if capabilities is None else capabilities)
        self._state = state

    def agent_id(self) -> int:
        """Return the attribute `agent_id`, a whole number; 0 if there is none."""
        value = self._state.self_state.attributes.get("agent_id", 0)
        assert isinstance(value, int | str), f"agent_id must be a whole number, not {value!r}"
        return int(value)

    def shared_inventory(self) -> dict[str, int]:
        team = self._state.team_summary
        return {} if team is None else dict(team.shared_inventory)

    def shared_objectives(self) -> list[str]:
        team = self._state.team_summary
        return [] if team is None else list(team.shared_objectives)

    def seen_resources(self) -> list[str]:
        return self._objective_values("seen_resource")

    def missing_resources(self) -> list[str]:
        return self._objective_values("missing_resource")

    def self_attribute(self, name: str, default: AttributeValue | None = None) -> AttributeValue | None:
        return self._state.self_state.attributes.get(name, default)

    def position(self) -> tuple[int, int]:
        here = self._state.self_state.position
        return here.x, here.y

    def visible_entity_counts(self) -> dict[str, int]:
        counts = Counter(entity.entity_type for entity in self._state.visible_entities)
        return dict(sorted(counts.items()))

    def recent_event_types(self) -> list[str]:
        return list(dict.fromkeys(event.event_type for event in self._state.recent_events))

    def visible_entities(
        self, entity_type: str | None = None, label: str | None = None, max_distance: int | None = None
    ) -> list[SemanticEntity]:
        return [
            entity
            for entity in self._state.visible_entities
            if (entity_type is None or entity.entity_type == entity_type)
            and (label is None or label in entity.labels)
            and (max_distance is None or self._distance(entity) <= max_distance)
        ]

    def visible_entity_ids(
        self, entity_type: str | None = None, label: str | None = None, max_distance: int | None = None
    ) -> list[str]:
        return [entity.entity_id for entity in self.visible_entities(entity_type, label, max_distance)]

    def entity_by_id(self, entity_id: str) -> SemanticEntity | None:
        return next((entity for entity in self._state.visible_entities if entity.entity_id == entity_id), None)

    def nearest_visible_entity(
        self, entity_type: str | None = None, label: str | None = None, max_distance: int | None = None
    ) -> SemanticEntity | None:
        candidates = self.visible_entities(entity_type, label, max_distance)
        return min(candidates, key=lambda entity: (self._distance(entity), entity.entity_id), default=None)

    def distance_to_entity(self, entity_id: str) -> int | None:
        entity = self.entity_by_id(entity_id)
        return None if entity is None else self._distance(entity)

    def _objective_values(self, prefix: str) -> list[str]:
        start = f"{prefix}:"
        return [text.removeprefix(start) for text in self.shared_objectives() if text.startswith(start)]

    def _distance(self, entity: SemanticEntity) -> int:
        x, y = self.position()
        return abs(entity.position.x - x) + abs(entity.position.y - y)


@runtime_checkable
class MettagridHelpers(Protocol):
    """An object with the queries of `StateHelperCatalog`."""

    def list_capabilities(self) -> list[HelperCapability]: ...
    def render_capability_summary(self, max_items: int | None = None) -> str: ...
    def agent_id(self) -> int: ...
    def shared_inventory(self) -> dict[str, int]: ...
    def shared_objectives(self) -> list[str]: ...
    def seen_resources(self) -> list[str]: ...
    def missing_resources(self) -> list[str]: ...
    def position(self) -> tuple[int, int]: ...
    def visible_entity_counts(self) -> dict[str, int]: ...
    def recent_event_types(self) -> list[str]: ...
    def visible_entities(
        self, entity_type: str | None = None, label: str | None = None, max_distance: int | None = None
    ) -> list[SemanticEntity]: ...
    def visible_entity_ids(
        self, entity_type: str | None = None, label: str | None = None, max_distance: int | None = None
    ) -> list[str]: ...
    def entity_by_id(self, entity_id: str) -> SemanticEntity | None: ...
    def nearest_visible_entity(
        self, entity_type: str | None = None, label: str | None = None, max_distance: int | None = None
    ) -> SemanticEntity | None: ...
    def distance_to_entity(self, entity_id: str) -> int | None: ...
    def self_attribute(self, name: str, default: AttributeValue | None = None) -> AttributeValue | None: ...
