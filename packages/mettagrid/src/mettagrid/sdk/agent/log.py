"""The log of an agent's code, and its requests for review."""

from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, Field

__all__ = ["LogRecord", "LogSink", "ReviewRequest"]


class ReviewRequest(BaseModel):
    """A request to review the policy or its memory."""

    trigger_name: str
    prompt: str = ""
    target: Literal["memory", "policy"] = "policy"
    step: int | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class LogRecord(BaseModel):
    """A line of the log."""

    level: Literal["debug", "info", "warning", "error"]
    message: str
    step: int | None = None
    review: ReviewRequest | None = None
    data: dict[str, Any] = Field(default_factory=dict)


@runtime_checkable
class LogSink(Protocol):
    """An object that stores the log."""

    def write(self, record: LogRecord) -> None: ...
