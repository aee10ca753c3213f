"""Build the state of a cog from its observation."""

from __future__ import annotations

from collections.abc import Sequence

from cogames.sdk.base import SemanticStateAdapter
from cogames.sdk.cogsguard.constants import COGSGUARD_ROLE_NAMES
from mettagrid.sdk.agent.runtime.observation import (
    DecodedObservation,
    ObservationCell,
    ObservationEnvelope,
    decode_observation,
)
from mettagrid.sdk.agent.state import (
    AttributeValue,
    GridPosition,
    MettagridState,
    SelfState,
    SemanticEntity,
    TeamMemberSummary,
    TeamSummary,
)
from mettagrid.simulator.interface import VisibleTalk

__all__ = ["GAME", "CogsguardStateAdapter"]

GAME = "cogsguard"
AGENT = "agent"
OWNED_TYPES = (AGENT, "hub", "junction")  # have the attribute `owner`, also when no team owns them
TYPE_TAG, TEAM_TAGS = "type:", ("team:", "net:")
COMMON_TYPE = "c:"  # part of some type tags, not of the type
INVENTORY, TEAM_INVENTORY = "inv:", "team:"
FROZEN = "agent:frozen"


class CogsguardStateAdapter(SemanticStateAdapter):
    """Builds states of Cogs vs Clips.

    Positions of entities are relative to the cog: x grows to the east, y to the south. The cog's own position and the
    attributes `global_x` and `global_y` are relative to the cell where it started. Entities are ordered by row, then
    by column. A cog without a team has no `team_summary` and no enemies.
    """

    def build_state(self, observation: ObservationEnvelope) -> MettagridState:
        decoded = decode_observation(observation)
        own = _self_state(decoded)
        team = team_of(decoded.self_cell.tags)
        centre = (decoded.center_row, decoded.center_col)
        entities = [
            _entity(cell, team, own.position)
            for cell in decoded.cells
            if (cell.row, cell.col) != centre and any(tag.startswith(TYPE_TAG) for tag in cell.tags)
        ]
        _add_talk(own, entities, decoded)
        entities.sort(key=lambda entity: (entity.position.y, entity.position.x, entity.entity_id))
        return MettagridState(
            game=GAME,
            step=observation.step,
            self_state=own,
            visible_entities=entities,
            team_summary=None if team is None else _team_summary(team, entities, decoded.global_features),
        )


def team_of(tags: Sequence[str]) -> str | None:
    """Return the team that tags name; a team's own tag counts before the tag of its network."""
    for prefix in TEAM_TAGS:
        for tag in tags:
            if tag.startswith(prefix):
                return tag.removeprefix(prefix)
    return None


def role_of(inventory: dict[str, int]) -> str:
    """Return the role that the carried gear gives; `unknown` without gear."""
    return next((role for role in COGSGUARD_ROLE_NAMES if inventory.get(role, 0) > 0), "unknown")


def _self_state(decoded: DecodedObservation) -> SelfState:
    cell, world = decoded.self_cell, decoded.global_features
    team, inventory = team_of(cell.tags), _inventory(cell)
    x = world.get("lp:east", 0) - world.get("lp:west", 0)
    y = world.get("lp:south", 0) - world.get("lp:north", 0)
    agent_id = cell.features.get("agent_id", decoded.observation.agent_id)
    frozen = cell.features.get(FROZEN, 0)
    attributes: dict[str, AttributeValue] = {} if team is None else {"team": team}
    attributes |= {
        "group": cell.features.get("agent:group", 0),
        "agent_id": agent_id,
        "global_x": x,
        "global_y": y,
        "frozen": frozen > 0,
        "freeze_remaining": frozen,
        "last_action_move": world.get("last_action_move", 0),
    }
    status = ["has_heart"] if inventory.get("heart", 0) > 0 else []
    if frozen:
        status.append("frozen")
    return SelfState(
        entity_id=f"agent-{agent_id}",
        entity_type=AGENT,
        position=GridPosition(x=x, y=y),
        labels=["friendly"] if team is None else ["friendly", f"team:{team}"],
        attributes=attributes,
        role=role_of(inventory),
        inventory=inventory,
        status=status,
    )


