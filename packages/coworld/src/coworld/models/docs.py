"""Documentation inside a manifest: inline text or a link, never a file of the package."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from coworld.schema.base import DocumentModel, HttpUrl, Text

__all__ = [
    "CoworldDoc",
    "CoworldDocPage",
    "CoworldDocs",
    "CoworldEngineRuntime",
    "CoworldProtocolDocs",
    "CoworldTextDoc",
    "CoworldUriDoc",
]


class CoworldTextDoc(DocumentModel):
    """A document inside the manifest itself."""

    type: Literal["text"] = Field(description="The text is part of the manifest.")
    value: Text = Field(description="The whole text, Markdown by custom.")


class CoworldUriDoc(DocumentModel):
    """A document that is published elsewhere."""

    type: Literal["uri"] = Field(description="The text is behind a link.")
    value: HttpUrl = Field(description="The http(s) address of the document.")


CoworldEngineRuntime = Literal["mettagrid", "cogweb", "bitworld", "nimgrid"]
CoworldDoc = Annotated[CoworldTextDoc | CoworldUriDoc, Field(discriminator="type")]


def _without_line_ends(value: object) -> object:
    return value.rstrip("\r\n") if isinstance(value, str) else value


class CoworldDocPage(DocumentModel):
    """A further page, such as the rules."""

    id: Annotated[Text, BeforeValidator(_without_line_ends)] = Field(
        description="The page's name, for example `rules.md`. Line ends after it do not count."
    )
    title: Text = Field(description="The heading people see.")
    content: CoworldDoc = Field(description="The page as text or link.")


class CoworldDocs(DocumentModel):
    """The documentation of the game."""

    readme: CoworldDoc = Field(description="Rules, strategy and how to play.")
    pages: list[CoworldDocPage] = Field(default_factory=list, description="Further pages.")


class CoworldProtocolDocs(DocumentModel):
    """The protocols of the game's two public websockets."""

    player: CoworldDoc = Field(description="The protocol of `/player`.")
    global_: CoworldDoc = Field(alias="global", description="The protocol of `/global`.")
    engine_runtime: CoworldEngineRuntime | None = Field(
        default=None, description="The engine the game is made with, when it is one of the known ones."
    )
