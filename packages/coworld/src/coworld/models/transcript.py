"""The steps of a certification and their results."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from coworld.schema.base import DocumentModel, Text

__all__ = ["CoworldTranscript", "SourceUrlResult", "StepResult", "TranscriptStep", "TranscriptStepKind"]

TranscriptStepKind = Literal["auto", "human"]


class TranscriptStep(DocumentModel):
    """The description of one step."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    id: Text
    kind: TranscriptStepKind
    checks: Text
    pass_: Text = Field(alias="pass")
    how: Text


class CoworldTranscript(DocumentModel):
    """A list of steps with a name."""

    name: Text
    text: Text
    steps: Annotated[list[TranscriptStep], Field(min_length=1)]


class SourceUrlResult(DocumentModel):
    """Whether the published source of one runnable could be found."""

    runnable: str
    source_url: str | None
    status: Literal["resolved", "unresolved", "unsupported", "not_declared"]
    publicly_accessible: bool
    detail: str


class StepResult(DocumentModel):
    """The result of one step."""

    id: Text
    kind: TranscriptStepKind
    status: Literal["running", "pass", "fail"] = "pass"
    failure_reason: str | None = None
    feedback: str | None = None
    source_url_results: list[SourceUrlResult] | None = None
