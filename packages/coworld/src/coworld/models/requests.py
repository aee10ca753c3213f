"""An episode request: one manifest, one configuration and the players by seat."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Discriminator, Field, StringConstraints, Tag, model_serializer, model_validator
from pydantic.functional_serializers import SerializerFunctionWrapHandler

from coworld.models.manifest import CoworldManifest
from coworld.models.runnables import CoworldManifestRoleSpec, CoworldRunnableSpec
from coworld.schema.base import SCHEMA_VERSION, BrokenRule, DocumentModel, GameConfig, JsonSchema, Text

__all__ = [
    "PLAYER_FILE_CONTENT_HASH_PATTERN",
    "CoworldEpisodeJobSpec",
    "CoworldEpisodePlayerSpec",
    "CoworldHumanPlayerSpec",
    "CoworldPlayerFileSpec",
    "EpisodePlayer",
    "coworld_episode_request_schema",
]

PLAYER_FILE_CONTENT_HASH_PATTERN = "^[0-9a-f]{64}$"


class CoworldPlayerFileSpec(DocumentModel):
    """A player of a game that hosts its players: a file and its digest."""

    type: Literal["player-file"]
    content_hash: Annotated[str, StringConstraints(pattern=PLAYER_FILE_CONTENT_HASH_PATTERN)] = Field(
        description="The sha256 of the file, 64 lowercase hexadecimal digits."
    )
    size_bytes: Annotated[int, Field(ge=0)] = Field(description="The file's length.")


class CoworldHumanPlayerSpec(DocumentModel):
    """A seat for a person, who brings the token."""

    type: Literal["human"]
    token: Annotated[str, StringConstraints(min_length=16)] = Field(description="The seat's token.")


def _kind(value: object) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    if kind == "player-file":
        return "CoworldPlayerFileSpec"
    return "CoworldHumanPlayerSpec" if kind == "human" else "CoworldRunnableSpec"


CoworldEpisodePlayerSpec = CoworldRunnableSpec | CoworldPlayerFileSpec | CoworldHumanPlayerSpec

EpisodePlayer = Annotated[
    Annotated[CoworldRunnableSpec, Tag("CoworldRunnableSpec")]
    | Annotated[CoworldPlayerFileSpec, Tag("CoworldPlayerFileSpec")]
    | Annotated[CoworldHumanPlayerSpec, Tag("CoworldHumanPlayerSpec")],
    Discriminator(_kind),
]
_MANIFEST_ONLY = {"id", "name", "description", "file", "repository_url"}


class CoworldEpisodeJobSpec(DocumentModel):
    """One episode to run. Seats drop a player's manifest metadata (id, name, ...)."""

    model_config = ConfigDict(title="Coworld Episode Job Spec", json_schema_extra={"$schema": SCHEMA_VERSION})

    schema_: str | None = Field(default=None, alias="$schema", description="For editors only.")
    manifest: CoworldManifest = Field(description="The Coworld that is played.")
    game_config: GameConfig = Field(description="The configuration, without tokens.")
    players: Annotated[list[EpisodePlayer], Field(min_length=1)] = Field(description="The players, in slot order.")
    episode_tags: dict[str, str] = Field(
        default_factory=dict, description="The caller's tags, stored with the episode."
    )
    policy_names: list[Text] | None = Field(default=None, description="The names people see, one per slot.")

    @property
    def game_runnable(self) -> CoworldRunnableSpec:
        """Return the game's program."""
        return self.manifest.game.runnable

    @property
    def config_schema(self) -> JsonSchema:
        """Return the JSON Schema of the game's configurations."""
        return self.manifest.game.config_schema

    @property
    def results_schema(self) -> JsonSchema:
        """Return the JSON Schema of the game's results."""
        return self.manifest.game.results_schema

    @model_validator(mode="before")
    @classmethod
    def drop_role_metadata(cls, data: Any) -> Any:
        """Accept entries of a manifest's `player` section as seats, without their metadata."""
        if not isinstance(data, dict) or not isinstance(data.get("players"), list):
            return data
        return {**data, "players": [_as_program(player) for player in data["players"]]}

    @model_validator(mode="after")
    def validate_seats(self) -> Self:
        """Check that the game's runtime supports the seats, and that each has a name if there are names."""
        game_hosted = self.manifest.game.player_runtime == "game-hosted"
        for index, player in enumerate(self.players):
            if isinstance(player, CoworldRunnableSpec):
                if player.type != "player":
                    subject = f"players.{index}.type"
                    raise BrokenRule("must be 'player'", "seat a player", "players", index, "type", subject=subject)
                if game_hosted:
                    fix = "give a seat of type `player-file` or `human`"
                    raise BrokenRule("the game hosts its players: an image cannot be seated", fix, "players", index)
            elif isinstance(player, CoworldPlayerFileSpec) and not game_hosted:
                fix = "give a player with an image, or a seat of type `human`"
                raise BrokenRule("the game does not host its players: a file cannot be seated", fix, "players", index)
        if self.policy_names is not None and len(self.policy_names) != len(self.players):
            message = f"{len(self.policy_names)} names for {len(self.players)} players"
            raise BrokenRule(message, "give one name per seat, or leave `policy_names` out", "policy_names")
        return self

    @model_serializer(mode="wrap")
    def without_absent_names(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write `policy_names` only when there are names: older readers refuse the key."""
        written = handler(self)
        if self.policy_names is None:
            written.pop("policy_names", None)
        return written


def _as_program(player: object) -> object:
    if isinstance(player, CoworldManifestRoleSpec):
        return player.runnable()
    if isinstance(player, dict) and player.get("type") == "player":
        return {key: value for key, value in player.items() if key not in _MANIFEST_ONLY}
    return player


def coworld_episode_request_schema() -> dict[str, Any]:
    """Return the JSON Schema of an episode request."""
    return CoworldEpisodeJobSpec.model_json_schema(by_alias=True)
