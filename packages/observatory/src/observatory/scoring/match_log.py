"""Ended matches of a pool: one by one, and many of them as columns.

Columns are how a table reads, stores and counts matches by the thousand: `pack` makes the bytes of a segment of the log
(`standings.segments`), and `unpack` reads them back.
"""

from __future__ import annotations

import json
import math
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from observatory.scoring.standings import Seat

__all__ = ["LogColumns", "LoggedMatch", "moment", "of_moment"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class LoggedMatch:
    """A match that has ended. `order` says when, `sample` which of the maps of its split it was on."""

    order: int
    at: datetime
    sample: int
    seats: tuple[Seat, ...]
    failed: bool = False
    culprit: int | None = None
    """the policy at fault for a failure: a position in `seats`"""


def of_moment(at: datetime) -> int:
    """Return a moment as microseconds."""
    return (at - _EPOCH) // _MICROSECOND


def moment(microseconds: int) -> datetime:
    return _EPOCH + microseconds * _MICROSECOND


@dataclass(frozen=True, slots=True)
class LogColumns:
    """Ended matches, and below them their seats: those of the first match, those of the second, and so on."""

    policies: tuple[uuid.UUID, ...]
    order: NDArray[np.int64]
    at: NDArray[np.int64]
    """microseconds"""
    sample: NDArray[np.int32]
    failed: NDArray[np.bool_]
    culprit: NDArray[np.int16]
    """-1 for none"""
    seats: NDArray[np.int16]
    """how many seats the match has"""
    policy: NDArray[np.int32]
    """of each seat, an index into `policies`"""
    agents: NDArray[np.int32]
    score: NDArray[np.float64]
    """not a number: no score"""

    @classmethod
    def of(cls, matches: Sequence[LoggedMatch]) -> Self:
        numbers: dict[uuid.UUID, int] = {}
        seats = [seat for match in matches for seat in match.seats]
        return cls(
            order=np.array([match.order for match in matches], np.int64),
            at=np.array([of_moment(match.at) for match in matches], np.int64),
            sample=np.array([match.sample for match in matches], np.int32),
            failed=np.array([match.failed for match in matches], np.bool_),
            culprit=np.array([-1 if match.culprit is None else match.culprit for match in matches], np.int16),
            seats=np.array([len(match.seats) for match in matches], np.int16),
            policy=np.array([numbers.setdefault(seat.policy_version_id, len(numbers)) for seat in seats], np.int32),
            agents=np.array([seat.num_agents for seat in seats], np.int32),
            score=np.array([math.nan if seat.score is None else seat.score for seat in seats], np.float64),
            policies=tuple(numbers),
        )

    @classmethod
    def joined(cls, logs: Sequence[LogColumns]) -> Self:
        """Return the matches of all logs, one after the other."""
        numbers: dict[uuid.UUID, int] = {}
        places = [np.array([numbers.setdefault(p, len(numbers)) for p in log.policies], np.int32) for log in logs]
        policies = [number[log.policy] for number, log in zip(places, logs, strict=True)]
        names = [name for name, _, _ in _COLUMNS if name != "policy"]
        columns = {name: np.concatenate([getattr(log, name) for log in logs]) for name in names}
        return cls(policies=tuple(numbers), policy=np.concatenate(policies), **columns)

    def pack(self) -> bytes:
        """Return all of it as compressed bytes: a head of JSON, a line feed, and the columns one after the other."""
        head = {
            "format": _FORMAT,
            "policies": [policy.hex for policy in self.policies],
            "matches": len(self.order),
            "seats": len(self.policy),
        }
        columns = [getattr(self, name).astype(kind).tobytes() for name, kind, _ in _COLUMNS]
        return zlib.compress(b"".join([json.dumps(head).encode(), b"\n", *columns]), 1)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Return what `pack` was given; `ValueError` for bytes that are not of this format."""
        try:
            first, _, rest = zlib.decompress(data).partition(b"\n")
            head: dict[str, Any] = json.loads(first)
            if head["format"] != _FORMAT:
                raise ValueError(f"Segments of format {head['format']} are not known")
            columns, place = {}, 0
            for name, kind, length in _COLUMNS:
                columns[name] = np.frombuffer(rest, kind, head[length], place)
                place += columns[name].nbytes
        except (KeyError, TypeError, zlib.error) as problem:
            raise ValueError("This is not a segment of a match log") from problem
        return cls(policies=tuple(map(_policy, head["policies"])), **columns)


@lru_cache(maxsize=100_000)
def _policy(text: str) -> uuid.UUID:
    """Return an id; the segments of a pool have the same ones."""
    return uuid.UUID(text)


_COLUMNS = [
    ("order", "<i8", "matches"),
    ("at", "<i8", "matches"),
    ("sample", "<i4", "matches"),
    ("failed", "?", "matches"),
    ("culprit", "<i2", "matches"),
    ("seats", "<i2", "matches"),
    ("policy", "<i4", "seats"),
    ("agents", "<i4", "seats"),
    ("score", "<f8", "seats"),
]
"""name, type, and whether it has a value for each match or for each seat"""
