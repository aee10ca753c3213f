"""The infos of a policy: what it says an agent plays, wants and knows.

The planner publishes `role`, `goal`, `target` ([rows, columns] from the agent), `target_type` (an object type),
`known_hubs`, `known_stations`, `known_junctions`, `known_extractors` and `own_junctions`. Every key is optional. A text
in `target` is the type, and `target_offset` is another name for the place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["NO_CLAIMS", "Claims", "read_claims"]

KNOWN = ("known_hubs", "known_stations", "known_junctions", "known_extractors")
_COUNTS = (*KNOWN, "own_junctions")


@dataclass(frozen=True)
class Claims:
    """The infos of one agent in one step; None for keys that are missing or have another type."""

    role: str | None = None
    goal: str | None = None
    target_type: str | None = None
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
    for key, (name, read) in _readers(infos).items():
        value = infos.get(key)
        if value is None or value == "":
            continue
        known = read(value)
        if known is None:
            unreadable.append(key)
        else:
            values[name] = known
    return Claims(**values, unreadable=tuple(unreadable))


def _readers(infos: Mapping[str, Any]) -> dict[str, tuple[str, Callable[[object], object]]]:
    """Return {key: (field of Claims, function that reads the value)}."""
    target = ("target_type", _text) if isinstance(infos.get("target"), str) else ("target_offset", _offset)
    return {
        "role": ("role", _text),
        "goal": ("goal", _text),
        "target": target,
        "target_type": ("target_type", _text),
        "target_offset": ("target_offset", _offset),
        **{key: (key, _count) for key in _COUNTS},
    }


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
