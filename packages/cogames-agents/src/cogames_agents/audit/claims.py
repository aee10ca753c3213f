"""The infos of a policy: what it says an agent plays, wants and knows.

The planner publishes `role`, `goal`, `target` (an object type), `target_offset` ([rows, columns] from the agent),
`known_hubs`, `known_stations`, `known_junctions`, `known_extractors` and `own_junctions`. Every key is optional.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["NO_CLAIMS", "Claims", "read_claims"]

KNOWN = ("known_hubs", "known_stations", "known_junctions", "known_extractors")
_TEXTS = ("role", "goal", "target")
_COUNTS = (*KNOWN, "own_junctions")


@dataclass(frozen=True)
class Claims:
    """The infos of one agent in one step; None for keys that are missing or have another type."""

    role: str | None = None
    goal: str | None = None
    target: str | None = None
    target_offset: tuple[int, int] | None = None
    known_hubs: int | None = None
    known_stations: int | None = None
    known_junctions: int | None = None
    known_extractors: int | None = None
    own_junctions: int | None = None
    unreadable: tuple[str, ...] = ()
    """keys whose value has another type"""

    @property
    def structures(self) -> int | None:
        """The number of structures the policy says it knows; None if it says nothing."""
        counts = [getattr(self, key) for key in KNOWN]
        return None if all(count is None for count in counts) else sum(count or 0 for count in counts)


NO_CLAIMS = Claims()


def read_claims(infos: Mapping[str, Any] | None) -> Claims:
    """Read the infos of an agent's policy; other keys are ignored."""
    if not infos:
        return NO_CLAIMS
    values: dict[str, Any] = {}
    unreadable = []
    for key in (*_TEXTS, *_COUNTS, "target_offset"):
        value = infos.get(key)
        if value is None:
            continue
        read = _offset(value) if key == "target_offset" else _text(value) if key in _TEXTS else _count(value)
        if read is None:
            unreadable.append(key)
        elif read != "":
            values[key] = read
    return Claims(**values, unreadable=tuple(unreadable))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return None
    return number if number >= 0 and not isinstance(value, str) else None


def _offset(value: object) -> tuple[int, int] | None:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        return None
    try:
        return int(value[0]), int(value[1])
    except (TypeError, ValueError):
        return None