def _entity(cell: ObservationCell, own_team: str | None, origin: GridPosition) -> SemanticEntity:
    kind, team = _entity_type(cell.tags), team_of(cell.tags)
    x, y = origin.x + cell.x, origin.y + cell.y
    attributes: dict[str, AttributeValue] = {}
    if kind in OWNED_TYPES:
        attributes["owner"] = team or "neutral"
    if team is not None:
        attributes["team"] = team
    attributes |= {"global_x": x, "global_y": y}
    for name, value in cell.features.items():
        if name == FROZEN:
            attributes |= {"frozen": value > 0, "freeze_remaining": value}
        elif not name.startswith(INVENTORY):
            attributes[name] = value
    inventory = _inventory(cell)
    if kind == AGENT:
        attributes["role"] = role_of(inventory)
    numbered = kind == AGENT and "agent_id" in cell.features
    return SemanticEntity(
        entity_id=f"agent-{cell.features['agent_id']}" if numbered else f"{kind}@{x},{y}",
        entity_type=kind,
        position=GridPosition(x=cell.x, y=cell.y),
        labels=[kind, _relation(team or None if kind in OWNED_TYPES else team, own_team)],
        attributes=attributes | inventory,
    )


def _entity_type(tags: Sequence[str]) -> str:
    tag = next(tag for tag in tags if tag.startswith(TYPE_TAG))
    kind = tag.removeprefix(TYPE_TAG).removeprefix(COMMON_TYPE)
    return f"{kind}_station" if kind in COGSGUARD_ROLE_NAMES else kind


def _relation(team: str | None, own_team: str | None) -> str:
    if team is None or own_team is None:
        return "neutral"
    return "friendly" if team == own_team else "enemy"


def _inventory(cell: ObservationCell) -> dict[str, int]:
    return {
        name.removeprefix(INVENTORY): value
        for name, value in sorted(cell.features.items())
        if name.startswith(INVENTORY)
    }


def _team_summary(team: str, entities: list[SemanticEntity], world: dict[str, int]) -> TeamSummary:
    members = [
        TeamMemberSummary(
            entity_id=entity.entity_id,
            role=str(entity.attributes.get("role", "unknown")),
            position=entity.position,
            status=entity.labels,
        )
        for entity in entities
        if entity.entity_type == AGENT and "friendly" in entity.labels
    ]
    shared = {
        name.removeprefix(TEAM_INVENTORY): value
        for name, value in sorted(world.items())
        if name.startswith(TEAM_INVENTORY)
    }
    return TeamSummary(team_id=team, members=members, shared_inventory=shared)


def _add_talk(own: SelfState, entities: list[SemanticEntity], decoded: DecodedObservation) -> None:
    """Attach each message to its speaker; add speakers that the tokens do not show."""
    for talk in decoded.observation.talk:
        x, y = talk.location.col - decoded.center_col, talk.location.row - decoded.center_row
        if (x, y) == (0, 0) and talk.agent_id == own.attributes["agent_id"]:
            speaker: SemanticEntity = own
        else:
            speaker = _speaker(entities, talk, x, y, own.position)
        if "talking" not in speaker.labels:
            speaker.labels.append("talking")
        speaker.attributes |= {"talk_text": talk.text, "talk_remaining_steps": talk.remaining_steps}


def _speaker(entities: list[SemanticEntity], talk: VisibleTalk, x: int, y: int, origin: GridPosition) -> SemanticEntity:
    """Return the agent with the speaker's id, else the agent in its cell, which takes the id, else a new entity."""
    agents = [entity for entity in entities if entity.entity_type == AGENT]
    entity_id = f"agent-{talk.agent_id}"
    for entity in agents:
        if entity.entity_id == entity_id:
            return entity
    for entity in agents:
        if (entity.position.x, entity.position.y) == (x, y):
            entity.entity_id = entity_id
            entity.attributes["agent_id"] = talk.agent_id
            return entity
    speaker = SemanticEntity(
        entity_id=entity_id,
        entity_type=AGENT,
        position=GridPosition(x=x, y=y),
        labels=[AGENT],
        attributes={"agent_id": talk.agent_id, "global_x": origin.x + x, "global_y": origin.y + y},
    )
    entities.append(speaker)
    return speaker
