"""The situation of a cog and the choice of a language model, as data."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

__all__ = [
    "MAX_ANALYSIS",
    "MAX_TALK",
    "JunctionSnapshot",
    "PlannerDirective",
    "PlannerSkillOption",
    "PlannerSummary",
    "ResourceName",
    "SkillName",
    "SkillStatus",
    "StrategyMode",
]

ResourceName = Literal["carbon", "oxygen", "germanium", "silicon"]
MAX_TALK, MAX_ANALYSIS = 140, 280  # characters


class StrategyMode(str, Enum):  # noqa: UP042 (str() of a published mode is `StrategyMode.NAME`)
    """What the cog's team needs most."""

    BOOTSTRAP_ECONOMY = "bootstrap_economy"
    COVER_MISSING_RESOURCES = "cover_missing_resources"
    FRONTIER_EXPAND = "frontier_expand"
    CONVERT_FRONTIER = "convert_frontier"
    SCRAMBLE_PRESSURE = "scramble_pressure"
    RECOVER_AND_BANK = "recover_and_bank"


class SkillName(str, Enum):  # noqa: UP042
    """What the cog does next."""

    GEAR_UP_MINER = "gear_up_miner"
    GEAR_UP_ALIGNER = "gear_up_aligner"
    GEAR_UP_SCRAMBLER = "gear_up_scrambler"
    MINE_BIASED_RESOURCE = "mine_biased_resource"
    DEPOSIT_RESOURCES = "deposit_resources"
    GET_HEART = "get_heart"
    ALIGN_FRONTIER = "align_frontier"
    SCRAMBLE_FRONTIER = "scramble_frontier"
    EXPLORE = "explore"
    RETREAT = "retreat"
    UNSTUCK = "unstuck"


class SkillStatus(str, Enum):  # noqa: UP042
    """Whether the cog can use a skill now."""

    ACTIVE = "active"
    READY = "ready"
    SETUP = "setup"
    BLOCKED = "blocked"


class JunctionSnapshot(BaseModel):
    """Numbers of known junctions by owner."""

    model_config = ConfigDict(extra="forbid")

    friendly: int
    enemy: int
    neutral: int


class PlannerSkillOption(BaseModel):
    """A skill that the model may choose."""

    model_config = ConfigDict(extra="forbid")

    name: SkillName
    status: SkillStatus
    reason: str
    preferred_role: str | None = None


class PlannerDirective(BaseModel):
    """The choice of the model. White space is collapsed; long texts are cut."""

    model_config = ConfigDict(extra="forbid")

    mode: StrategyMode
    skill: SkillName
    resource_bias: ResourceName | None = None
    talk: str | None = None
    analysis: str = ""

    @field_validator("talk")
    @classmethod
    def _normalize_talk(cls, value: str | None) -> str | None:
        return _collapse(value or "")[:MAX_TALK] or None

    @field_validator("analysis")
    @classmethod
    def _normalize_analysis(cls, value: str) -> str:
        return _collapse(value)[:MAX_ANALYSIS]


class PlannerSummary(BaseModel):
    """The situation of a cog, as the prompt shows it.

    The last three fields are ours: a prompt states the length of the episode and the size of the map only if the
    caller knows them.
    """

    model_config = ConfigDict(extra="forbid")

    step: int
    agent_id: int
    hp: int
    position: tuple[int, int]
    role: str
    strategy_mode: StrategyMode | None = None
    active_skill: SkillName | None = None
    resource_bias: ResourceName
    team_resources: dict[str, int]
    inventory: dict[str, int]
    junctions: JunctionSnapshot
    safe_distance: int
    stalled: bool
    oscillating: bool
    has_gear: bool
    emergency_mining: bool
    roles: str = ""
    active_skill_steps: int = 0
    last_skill_exit_reason: str = ""
    recent_events: list[str] = Field(default_factory=list)
    skill_options: list[PlannerSkillOption] = Field(default_factory=list)
    visible_talk: list[str] = Field(default_factory=list)
    talk_enabled: bool = False
    talk_cooldown_steps: int = 0
    max_steps: int | None = None
    episode_percent: int | None = None
    map_size: tuple[int, int] | None = None


def _collapse(text: str) -> str:
    return " ".join(text.split())
