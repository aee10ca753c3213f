"""Documents that the runner and the platform exchange, and functions that read and write URIs."""

import asyncio
from datetime import datetime
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from coworld.runner.failures import (
    INCONCLUSIVE_RUNNER_ERROR_TYPES,
    MESSAGE_LENGTH,
    PLATFORM_RUNNER_ERROR_TYPES,
    RETRYABLE_RUNNER_ERROR_TYPES,
    RunnerEpisodeError,
    RunnerErrorType,
)
from coworld.uris.transfer import public_uri, read_uri, write_uri

__all__ = [
    "INCONCLUSIVE_RUNNER_ERROR_TYPES",
    "PLATFORM_RUNNER_ERROR_TYPES",
    "RETRYABLE_RUNNER_ERROR_TYPES",
    "GamePlayerFailure",
    "PlayerRuntimeStatus",
    "PlayerRuntimeStatuses",
    "RewindableBinaryStream",
    "RunnerEpisodeError",
    "RunnerError",
    "RunnerErrorType",
    "exception_summary",
    "post_data",
    "read_data",
    "redact_uri",
    "upload_data",
    "upload_data_with_deadline",
    "upload_file",
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
    """Read the bytes at a `file://` or http(s) URI or a plain path; raises OSError."""
    return read_uri(uri)


def write_data(uri: str, data: bytes | str, *, content_type: str) -> None:
    """Write to a `file://`, http(s) (PUT) or plain path; raises OSError."""
    write_uri(uri, data.encode() if isinstance(data, str) else data, content_type=content_type)


def post_data(uri: str, data: bytes | str, *, content_type: str) -> None:
    """Write bytes to a URI, with POST for http(s)."""
    write_uri(uri, data.encode() if isinstance(data, str) else data, method="POST", content_type=content_type)


upload_data = write_data


async def upload_data_with_deadline(uri: str, data: bytes | str, *, content_type: str, timeout_seconds: float) -> None:
    """Write bytes to a URI in asyncio; raises TimeoutError after the deadline."""
    async with asyncio.timeout(timeout_seconds):
        await asyncio.to_thread(write_data, uri, data, content_type=content_type)


class RewindableBinaryStream(Protocol):
    """An open file that can be read."""

    def read(self, size: int = -1, /) -> bytes: ...

    def seek(self, offset: int, whence: int = 0, /) -> int: ...

    def tell(self) -> int: ...


def upload_file(uri: str, file: RewindableBinaryStream, *, size: int, content_type: str, attempts: int = 4) -> None:
    """Write the rest of an open file, which must be exactly `size` bytes.

    Raises ValueError when it is more or less, OSError when it could not be written in so many attempts.
    """
    data = file.read(size + 1)
    if len(data) != size:
        actual = "more" if len(data) > size else str(len(data))
        raise ValueError(f"the file has {actual} bytes, and {size} were declared for {public_uri(uri)}")
    write_uri(uri, data, content_type=content_type, attempts=attempts)


def redact_uri(uri: str) -> str:
    """Return a URI without its query and credentials."""
    return public_uri(uri)


def exception_summary(error: BaseException) -> str:
    """Return one line about an error, for `error_info.json`."""
    text = " ".join(str(error).split())
    return (f"{type(error).__name__}: {text}" if text else type(error).__name__)[:MESSAGE_LENGTH]
