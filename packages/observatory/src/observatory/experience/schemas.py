"""Bodies of requests for episodes."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from observatory.documents import Document
from observatory.wire import Body

__all__ = ["ExperienceCreate", "ExperienceTarget", "ReplaySessionCreate", "RosterEntry", "RosterPlayer"]

MAX_SEATS, MAX_EPISODES = 64, 100

Reference = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ExperienceTarget(Body):
    """What is played: a league, one of its divisions, or a Coworld."""

    league_id: Reference | None = None
    division_id: Reference | None = None
    coworld_id: Reference | None = None
    variant_id: Reference | None = None
    league_name: Reference | None = None
    division_name: Reference | None = None


class RosterPlayer(Body):
    """How a seat is filled: exactly one of `policy_ref`, `top_n`, `random` and `game_player`."""

    policy_ref: Reference | None = Field(default=None, description="`NAME`, `NAME:vN` or the id of a version")
    top_n: int | None = Field(default=None, ge=1, le=1000, description="one of the n best champions, in turn")
    random: bool = Field(default=False, description="a live member of the league, drawn for each episode")
    game_player: Reference | None = Field(default=None, description="a player of the game itself, by its id")
    distinct: bool = Field(default=False, description="draw no version that has another seat of the episode")

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        kinds = (self.policy_ref is not None, self.top_n is not None, self.random, self.game_player is not None)
        if sum(kinds) != 1:
            raise ValueError("must have exactly one of policy_ref, top_n, random and game_player")
        return self


class RosterEntry(Body):
    """One seat."""

    player: RosterPlayer
    slot: int | None = Field(default=None, ge=-1, lt=MAX_SEATS, description="its place; -1 or none takes the next one")


class ExperienceCreate(Body):
    """Episodes to be played."""

    target: ExperienceTarget | None = None
    coworld_id: Reference | None = None
    variant_id: Reference | None = None
    roster: list[RosterEntry] = Field(min_length=1, max_length=MAX_SEATS)
    num_episodes: int = Field(default=1, ge=1, le=MAX_EPISODES)
    execution_backend: Literal["k8s", "dispatch"] = "k8s"
    game_config_overrides: Document = Field(default={})
    game_config_overlay_secret: str | None = Field(default=None, max_length=200)
    episode_player_llm_spend_limit_usd: float | None = Field(
        default=None, ge=0, le=10_000, description="recorded; the operator's model gateway has the limits that count"
    )
    state: Document | None = None
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=10_000)
    notes: str = Field(default="", max_length=10_000)


class ReplaySessionCreate(Body):
    """A replay to be shown."""

    coworld_id: Reference
    replay_uri: str = Field(min_length=1, max_length=4000)
    episode_id: Reference | None = None
