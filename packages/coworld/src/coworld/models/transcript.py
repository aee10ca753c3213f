"""What a certification did, step by step."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["CoworldTranscript", "SourceUrlResult", "StepResult", "TranscriptStep", "TranscriptStepKind"]

TranscriptStepKind = Literal["auto", "human"]


class TranscriptStep(BaseModel):
    """One step as it is described before it runs."""

    model_config = ConfigDict(validate_by_name=True)

    id: str
    kind: TranscriptStepKind
    checks: str
    pass_: str = Field(alias="pass")
    how: str


class CoworldTranscript(BaseModel):
    """A list of steps with a name."""

    name: str
    text: str
    steps: list[TranscriptStep]


class SourceUrlResult(BaseModel):
    """Whether the published source of one runnable could be found."""

    runnable: str
    source_url: str | None
    status: Literal["resolved", "unresolved", "unsupported", "not_declared"]
    publicly_accessible: bool
    detail: str


class StepResult(BaseModel):
    """How one step went."""

    id: str
    kind: TranscriptStepKind
    status: Literal["running", "pass", "fail"] = "pass"
    failure_reason: str | None = None
    feedback: str | None = None
    source_url_results: list[SourceUrlResult] | None = None
