"""Short hand-made sequences of states, for tests of an agent's code and as examples in prompts."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from cogames.sdk.cogsguard.state import AGENT, GAME
from mettagrid.sdk.agent.state import (
    AttributeValue,
    GridPosition,
    KnownWorldState,
    MettagridState,
    SelfState,
    SemanticEntity,
    SemanticEvent,
    TeamSummary,
)

__all__ = ["CogsguardScenario", "CogsguardScenarioBuilder", "CogsguardScenarioPresets"]

OUR_TEAM, ENEMY_TEAM = "cogs", "clips"
STOCK = {"carbon": 10, "oxygen": 10, "germanium": 10, "silicon": 10}
FULL_HP, ENERGY, MINED = 100, 90, 40


class CogsguardScenario(BaseModel):
    """A named sequence of states of one cog."""

    name: str
    states: list[MettagridState] = Field(default_factory=list)


class CogsguardScenarioBuilder:
    """Makes states and entities as the state adapter makes them."""

    def scenario(self, name: str, *states: MettagridState) -> CogsguardScenario:
        return CogsguardScenario(name=name, states=list(states))

    def state(
        self,
        *,
        step: int,
        role: str,
        heart: int,
        position: tuple[int, int] = (0, 0),
        visible_entities: list[SemanticEntity] | None = None,
        extra_inventory: dict[str, int] | None = None,
        shared_inventory: dict[str, int] | None = None,
        recent_events: list[SemanticEvent] | None = None,
        known_world: KnownWorldState | None = None,
    ) -> MettagridState:
        """Return a state of agent 0 of the cogs with full hp and the gear of its role.

        `shared_inventory` changes the team's stock of ten of each element.
        """
        x, y = position
        inventory = {"energy": ENERGY, role: 1, "heart": heart, "hp": FULL_HP} | (extra_inventory or {})
        own = SelfState(
            entity_id="agent-0",
            entity_type=AGENT,
            position=GridPosition(x=x, y=y),
            labels=["friendly", f"team:{OUR_TEAM}"],
            attributes={"agent_id": 0, "team": OUR_TEAM, "global_x": x, "global_y": y},
            role=role,
            inventory=inventory,
            status=["has_heart"] if heart > 0 else [],
        )
        return MettagridState(
            game=GAME,
            step=step,
            self_state=own,
            visible_entities=visible_entities or [],
            known_world=known_world or KnownWorldState(),
            team_summary=TeamSummary(team_id=OUR_TEAM, shared_inventory=STOCK | (shared_inventory or {})),
            recent_events=recent_events or [],
        )

    def friendly_hub(self, *, x: int = 0, y: int = 1) -> SemanticEntity:
        return _entity("hub", x, y, "friendly", {"owner": OUR_TEAM, "team": OUR_TEAM})

    def neutral_junction(self, *, x: int = 1, y: int = 0) -> SemanticEntity:
        return _entity("junction", x, y, "neutral", {"owner": "neutral"})

    def enemy_junction(self, *, x: int = 2, y: int = 0) -> SemanticEntity:
        return _entity("junction", x, y, "enemy", {"owner": ENEMY_TEAM})

    def extractor(self, *, resource: str, x: int, y: int, friendly: bool = True) -> SemanticEntity:
        relation, team = ("friendly", OUR_TEAM) if friendly else ("enemy", ENEMY_TEAM)
        return _entity(f"{resource}_extractor", x, y, relation, {"team": team})

    def friendly_agent(
        self, *, entity_id: str, x: int, y: int, role: str, resources: dict[str, int] | None = None
    ) -> SemanticEntity:
        """Return a teammate; `agent-N` has the agent id N, any other id 0."""
        number = re.fullmatch(r"agent-(\d+)", entity_id)
        agent_id = int(number[1]) if number else 0
        attributes: dict[str, AttributeValue] = {"team": OUR_TEAM, "role": role, "agent_id": agent_id}
        attributes |= resources or {}
        return _entity(AGENT, x, y, "friendly", attributes, entity_id)


class CogsguardScenarioPresets:
    """Scenarios by name."""

    @staticmethod
    def library() -> tuple[tuple[str, str], ...]:
        """Return (name, description) of each scenario."""
        return (
            ("aligner-heart-capture", "An aligner takes a heart from the hub and can then capture a free junction."),
            ("miner-gather-deposit", "A miner fills up at an extractor and brings the load to the hub."),
            ("scrambler-neutralize", "A scrambler takes a heart and can then clear an enemy junction."),
        )

    @staticmethod
    def aligner_heart_capture() -> CogsguardScenario:
        make = CogsguardScenarioBuilder()
        view = [make.friendly_hub(), make.neutral_junction()]
        return make.scenario(
            "aligner-heart-capture",
            make.state(step=10, role="aligner", heart=0, visible_entities=view, shared_inventory={"heart": 1}),
            make.state(
                step=11, role="aligner", heart=1, position=(2, 0), visible_entities=view, shared_inventory={"heart": 0}
            ),
        )

    @staticmethod
    def miner_gather_and_deposit(*, resource: str = "oxygen") -> CogsguardScenario:
        make = CogsguardScenarioBuilder()
        view = [make.friendly_hub(), make.extractor(resource=resource, x=2, y=1)]
        stock = {resource: STOCK["oxygen"] + MINED}
        return make.scenario(
            "miner-gather-deposit",
            make.state(step=20, role="miner", heart=0, visible_entities=view),
            make.state(step=21, role="miner", heart=0, visible_entities=view, extra_inventory={resource: MINED}),
            make.state(step=22, role="miner", heart=0, visible_entities=view, shared_inventory=stock),
        )

    @staticmethod
    def scrambler_neutralize_enemy_junction() -> CogsguardScenario:
        make = CogsguardScenarioBuilder()
        view = [make.friendly_hub(), make.enemy_junction()]
        return make.scenario(
            "scrambler-neutralize",
            make.state(step=30, role="scrambler", heart=0, visible_entities=view, shared_inventory={"heart": 1}),
            make.state(step=31, role="scrambler", heart=1, position=(3, 0), visible_entities=view),
        )


def _entity(
    kind: str, x: int, y: int, relation: str, attributes: dict[str, AttributeValue], entity_id: str | None = None
) -> SemanticEntity:
    return SemanticEntity(
        entity_id=entity_id or f"{kind}@{x},{y}",
        entity_type=kind,
        position=GridPosition(x=x, y=y),
        labels=[kind, relation],
        attributes={"global_x": x, "global_y": y, **attributes},
    )
