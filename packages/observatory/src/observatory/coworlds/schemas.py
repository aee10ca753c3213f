"""Request bodies about Coworlds and reporters."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from observatory.documents import Document
from observatory.wire import Body

__all__ = [
    "CommissionerPatch",
    "ContentAnnounced",
    "CoworldUpload",
    "ReporterAnnounced",
    "ReporterComplete",
    "ReporterCreate",
    "ReporterOutput",
    "RoleRunRequest",
    "Sha256",
    "VisibilityChange",
]

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Short = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class CoworldUpload(Body):
    """A new version of a game."""

    manifest: Document
    visibility: Literal["public", "private"] | None = Field(
        default=None, description="of the first version of a name; later ones have the same. By default `public`"
    )


class CommissionerPatch(Body):
    """A new version of a game that differs in its commissioner."""

    coworld_name: Short
    container_image_id: Short
    runnable_id: Short | None = Field(default=None, description="id of the commissioner; by default the first one")
    version: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = Field(
        default=None, description="by default the next patch version"
    )


class VisibilityChange(Body):
    visibility: Literal["public"]


class ContentAnnounced(Body):
    """A file to be uploaded."""

    content_hash: Sha256 = Field(description="SHA-256, in hexadecimal digits")
    size_bytes: int = Field(ge=1, le=2**40)


class ReporterOutput(Body):
    """A part that a reporter writes."""

    name: Short
    type: Short
    description: str = Field(default="", max_length=2000)
    schema_: Annotated[str, StringConstraints(max_length=2000)] | Document | None = Field(default=None, alias="schema")
    optional: bool = False

    def document(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True)


class ReporterCreate(Body):
    name: Short
    display_name: Short
    description: str = Field(max_length=2000)
    outputs: list[ReporterOutput] = Field(max_length=50)


class ReporterComplete(Body):
    """The component of a reporter was uploaded."""

    name: Short
    content_hash: Sha256
    attributes: Document


class RoleRunRequest(Body):
    """Which roles look at an episode; without any field, all reporters and graders of the game."""

    role: Literal["reporter", "grader", "diagnoser"] | None = None
    role_id: Short | None = Field(default=None, description="id in the manifest; by default all of the role")
    target: int | None = Field(default=None, ge=0, le=10_000, description="the seat that a diagnoser looks at")


class ReporterAnnounced(ReporterComplete):
    """The component of a reporter is to be uploaded."""

    size_bytes: int = Field(ge=1, le=2**40)
