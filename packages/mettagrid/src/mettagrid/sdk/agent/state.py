"""The knowledge of an agent about the game in one step."""

from pydantic import BaseModel, Field

__all__ = [
    "AttributeValue",
    "GridPosition",
    "KnownWorldState",
    "MettagridState",
    "SelfState",
    "SemanticEntity",
    "SemanticEvent",
    "TeamMemberSummary",
    "TeamSummary",
]

AttributeValue = str | int | float | bool


class GridPosition(BaseModel):
    """A cell; `position[0]` and `position["x"]` are `position.x`."""

    x: int
    y: int

    def __getitem__(self, key: int | str) -> int:
        if key in (0, "x"):
            return self.x
        if key in (1, "y"):
            return self.y
        raise (KeyError if isinstance(key, str) else IndexError)(key)


class SemanticEntity(BaseModel):
    """An object in the game."""

    entity_id: str
    entity_type: str
    position: GridPosition
    labels: list[str] = Field(default_factory=list)
    attributes: dict[str, AttributeValue] = Field(default_factory=dict)


class SelfState(SemanticEntity):
    """The agent itself."""

    role: str | None = None
    inventory: dict[str, int] = Field(default_factory=dict)
    status: list[str] = Field(default_factory=list)


class KnownWorldState(BaseModel):
    """Regions of the map by what is known about them."""

    explored_regions: list[str] = Field(default_factory=list)
    frontier_regions: list[str] = Field(default_factory=list)
    contested_regions: list[str] = Field(default_factory=list)


class TeamMemberSummary(BaseModel):
    """A member of the agent's team."""

    entity_id: str
    role: str
    position: GridPosition
    status: list[str] = Field(default_factory=list)


class TeamSummary(BaseModel):
    """The agent's team, its shared inventory and its objectives."""

    team_id: str
    members: list[TeamMemberSummary] = Field(default_factory=list)
    shared_inventory: dict[str, int] = Field(default_factory=dict)
    shared_objectives: list[str] = Field(default_factory=list)


class SemanticEvent(BaseModel):
    """An event in the game."""

    event_id: str
    event_type: str
    step: int
    location: GridPosition | None = None
    importance: float = 0.0
    summary: str
    evidence: list[str] = Field(default_factory=list)


class MettagridState(BaseModel):
    """The whole state that an agent knows."""

    game: str
    step: int | None = None
    self_state: SelfState
    visible_entities: list[SemanticEntity] = Field(default_factory=list)
    known_world: KnownWorldState = Field(default_factory=KnownWorldState)
    team_summary: TeamSummary | None = None
    recent_events: list[SemanticEvent] = Field(default_factory=list)
