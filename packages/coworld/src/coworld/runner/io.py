"""Documents the runner and the platform exchange, and reading and writing what is named by an address."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from coworld.runner.failures import MESSAGE_LENGTH, RunnerEpisodeError, RunnerErrorType
from coworld.uris import public_uri, read_uri, write_uri

__all__ = [
    "GamePlayerFailure",
    "PlayerRuntimeStatus",
    "PlayerRuntimeStatuses",
    "RunnerEpisodeError",
    "RunnerError",
    "RunnerErrorType",
    "exception_summary",
    "read_data",
    "redact_uri",
    "upload_data",
    "write_data",
]


class RunnerError(BaseModel):
    """`error_info.json`."""

    error_type: RunnerErrorType
    message: str
    failed_policy_index: int | None = None


class GamePlayerFailure(BaseModel):
    """`player_failure.json`: what a game writes instead of results when a seat makes the episode pointless."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: Annotated[str, Field(min_length=1, max_length=MESSAGE_LENGTH)]
    failed_policy_index: Annotated[int, Field(ge=0)]
    kind: Literal["player_error", "episode_inconclusive"] = "player_error"


class PlayerRuntimeStatus(BaseModel):
    """How one player ended."""

    slot: Annotated[int, Field(ge=0)]
    state: Literal["running", "exited", "not_started", "unavailable"]
    exit_code: int | None = None
    reason: str | None = None
    finished_at: datetime | None = None


class PlayerRuntimeStatuses(BaseModel):
    """`player_status.json`."""

    schema_version: Literal["1"] = "1"
    players: list[PlayerRuntimeStatus]


def read_data(uri: str) -> bytes:
    """What lies at a `file://`, http(s) or plain path; raises OSError."""
    return read_uri(uri)


def write_data(uri: str, data: bytes | str, *, content_type: str) -> None:
    """Write to a `file://`, http(s) (PUT) or plain path; raises OSError."""
    write_uri(uri, data.encode() if isinstance(data, str) else data, content_type=content_type)


upload_data = write_data


def redact_uri(uri: str) -> str:
    """An address as it may be shown: without its query and credentials."""
    return public_uri(uri)


def exception_summary(error: BaseException) -> str:
    """One line about an error, for `error_info.json`."""
    text = " ".join(str(error).split())
    return (f"{type(error).__name__}: {text}" if text else type(error).__name__)[:MESSAGE_LENGTH]
