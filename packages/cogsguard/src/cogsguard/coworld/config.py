"""The config of an episode: the model behind `config_schema`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cogsguard.coworld.errors import BadConfig
from cogsguard.game.game import GAME
from mettagrid.cogame.errors import MissionError, UnknownMission
from mettagrid.config.mettagrid_config import MettaGridConfig

if TYPE_CHECKING:
    from mettagrid.live import LiveRenderer
    from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["MAX_SLOTS", "GameConfig", "Seat", "config_schema", "read_config"]

MAX_SLOTS = 80
CONNECT_SECONDS = 180.0


class Seat(BaseModel):
    """The display name of one slot."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100, description="Shown in the viewer and stored in the replay")


class GameConfig(BaseModel):
    """One episode. Slot N drives cog N; the mission decides which team a cog is in."""

    model_config = ConfigDict(extra="forbid")

    tokens: Annotated[list[str], Field(min_length=1, max_length=MAX_SLOTS)] = Field(
        description="One secret token per slot, which its player must send; their number is the number of cogs"
    )
    players: list[Seat] | None = Field(default=None, description="One for each slot; the default is `Cog N`")
    mission: str = Field(default="tutorial", description="A mission of `cogames missions`")
    variants: list[str] = Field(default_factory=list, description="Changes to the rules")
    max_steps: int | None = Field(default=None, ge=1, le=100_000, description="The default is the mission's number")
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Seed of the map and of all random events")
    tick_rate: float | None = Field(
        default=None,
        ge=0.01,
        le=1000,
        description="Fixed steps per second. By default a step begins when all players have sent an action",
    )
    step_timeout_seconds: float = Field(
        default=5.0, gt=0, le=600, description="How long a step waits for actions; late players do nothing in it"
    )
    player_connect_timeout_seconds: float = Field(
        default=CONNECT_SECONDS, ge=0, le=3600, description="When to begin without missing players"
    )

    @model_validator(mode="after")
    def _one_seat_per_token(self) -> GameConfig:
        if self.players is not None and len(self.players) != len(self.tokens):
            raise ValueError(f"got {len(self.tokens)} tokens and {len(self.players)} players; the numbers must match")
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
        """Return the names; append the slot to names that occur more than once."""
        names = self.names
        return [name if names.count(name) == 1 else f"{name} [{slot}]" for slot, name in enumerate(names)]

    @property
    def about(self) -> str:
        """Return what the episode is about, in a sentence or two."""
        described = next((mission.description for mission in GAME.all_missions() if mission.name == self.mission), "")
        return f"{described} Every step pays for each junction that your team holds.".strip()

    @property
    def title(self) -> str:
        return f"Cogs vs Clips: {self.mission}"

    def handlers(self, renderer: LiveRenderer) -> list[SimulatorEventHandler]:
        """Return what follows the episode besides the results; none for a mission."""
        return []

    def environment(self) -> MettaGridConfig:
        """Return the mission's environment with one cog per slot; raise `BadConfig` if that is not possible."""
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


def read_config(text: str | bytes, kind: type[GameConfig] = GameConfig) -> GameConfig:
    """Parse the config that a runner wrote; raise `BadConfig` if it is not valid."""
    try:
        return kind.model_validate(json.loads(text))
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]  # the input may contain tokens
        place = ".".join(str(part) for part in detail["loc"]) or "config"
        raise BadConfig(f"The config is not valid at `{place}`: {detail['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise BadConfig(f"The config is not valid JSON: {error}") from None


def config_schema(slots: int, kind: type[GameConfig] = GameConfig) -> dict[str, Any]:
    """Return the JSON Schema of configs with a number of slots, for a manifest.

    Lower and upper bounds are equal, so that both generations of the rules accept it.
    """
    schema = kind.model_json_schema()
    tokens = schema["properties"]["tokens"]
    tokens["minItems"] = tokens["maxItems"] = slots
    seats = {**schema.pop("$defs")["Seat"], "title": "Seat"}
    players = {"type": "array", "items": seats, "minItems": slots, "maxItems": slots}
    schema["properties"]["players"] = {**players, "description": schema["properties"]["players"]["description"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_plain(schema)}


def _plain(value: Any) -> Any:
    """Remove the titles that pydantic generates from field names."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {key: _plain(item) for key, item in value.items()}
    if "type" in plain or "anyOf" in plain:
        plain.pop("title", None)
    return plain
