"""Programs: the game, the players and the supporting roles as images with a command and an environment."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from coworld.schema.base import BrokenRule, DocumentModel, Text

__all__ = [
    "MANIFEST_ROLE_SECTIONS",
    "CoworldManifestRole",
    "CoworldManifestRoleSpec",
    "CoworldPlayerStartup",
    "CoworldResourceLimits",
    "CoworldResourceRequests",
    "CoworldRunnableResources",
    "CoworldRunnableRole",
    "CoworldRunnableSpec",
    "is_package_path",
    "is_sha256_reference",
]

MANIFEST_ROLE_SECTIONS = ("player", "commissioner", "grader", "diagnoser", "optimizer")
"""The sections of a manifest that hold runnables with an id; `reporter` holds references."""


def is_sha256_reference(text: str) -> bool:
    """Whether `text` names content by its digest, as things do after an upload."""
    return re.fullmatch(r"sha256:[0-9a-f]{64}", text) is not None


def is_package_path(text: str) -> bool:
    """Whether `text` is a path that cannot leave the package: relative, without empty, `.` or `..` parts."""
    parts = text.rstrip("/").split("/")
    return not PurePosixPath(text).is_absolute() and all(part not in ("", ".", "..") for part in parts)


class CoworldResourceRequests(DocumentModel):
    """Resources that a hosted run reserves for the program."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    cpu: str | None = Field(default=None, description="Cores, for example `2` or `500m`.")
    memory: str | None = Field(default=None, description="Memory, for example `512Mi` or `4Gi`.")
    gpu: Annotated[int, Field(ge=1, le=1)] | None = Field(default=None, description="One GPU; game and player only.")
    instance_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*\.[a-z0-9-]+$")] | None = Field(
        default=None, alias="instance-type", description="The requested kind of machine; game and player only."
    )
    ephemeral_storage: str | None = Field(
        default=None, alias="ephemeral-storage", description="Disk for scratch files, for example `10Gi`."
    )


class CoworldResourceLimits(DocumentModel):
    """Resource limits of the program."""

    cpu: str | None = Field(default=None, description="Cores, for example `8`.")
    memory: str | None = Field(default=None, description="Memory, for example `3Gi`.")


class CoworldRunnableResources(DocumentModel):
    """Resource requests and limits of a program."""

    requests: CoworldResourceRequests = Field(
        default_factory=CoworldResourceRequests, description="Resources to reserve."
    )
    limits: CoworldResourceLimits | None = Field(default=None, description="The upper limits.")


class CoworldPlayerStartup(DocumentModel):
    """Warm-up of a player: it starts before the game and is polled over HTTP until it is ready."""

    port: Annotated[int, Field(ge=1024, le=65535)] = Field(description="The port it answers on.")
    path: Annotated[str, StringConstraints(pattern="^/")] = Field(
        default="/healthz", description="The path that answers 200 when it is ready."
    )
    timeout_seconds: Annotated[int, Field(ge=1, le=1200)] = Field(
        default=1200, description="The longest it may take, from its start."
    )


Role = Literal["game", "player", "commissioner", "grader", "diagnoser", "optimizer"]
CoworldManifestRole = Literal["player", "reporter", "commissioner", "grader", "diagnoser", "optimizer"]
CoworldRunnableRole = Literal["game", "player", "reporter", "commissioner", "grader", "diagnoser", "optimizer"]


class CoworldRunnableSpec(DocumentModel):
    """An image, a command and public environment variables that together fulfil one role."""

    type: Role = Field(description="The role.")
    image: str = Field(description="The image reference.")
    run: list[str] = Field(
        default_factory=list,
        description="The command: the first word replaces the entrypoint, the rest are its arguments. "
        "Empty means the image's default command.",
    )
    env: dict[str, str] = Field(
        default_factory=dict, description="Environment variables; they are public, so put no secrets here."
    )
    source_url: str | None = Field(default=None, description="Where the source is published.")
    resources: CoworldRunnableResources | None = Field(default=None, description="Requested compute; absent: default.")
    startup: CoworldPlayerStartup | None = Field(default=None, description="Warm-up of a player before the game.")

    @model_validator(mode="after")
    def validate_compute(self) -> Self:
        """Check that only allowed roles ask for a warm-up, a GPU or a kind of machine."""
        if self.startup is not None and self.type != "player":
            raise BrokenRule(f"a {self.type} cannot have a warm-up", "remove `startup`: it is for players", "startup")
        if _special_hardware(self.resources) and self.type not in ("game", "player"):
            raise BrokenRule(
                f"a {self.type} cannot ask for a GPU or a kind of machine",
                "remove `gpu` and `instance-type`: they are for the game and players",
                *("resources", "requests"),
            )
        return self

    def as_runnable_spec(self) -> CoworldRunnableSpec:
        """Return the program alone: an image, a command and what it needs."""
        fields = {name: getattr(self, name) for name in CoworldRunnableSpec.model_fields}
        return CoworldRunnableSpec.model_construct(**fields)


def _special_hardware(resources: CoworldRunnableResources | None) -> bool:
    requests = resources.requests if resources else None
    return requests is not None and (requests.gpu is not None or requests.instance_type is not None)


class CoworldManifestRoleSpec(CoworldRunnableSpec):
    """A runnable of a manifest: one that can be named, or, for a game that hosts its players, a file."""

    type: Literal["player", "commissioner", "grader", "diagnoser", "optimizer"] = Field(
        description="The role; the same as its section."
    )
    image: str | None = Field(  # type: ignore[assignment]  # a file takes its place
        default=None, description="The image reference."
    )
    file: Text | None = Field(
        default=None,
        description="Only for players of a game that hosts them: a path inside the package, or `sha256:` and a digest.",
    )
    id: Text = Field(description="The name that fixtures and commands use.")
    name: Text = Field(description="The name people see.")
    description: Text = Field(description="What it does.")
    repository_url: str | None = Field(default=None, description="The Git repository of an optimizer's workbench.")

    @model_validator(mode="after")
    def validate_artifact(self) -> Self:
        """Check that there is exactly one of `image` and `file`, and that a file has only the keys it allows."""
        if (self.image is None) == (self.file is None):
            both = self.image is not None
            raise BrokenRule(
                f"must define exactly one of image or file: it has {'both' if both else 'neither'}",
                "remove one of them" if both else "give `image`, or `file` for a player that the game hosts",
                subject="manifest role",
            )
        if self.file is None:
            return self
        if self.type != "player":
            raise BrokenRule(f"a {self.type} cannot be a file", "give `image`: only players can be files", "file")
        if self.file.startswith("sha256:"):
            if not is_sha256_reference(self.file):
                raise BrokenRule(
                    f"sha256 digest is malformed: {self.file!r}",
                    "write `sha256:` and 64 hexadecimal digits, a to f in lower case",
                    "file",
                    subject="player file",
                )
        elif not is_package_path(self.file):
            raise BrokenRule(
                f"must be a package-relative path or sha256 digest: {self.file!r}",
                "write a path that starts in the manifest's folder, without `.` and `..`",
                "file",
                subject="player file",
            )
        if self.startup is not None or _special_hardware(self.resources):
            raise BrokenRule(
                "a player that is a file cannot have a warm-up, a GPU or a kind of machine",
                "remove `startup`, `gpu` and `instance-type`: the game runs this player",
            )
        return self

    def runnable(self) -> CoworldRunnableSpec:
        """Return the program without its manifest metadata, for roles with an image."""
        return self.as_runnable_spec()
