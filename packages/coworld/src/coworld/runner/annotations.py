"""Episode annotations: the notes of a game-hosted player about its decisions, one JSON object per line.

A file holds at most 1,000 records of 2 KiB each. The runner, not the player, says which slot a record belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, BinaryIO, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

__all__ = [
    "ANNOTATIONS_MAX_BYTES",
    "ANNOTATIONS_MAX_EVENTS",
    "ANNOTATIONS_MEDIA_TYPE",
    "ANNOTATIONS_TARGETS_ENV",
    "ANNOTATION_MAX_BYTES",
    "EpisodeAnnotation",
    "annotation_file_error",
    "read_annotations",
]

ANNOTATIONS_TARGETS_ENV = "PLAYER_EPISODE_ANNOTATIONS_URLS"
"""variable of a hosted runner: a JSON object with the address for each slot's file"""
ANNOTATIONS_MEDIA_TYPE = "application/x-ndjson"
ANNOTATIONS_MAX_BYTES = 2 << 20
ANNOTATIONS_MAX_EVENTS = 1000
ANNOTATION_MAX_BYTES = 2048
"""bytes of one record, its line end included"""


class EpisodeAnnotation(BaseModel):
    """One record. It may have extra keys, and every number is finite."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    schema_version: Literal[1] = 1
    time: float = Field(description="When, in the time of the game.")
    kind: Annotated[str, StringConstraints(min_length=1, max_length=128)] = Field(
        description="What the record is, such as `decision` or `prediction`."
    )
    function: Annotated[str, StringConstraints(min_length=1, max_length=256)] = Field(
        description="The operation of the player that it is about."
    )
    args: dict[str, JsonValue] = Field(description="What the operation was called with.")
    message: str | None = Field(default=None, description="A sentence for people.")
    actor: str | None = Field(default=None, description="The part of the player that acted.")
    end_time: float | None = Field(default=None, description="When it ended; not before `time`.")

    @model_validator(mode="after")
    def validate_record(self) -> Self:
        """Check the order of the times, and that `args` and other keys can be written as JSON."""
        if self.end_time is not None and self.end_time < self.time:
            raise ValueError("end_time must be at least time")
        json.dumps([self.args, self.model_extra], allow_nan=False)
        return self


def annotation_file_error(source: BinaryIO) -> str | None:
    """Return why a file of annotations is rejected, or None when it is valid; rewinds the file."""
    total = 0
    try:
        for number, line in enumerate(_lines(source), start=1):
            total += len(line)
            if number > ANNOTATIONS_MAX_EVENTS:
                return f"Annotation file exceeds {ANNOTATIONS_MAX_EVENTS} records"
            if total > ANNOTATIONS_MAX_BYTES:
                return f"Annotation file exceeds {ANNOTATIONS_MAX_BYTES >> 20} MiB"
            if len(line) > ANNOTATION_MAX_BYTES:
                return f"Annotation record {number} exceeds {ANNOTATION_MAX_BYTES >> 10} KiB"
            if not line.endswith(b"\n"):
                return f"Annotation record {number} is not newline-terminated"
            try:
                EpisodeAnnotation.model_validate_json(line)
            except ValidationError:
                return f"Invalid annotation record {number}"
        return None
    finally:
        source.seek(0)


def read_annotations(source: BinaryIO, *, participant_slot: int, first_seq: int = 0) -> Iterator[bytes]:
    """Yield each record as a line of JSON with its `participant_slot` and its place, `seq`, in the episode.

    Raises:
        ValueError: the file is too long, or a record is too long or not valid.
    """
    for count, line in enumerate(_lines(source)):
        if count >= ANNOTATIONS_MAX_EVENTS:
            raise ValueError(f"Annotation file exceeds {ANNOTATIONS_MAX_EVENTS} records")
        if len(line) > ANNOTATION_MAX_BYTES or not line.endswith(b"\n"):
            limit = f"{ANNOTATION_MAX_BYTES >> 10} KiB"
            raise ValueError(f"Annotation record exceeds {limit} or is not newline-terminated")
        record = EpisodeAnnotation.model_validate_json(line).model_dump(mode="json", exclude_none=True)
        record |= {"participant_slot": participant_slot, "seq": first_seq + count}
        yield json.dumps(record).encode() + b"\n"


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file; a line over the limit is cut, so that it costs no memory."""
    while line := source.readline(ANNOTATION_MAX_BYTES + 1):
        yield line
