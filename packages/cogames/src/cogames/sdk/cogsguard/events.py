"""Derive events from two consecutive states of a cog."""

from __future__ import annotations

from collections.abc import Iterator

from cogames.sdk.base import SemanticEventExtractor
from mettagrid.sdk.agent.state import GridPosition, MettagridState, SemanticEntity, SemanticEvent

__all__ = ["CogsguardEventExtractor"]

GEAR = ("aligner", "miner", "scrambler", "scout")
IMPORTANCE = {
    "heart_acquired": 0.9,
    "heart_lost": 0.8,
    "gear_acquired": 0.7,
    "gear_lost": 0.7,
    "enemy_seen": 0.7,
    "extractor_seen": 0.6,
    "neutral_junction_seen": 0.6,
    "junction_owner_changed": 0.8,
}


class CogsguardEventExtractor(SemanticEventExtractor):
    """Derives hearts, gear, sightings and changes of junctions.

    The first state of an episode has no events. Hearts and gear happen at the cog's own position; other events at the
    position of the entity, relative to the cog.
    """

    def extract_events(
        self, previous_state: MettagridState | None, current_state: MettagridState
    ) -> list[SemanticEvent]:
        if previous_state is None:
            return []
        return [
            *_inventory_events(previous_state, current_state),
            *_sightings(previous_state, current_state),
            *_owner_changes(previous_state, current_state),
        ]


def _inventory_events(before: MettagridState, now: MettagridState) -> Iterator[SemanticEvent]:
    place, step = now.self_state.position, now.step or 0
    had, has = _count(before, "heart"), _count(now, "heart")
    if has > 0 and had == 0:  # further hearts count as one supply
        yield _event("heart_acquired", "", step, place, f"The cog took {_hearts(has)}.", [f"heart={has}"])
    elif has < had:
        evidence = [f"previous_heart={had}", f"current_heart={has}"]
        yield _event("heart_lost", "", step, place, f"The cog has {_hearts(had - has)} less.", evidence)
    for gear in GEAR:
        had, has = _count(before, gear), _count(now, gear)
        if has != had:
            kind, verb = ("gear_acquired", "took") if has > had else ("gear_lost", "no longer has")
            yield _event(kind, gear, step, place, f"The cog {verb} {gear} gear.", [f"gear={gear}", f"count={has}"])


def _sightings(before: MettagridState, now: MettagridState) -> Iterator[SemanticEvent]:
    step = now.step or 0
    known_enemies = {entity.entity_id for entity in _enemies(before)}
    for enemy in _enemies(now):
        if enemy.entity_id not in known_enemies:
            evidence = [f"team={_attribute(enemy, 'team')}", f"role={_attribute(enemy, 'role')}"]
            summary = f"{enemy.entity_id} of another team came into view."
            yield _event("enemy_seen", enemy.entity_id, step, enemy.position, summary, evidence)
    known = {entity.entity_id for entity in before.visible_entities}
    fresh = [entity for entity in now.visible_entities if entity.entity_id not in known]
    for entity in fresh:
        if entity.entity_type.endswith("_extractor"):
            summary = f"{entity.entity_id} came into view."
            evidence = [f"type={entity.entity_type}"]
            yield _event("extractor_seen", entity.entity_id, step, entity.position, summary, evidence)
    for entity in fresh:
        if entity.entity_type == "junction" and entity.attributes.get("owner") == "neutral":
            summary = f"{entity.entity_id}, which no team owns, came into view."
            yield _event("neutral_junction_seen", entity.entity_id, step, entity.position, summary, ["owner=neutral"])


def _owner_changes(before: MettagridState, now: MettagridState) -> Iterator[SemanticEvent]:
    owners = _junction_owners(before)
    for junction in now.visible_entities:
        old, new = owners.get(junction.entity_id), junction.attributes.get("owner")
        if junction.entity_type == "junction" and old is not None and new is not None and old != new:
            summary = f"The owner of {junction.entity_id} changed from {old} to {new}."
            evidence = [f"previous_owner={old}", f"current_owner={new}"]
            step = now.step or 0
            yield _event("junction_owner_changed", junction.entity_id, step, junction.position, summary, evidence)


def _junction_owners(state: MettagridState) -> dict[str, object]:
    return {
        entity.entity_id: entity.attributes["owner"]
        for entity in state.visible_entities
        if entity.entity_type == "junction" and "owner" in entity.attributes
    }


def _enemies(state: MettagridState) -> list[SemanticEntity]:
    """Return the visible agents that are not of our team; none if our own team is unknown."""
    team = state.team_summary
    if team is None:
        return []
    return [
        entity
        for entity in state.visible_entities
        if entity.entity_type == "agent" and entity.attributes.get("team") != team.team_id
    ]


def _count(state: MettagridState, item: str) -> int:
    return state.self_state.inventory.get(item, 0)


def _attribute(entity: SemanticEntity, name: str) -> str:
    return str(entity.attributes.get(name, "unknown"))


def _hearts(count: int) -> str:
    return "one heart" if count == 1 else f"{count} hearts"


def _event(
    kind: str, subject: str, step: int, location: GridPosition, summary: str, evidence: list[str]
) -> SemanticEvent:
    return SemanticEvent(
        event_id=":".join(part for part in (kind, subject, str(step)) if part),
        event_type=kind,
        step=step,
        location=location,
        importance=IMPORTANCE[kind],
        summary=summary,
        evidence=evidence,
    )
