"""The whole manifest."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from coworld.models.game import CoworldGameManifest
from coworld.models.reporters import CoworldReporter
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS, CoworldManifestRoleSpec
from coworld.schema.base import SCHEMA_VERSION, BrokenRule, DocumentModel, GameConfig, Text

__all__ = [
    "COWORLD_MANIFEST_V0",
    "COWORLD_MANIFEST_V1",
    "DEFAULT_EPISODE_TIMEOUT_MINUTES",
    "MAX_EPISODE_TIMEOUT_MINUTES",
    "CoworldCertificationFixture",
    "CoworldCertificationPlayer",
    "CoworldManifest",
    "CoworldManifestV1",
    "CoworldVariant",
    "ManifestVersion",
    "RuntimeManifest",
    "coworld_manifest_schema",
]

COWORLD_MANIFEST_V0 = "coworld.softmax.com/v0"
COWORLD_MANIFEST_V1 = "coworld.softmax.com/v1"
ManifestVersion = Literal["coworld.softmax.com/v0", "coworld.softmax.com/v1"]
DEFAULT_EPISODE_TIMEOUT_MINUTES = 20
MAX_EPISODE_TIMEOUT_MINUTES = 1440


class CoworldVariant(DocumentModel):
    """A named way to play the game."""

    id: Text = Field(description="The name that commands use; unique.")
    name: Text = Field(description="The name people see.")
    game_config: GameConfig = Field(description="The configuration, without tokens.")
    description: Text = Field(description="What is special about it.")


class CoworldCertificationPlayer(DocumentModel):
    """The player in one seat of the fixture."""

    player_id: Text = Field(description="The id of an entry of the `player` section.")


class CoworldCertificationFixture(DocumentModel):
    """The smoke episode; it is also the default episode."""

    game_config: GameConfig = Field(description="The configuration, without tokens.")
    players: Annotated[list[CoworldCertificationPlayer], Field(min_length=1)] = Field(
        description="The seats, in order."
    )


def _role_hints(page: str, *, optional_for_now: bool = False) -> dict[str, Any]:
    """Return extra keys of a section's JSON Schema: the page about the role, for editors and other readers."""
    hints: dict[str, Any] = {
        "x-coworld-role-doc": f"docs/{page}",
        "markdownDescription": f"The contract of this role: [docs/{page}](docs/{page}).",
    }
    if optional_for_now:
        hints["x-coworld-future-required"] = True
        hints["$comment"] = "Optional today. A later version of the schema may require an entry."
    return hints


def _without_null(schema: dict[str, Any]) -> None:
    """Describe an optional field by its value alone: documents leave it out and do not write null."""
    present, _ = schema.pop("anyOf")
    schema.pop("default")
    schema.update(present)


class CoworldManifest(DocumentModel):
    """A `coworld_manifest.json`."""

    model_config = ConfigDict(title="Coworld Manifest", json_schema_extra={"$schema": SCHEMA_VERSION})

    schema_: str | None = Field(default=None, alias="$schema", description="For editors only.")
    tags: Annotated[list[Text], Field(min_length=3)] | None = Field(
        default=None,
        description="At least three words to find the game by; certification asks for them.",
        json_schema_extra=_without_null,
    )
    game: CoworldGameManifest = Field(description="The game.", json_schema_extra=_role_hints("game.md"))
    player: Annotated[list[CoworldManifestRoleSpec], Field(min_length=1)] = Field(
        description="The players of the Coworld.", json_schema_extra=_role_hints("player.md")
    )
    reporter: list[CoworldReporter] = Field(
        default_factory=list,
        description="Roles that explain an episode.",
        json_schema_extra=_role_hints("roles-reporter.md"),
    )
    commissioner: list[CoworldManifestRoleSpec] = Field(
        default_factory=list,
        description="Roles that run a league of it.",
        json_schema_extra=_role_hints("roles-commissioner.md"),
    )
    grader: list[CoworldManifestRoleSpec] = Field(
        default_factory=list,
        description="Roles that grade an episode.",
        json_schema_extra=_role_hints("roles-grader.md"),
    )
    diagnoser: list[CoworldManifestRoleSpec] = Field(
        default_factory=list,
        description="Roles that advise on one policy.",
        json_schema_extra=_role_hints("roles-diagnoser.md", optional_for_now=True),
    )
    optimizer: list[CoworldManifestRoleSpec] = Field(
        default_factory=list,
        description="Roles that improve a policy.",
        json_schema_extra=_role_hints("roles-optimizer.md", optional_for_now=True),
    )
    variants: Annotated[list[CoworldVariant], Field(min_length=1)] = Field(description="Named ways to play.")
    certification: CoworldCertificationFixture = Field(description="The smoke episode.")
    players_per_user: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many players one user may enter in a league."
    )
    episode_timeout_minutes: Annotated[int, Field(ge=1, le=MAX_EPISODE_TIMEOUT_MINUTES)] | None = Field(
        default=None, description=f"How long a hosted episode may take; {DEFAULT_EPISODE_TIMEOUT_MINUTES} when absent."
    )

    @property
    def episode_timeout_seconds(self) -> int:
        """Return how long a hosted episode may take, in seconds."""
        return (self.episode_timeout_minutes or DEFAULT_EPISODE_TIMEOUT_MINUTES) * 60

    @model_validator(mode="after")
    def validate_sections(self) -> Self:
        """Check that every runnable is in the section of its role, and that the game's runtime supports the players."""
        for section in MANIFEST_ROLE_SECTIONS:
            for index, role in enumerate(getattr(self, section)):
                if role.type != section:
                    fix = f"move the entry to the section `{role.type}`, or write `{section}` as its type"
                    subject = f"{section}.{index}.type"
                    raise BrokenRule(f"must be {section!r}", fix, section, index, "type", subject=subject)
        runtime = self.game.player_runtime
        required_field = "image" if runtime == "platform-hosted" else "file"
        for index, player in enumerate(self.player):
            if getattr(player, required_field) is None:
                fix = f"give `{required_field}`, or change `game.player_runtime`"
                message = f"must define {required_field} for game.player_runtime={runtime!r}"
                raise BrokenRule(message, fix, "player", index, subject=f"player.{index}")
        return self


class CoworldManifestV1(CoworldManifest):
    """A `coworld_manifest.json` with the version of its format."""

    api_version: Literal["coworld.softmax.com/v1"] = Field(alias="apiVersion", description="The version of the format.")


RuntimeManifest = CoworldManifest
"""The runtime form of every version of the format."""


def coworld_manifest_schema() -> dict[str, Any]:
    """Return the JSON Schema of a manifest, for editors and other languages, without the rules over several fields."""
    return CoworldManifest.model_json_schema(by_alias=True)
