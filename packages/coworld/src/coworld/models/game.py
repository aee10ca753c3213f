"""The `game` section of a manifest."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from packaging.version import InvalidVersion, Version
from pydantic import Field, StringConstraints, field_validator, model_serializer, model_validator
from pydantic.functional_serializers import SerializerFunctionWrapHandler

from coworld.models.docs import CoworldDocs, CoworldProtocolDocs
from coworld.models.runnables import CoworldRunnableSpec, is_package_path, is_sha256_reference
from coworld.models.task_environments import TaskEnvironments
from coworld.schema.base import BrokenRule, DocumentModel, HttpUrl, JsonSchema, Text

__all__ = [
    "REPLAY_VIEWER_BUNDLE_DIGEST_PATTERN",
    "CoworldAchievement",
    "CoworldGameLog",
    "CoworldGameManifest",
    "CoworldLogPanel",
    "CoworldMemory",
    "CoworldPlayerRuntime",
    "CoworldPromo",
    "CoworldReplayViewer",
]


REPLAY_VIEWER_BUNDLE_DIGEST_PATTERN = "^sha256:[0-9a-f]{64}$"
CoworldPlayerRuntime = Literal["platform-hosted", "game-hosted"]


class CoworldAchievement(DocumentModel):
    """One achievement that a player can earn; the game's results say who did."""

    id: Annotated[str, StringConstraints(pattern="^[a-z0-9_-]+$", max_length=100)] = Field(
        description="The name that results use."
    )
    name: Text = Field(description="The name people see.")
    description: Text = Field(description="How it is earned.")
    points: Annotated[int, Field(gt=0)] = Field(description="What it is worth.")


class CoworldMemory(DocumentModel):
    """Memory that a hosted game keeps between episodes."""

    protocol: Literal["append-v1"] = Field(description="How the game reads and writes it.")


class CoworldPromo(DocumentModel):
    """Something to show people before they play."""

    video_url: HttpUrl = Field(description="The http(s) address of a video.")


class CoworldReplayViewer(DocumentModel):
    """Static pages that show a replay without the game."""

    bundle: Text = Field(description="A folder of the package with an `index.html`, or `sha256:` and a digest.")
    replay_compression: Literal["identity", "gzip"] = Field(
        default="identity",
        description="How the copy for browsers is compressed; the pages detect it by its first bytes.",
    )
    format_identity: Annotated[str, StringConstraints(min_length=1, max_length=256, pattern="^[!-~]+$")] | None = Field(
        default=None, description="A name for the replay format that these pages read."
    )

    @field_validator("bundle")
    @classmethod
    def validate_bundle(cls, bundle: str) -> str:
        """Check that `bundle` is a folder inside the package, or a digest."""
        if bundle.startswith("sha256:"):
            if not is_sha256_reference(bundle):
                raise BrokenRule(
                    f"sha256 digest is malformed: {bundle!r}",
                    "write `sha256:` and 64 hexadecimal digits, a to f in lower case",
                    subject="replay_viewer.bundle",
                )
        elif not is_package_path(bundle):
            raise BrokenRule(
                f"must be a package-relative directory or sha256 digest: {bundle!r}",
                "write a path that starts in the manifest's folder, without `.` and `..`",
                subject="replay_viewer.bundle",
            )
        return bundle

    @model_serializer(mode="wrap")
    def without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, str]:
        """Leave out default values, so that older readers accept the document too."""
        written = handler(self)
        if self.replay_compression == "identity":
            written.pop("replay_compression", None)
        if self.format_identity is None:
            written.pop("format_identity", None)
        return written


class CoworldLogPanel(DocumentModel):
    """A group of event kinds with a heading."""

    title: Text = Field(description="The heading.")
    kinds: Annotated[list[str], Field(min_length=1)] = Field(description="The `kind` values of `events.json` in it.")


class CoworldGameLog(DocumentModel):
    """Descriptions of the game's events for people."""

    agent_label_field: str | None = Field(default=None, description="The event field that names an agent.")
    team_field: str | None = Field(default=None, description="The event field that names a team.")
    objective: str | None = Field(default=None, description="What winning means, in a sentence.")
    panels: list[CoworldLogPanel] = Field(default_factory=list, description="Groups of event kinds.")


class CoworldGameManifest(DocumentModel):
    """The game: its program, configuration, results and documentation."""

    name: Text = Field(description="A short name.")
    version: Text = Field(description="The version of the Coworld, in PEP 440 form.")
    description: Text = Field(description="What the game is, in a sentence or two.")
    owner: Text = Field(description="The maintainer: an email address or a name.")
    runnable: CoworldRunnableSpec = Field(
        description="The game's program; its `type` is `game`.",
        json_schema_extra={"properties": {"type": {"const": "game"}}},
    )
    config_schema: JsonSchema = Field(
        description="JSON Schema of the configuration. It requires `tokens`, an array of strings with `minItems` and "
        "`maxItems`; authored configurations never contain them."
    )
    results_schema: JsonSchema = Field(description="JSON Schema of the results; they should require `scores`.")
    protocols: CoworldProtocolDocs = Field(description="The protocols of the websockets.")
    docs: CoworldDocs = Field(description="The readme and further pages.")
    player_runtime: CoworldPlayerRuntime = Field(
        default="platform-hosted",
        description="The party that runs the players: the runner, or the game itself from files.",
    )
    replay_viewer: CoworldReplayViewer | None = Field(default=None, description="Static pages that show a replay.")
    promo: CoworldPromo | None = Field(default=None, description="Something to show people before they play.")
    achievements: list[CoworldAchievement] | None = Field(default=None, description="What players can earn.")
    log: CoworldGameLog | None = Field(default=None, description="What the events of the game mean.")
    memory: CoworldMemory | None = Field(default=None, description="Memory between episodes, hosted only.")
    task_environments: TaskEnvironments = Field(
        default_factory=dict, description="Sandboxes the game may start, hosted only."
    )

    @model_validator(mode="after")
    def validate_game(self) -> Self:
        """Check the rules over several fields of the game."""
        if self.runnable.type != "game":
            fix = 'write `"type": "game"`'
            raise BrokenRule("must be 'game'", fix, "runnable", "type", subject="game.runnable.type")
        try:
            Version(self.version)
        except InvalidVersion as error:
            raise BrokenRule(str(error), "write a PEP 440 version, for example 1.0.0", "version") from error
        ids = [achievement.id for achievement in self.achievements or ()]
        for index, name in enumerate(ids):
            if name in ids[:index]:
                raise BrokenRule(
                    f"ids must be unique: {name!r} is used twice",
                    "give it another id",
                    *("achievements", index, "id"),
                    subject="game.achievements",
                )
        return self
