"""What an episode is asked to be: the model behind `config_schema`."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cogsguard.coworld.errors import BadConfig
from cogsguard.game.game import GAME
from mettagrid.cogame.errors import MissionError, UnknownMission
from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["MOST_SLOTS", "GameConfig", "Seat", "config_schema", "read_config"]

MOST_SLOTS = 80
CONNECT_SECONDS = 180.0


class Seat(BaseModel):
    """One slot, for people."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100, description="Shown in the viewer and kept in the replay")


class GameConfig(BaseModel):
    """One episode. Slot N drives cog N; the mission decides which team a cog is in."""

    model_config = ConfigDict(extra="forbid")

    tokens: Annotated[list[str], Field(min_length=1, max_length=MOST_SLOTS)] = Field(
        description="One secret for each slot, which its player must know; the number of them is the number of cogs"
    )
    players: list[Seat] | None = Field(default=None, description="One for each slot; by default `Cog N`")
    mission: str = Field(default="tutorial", description="As `cogames missions` lists them")
    variants: list[str] = Field(default_factory=list, description="Changes to the rules")
    max_steps: int | None = Field(default=None, ge=1, le=100_000, description="By default the mission's own number")
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Decides the map and everything drawn by lot")
    tick_rate: float | None = Field(
        default=None,
        ge=0.01,
        le=1000,
        description="Steps per second, whatever the players do. By default a step begins when all have answered",
    )
    step_timeout_seconds: float = Field(
        default=5.0, gt=0, le=600, description="How long a step waits for answers; who is late does nothing in it"
    )
    player_connect_timeout_seconds: float = Field(
        default=CONNECT_SECONDS, ge=0, le=3600, description="When to begin without those who are missing"
    )

    @model_validator(mode="after")
    def _one_seat_per_token(self) -> GameConfig:
        if self.players is not None and len(self.players) != len(self.tokens):
            raise ValueError(f"there are {len(self.tokens)} tokens and {len(self.players)} players")
        return self

    @property
    def slots(self) -> int:
        return len(self.tokens)

    @property
    def names(self) -> list[str]:
        if self.players is None:
            return [f"Cog {slot}" for slot in range(self.slots)]
        return [seat.name for seat in self.players]

    @property
    def unique_names(self) -> list[str]:
        """The names with the slot behind those that several have."""
        names = self.names
        return [name if names.count(name) == 1 else f"{name} [{slot}]" for slot, name in enumerate(names)]

    def environment(self) -> MettaGridConfig:
        """The mission, for as many cogs as there are slots; `BadConfig` when there is none."""
        missions = {mission.name: mission for mission in GAME.all_missions()}
        try:
            if self.mission not in missions:
                raise UnknownMission(self.mission, list(missions))
            mission = missions[self.mission]
            if not mission.min_cogs <= self.slots <= mission.max_cogs:
                raise BadConfig(
                    f"The mission {mission.name!r} is for {mission.min_cogs} to {mission.max_cogs} cogs, "
                    f"not for {self.slots} slots"
                )
            env = mission.with_variants(self.variants).with_cogs(self.slots).make_env()
        except MissionError as error:
            raise BadConfig(str(error)) from error
        if self.max_steps is not None:
            env.game.max_steps = self.max_steps
        return env


def read_config(text: str | bytes) -> GameConfig:
    """The config that a runner wrote; `BadConfig` says what is wrong with it."""
    try:
        return GameConfig.model_validate(json.loads(text))
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]  # the input may hold tokens
        place = ".".join(str(part) for part in detail["loc"]) or "config"
        raise BadConfig(f"The config is wrong at `{place}`: {detail['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise BadConfig(f"The config is no JSON: {error}") from None


def config_schema(slots: int) -> dict[str, Any]:
    """The JSON Schema of configs with so many slots, as a manifest holds it: with equal bounds, so that both
    generations of the rules accept it."""
    schema = GameConfig.model_json_schema()
    tokens = schema["properties"]["tokens"]
    tokens["minItems"] = tokens["maxItems"] = slots
    seats = {**schema.pop("$defs")["Seat"], "title": "Seat"}
    players = {"type": "array", "items": seats, "minItems": slots, "maxItems": slots}
    schema["properties"]["players"] = {**players, "description": schema["properties"]["players"]["description"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_plain(schema)}


def _plain(value: Any) -> Any:
    """Without the titles that the models make of field names."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _plain(item) for key, item in value.items()}
    if "type" in kept or "anyOf" in kept:
        kept.pop("title", None)
    return kept
