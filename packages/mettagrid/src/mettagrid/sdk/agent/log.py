"""What an agent's code writes down, and asks to be looked at."""

from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, Field

__all__ = ["LogRecord", "LogSink", "ReviewRequest"]


class ReviewRequest(BaseModel):
    """A wish that the policy or its memory be reviewed."""

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
    """Whatever keeps the log."""

    def write(self, record: LogRecord) -> None: ...
