"""Reporters: a reference to a published one, a component of the package, or a container of the older generation."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag

from coworld.models.runnables import CoworldRunnableResources
from coworld.schema.base import DocumentModel, Text

__all__ = [
    "CoworldReporter",
    "CoworldReporterContainer",
    "CoworldReporterPlatformReference",
    "CoworldReporterReference",
    "CoworldReporterWasmReference",
]


class CoworldReporterPlatformReference(DocumentModel):
    """A version of a reporter that was published before."""

    reporter: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+/[a-z0-9][a-z0-9_.-]*@[1-9][0-9]*$")] = Field(
        description="`owner/name@version`."
    )


class CoworldReporterWasmReference(DocumentModel):
    """A WebAssembly component of this package; it is published as `{coworld name}-{id}`."""

    wasm: Text = Field(description="The path of the component inside the package.")
    id: Text = Field(description="The reporter's name within the Coworld.")
    display_name: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="The title people see."
    )
    description: Annotated[str, Field(max_length=2000)] | None = Field(default=None, description="What it reports.")
    attributes: dict[str, Any] = Field(description="`purpose`, `world` and `outputs` of the component.")


class CoworldReporterContainer(DocumentModel):
    """A legacy container reporter: an image that reads an episode bundle and writes a zip with its parts."""

    type: Literal["reporter"] = Field(description="The role.")
    image: Text = Field(description="The image reference.")
    run: list[str] = Field(default_factory=list, description="The command; empty means the image's default command.")
    env: dict[str, str] = Field(default_factory=dict, description="Environment variables; they are public.")
    source_url: str | None = Field(default=None, description="Where the source is published.")
    resources: CoworldRunnableResources | None = Field(default=None, description="Requested compute.")
    id: Text = Field(description="The name that commands use.")
    name: Text = Field(description="The name people see.")
    description: Text = Field(description="What it reports.")
    repository_url: str | None = Field(default=None, description="The Git repository it comes from.")
    purpose: Text | None = Field(default=None, description="What its reports are for, such as `narrative`.")
    output_format: Text | dict[str, Any] | None = Field(
        default=None, description="The media type of its reports, or an object with `mime` and `schema`."
    )


def _kind(value: object) -> str:
    """Return which of the three kinds an entry is, by its distinctive key."""
    keys = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    if "wasm" in keys:
        return "CoworldReporterWasmReference"
    if "image" in keys or keys.get("type") == "reporter":
        return "CoworldReporterContainer"
    return "CoworldReporterPlatformReference"


CoworldReporterReference = CoworldReporterPlatformReference | CoworldReporterWasmReference
"""A reporter of the current format."""

CoworldReporter = Annotated[
    Annotated[CoworldReporterPlatformReference, Tag("CoworldReporterPlatformReference")]
    | Annotated[CoworldReporterWasmReference, Tag("CoworldReporterWasmReference")]
    | Annotated[CoworldReporterContainer, Tag("CoworldReporterContainer")],
    Discriminator(_kind),
]
