"""Decode an observation to cells with tags and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation, Location

__all__ = ["DecodedObservation", "ObservationCell", "ObservationEnvelope", "decode_observation"]

TAG = "tag"
_PART = re.compile(r"(?P<name>.+):p(?P<part>\d+)")


@dataclass(slots=True)
class ObservationEnvelope:
    """An agent's observation with its game and step."""

    raw_observation: AgentObservation
    policy_env_info: PolicyEnvInterface
    step: int | None = None


@dataclass(slots=True)
class ObservationCell:
    """One cell of the window: the names of its tags, in alphabetical order, and its numbers by feature.

    `row` and `col` are in the window; `x` and `y` are relative to the agent, which is at `center`.
    """

    location: Location
    center: Location
    tags: tuple[str, ...]
    features: dict[str, int]

    @property
    def row(self) -> int:
        return self.location.row

    @property
    def col(self) -> int:
        return self.location.col

    @property
    def x(self) -> int:
        return self.location.col - self.center.col

    @property
    def y(self) -> int:
        return self.location.row - self.center.row


@dataclass(slots=True)
class DecodedObservation:
    """All non-empty cells by (row, column), and the numbers about the whole game."""

    observation: AgentObservation
    policy_env_info: PolicyEnvInterface
    step: int | None
    center_row: int
    center_col: int
    cells_by_location: dict[tuple[int, int], ObservationCell]
    global_features: dict[str, int]

    @property
    def cells(self) -> list[ObservationCell]:
        return list(self.cells_by_location.values())

    @property
    def self_cell(self) -> ObservationCell:
        """The agent's own cell; an empty one if it has no tokens."""
        center = Location(self.center_row, self.center_col)
        return self.cells_by_location.get(center) or ObservationCell(center, center, (), {})


def decode_observation(envelope: ObservationEnvelope) -> DecodedObservation:
    """Group the tokens of an observation by cell; numbers that are split over several features are combined."""
    info = envelope.policy_env_info
    center = Location(info.obs_height // 2, info.obs_width // 2)
    tags: dict[Location, set[str]] = {}
    digits: dict[Location | None, dict[str, dict[int, int]]] = {}
    for token in envelope.raw_observation.tokens:
        location = token.location
        if location is None and not token.is_global:
            continue  # padding
        if token.feature.name == TAG and location is not None:
            tags.setdefault(location, set()).add(_tag_name(info, token.value))
            continue
        name, part = _split(token.feature.name)
        weight = max(1, round(token.feature.normalization)) ** part
        digits.setdefault(location, {}).setdefault(name, {})[part] = token.value * weight
    numbers = {place: {name: sum(parts.values()) for name, parts in table.items()} for place, table in digits.items()}
    places = sorted(tags.keys() | {place for place in numbers if place is not None})
    cells = {
        (place.row, place.col): ObservationCell(
            place, center, tuple(sorted(tags.get(place, ()))), numbers.get(place, {})
        )
        for place in places
    }
    return DecodedObservation(
        observation=envelope.raw_observation,
        policy_env_info=info,
        step=envelope.step,
        center_row=center.row,
        center_col=center.col,
        cells_by_location=cells,
        global_features=numbers.get(None, {}),
    )


def _tag_name(info: PolicyEnvInterface, number: int) -> str:
    return info.tags[number] if number < len(info.tags) else f"tag:{number}"


def _split(name: str) -> tuple[str, int]:
    """Split `inv:ore:p1` into ("inv:ore", 1); the first part of a number has no suffix."""
    match = _PART.fullmatch(name)
    return (match["name"], int(match["part"])) if match else (name, 0)
