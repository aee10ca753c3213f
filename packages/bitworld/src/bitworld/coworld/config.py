"""The configuration of an episode: the model behind `config_schema`."""

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bitworld.errors import BadConfig
from bitworld.server.limits import MAX_NAME

__all__ = ["EpisodeConfig", "Seat", "config_schema", "read_config"]

MAX_SLOTS = 16


class Seat(BaseModel):
    """The display name of one slot."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100, description="Shown to spectators and stored in the replay")


class EpisodeConfig(BaseModel):
    """One episode: one game with all seats."""

    model_config = ConfigDict(extra="forbid")

    tokens: Annotated[list[str], Field(min_length=1, max_length=MAX_SLOTS)] = Field(
        description="One secret token per slot, which its player must send; their number is the number of players"
    )
    players: list[Seat] | None = Field(default=None, description="One for each slot; the default is `Player N`")
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Seed of the game")
    max_ticks: int = Field(default=7200, ge=1, le=100_000, description="Longest game; 24 ticks are a second")
    settings: dict[str, Any] = Field(default_factory=dict, description="Configuration of the game; see the rules")
    tick_rate: float | None = Field(
        default=None,
        ge=0.24,
        le=24_000,
        description="Ticks per second. By default a tick begins when all players have answered the last picture",
    )
    step_timeout_seconds: float = Field(
        default=5.0, gt=0, le=600, description="How long a tick waits for answers; late players keep their buttons"
    )
    player_connect_timeout_seconds: float = Field(
        default=180.0, ge=0, le=3600, description="When to begin without missing players"
    )

    @model_validator(mode="after")
    def _one_seat_per_token(self) -> "EpisodeConfig":
        if self.players is not None and len(self.players) != len(self.tokens):
            raise ValueError(f"got {len(self.tokens)} tokens and {len(self.players)} players; the numbers must match")
        return self

    @property
    def names(self) -> list[str]:
        """Return a unique name without spaces for each slot."""
        given = [f"Player {slot}" for slot in range(len(self.tokens))]
        if self.players is not None:
            given = [seat.name for seat in self.players]
        names = ["_".join(name.split()) or "_" for name in given]
        long = [name if names.count(name) == 1 else f"{name}_{slot}" for slot, name in enumerate(names)]
        return [name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 3]}_{slot}" for slot, name in enumerate(long)]

    @property
    def game_config(self) -> dict[str, Any]:
        """The configuration of the game: one game with all seats. It contains no tokens, so the replay has none."""
        single = {"seed": self.seed, "minPlayers": len(self.tokens), "maxGames": 1, "maxTicks": self.max_ticks}
        return {**self.settings, **single, "tokens": [], "slots": []}


def read_config(text: str | bytes) -> EpisodeConfig:
    """Parse the configuration that a runner wrote; raise `BadConfig` if it is not valid."""
    try:
        return EpisodeConfig.model_validate(json.loads(text))
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]  # the input may contain tokens
        place = ".".join(str(part) for part in detail["loc"]) or "config"
        raise BadConfig(f"The configuration is not valid at `{place}`: {detail['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise BadConfig(f"The configuration is not valid JSON: {error}") from None


def config_schema(slots: int) -> dict[str, Any]:
    """Return the JSON Schema of configurations with a number of slots, for a manifest.

    Lower and upper bounds are equal, so that both generations of the rules accept it.
    """
    schema = EpisodeConfig.model_json_schema()
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
