"""Decode the engine's observation bytes to tokens and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.simulator.interface import GLOBAL_LOCATION, ObservationToken

INVENTORY_PREFIX = "inv:"
# Tokens of an episode repeat, so equal tokens share one object; the table is cleared beyond this size.
MAX_INTERNED = 1 << 17


class ObservationDecoder:
    """Decodes the rows of an observation buffer (three bytes a token, 0xFF padding) for one game."""

    def __init__(
        self, features: Sequence[ObservationFeatureSpec], *, token_value_base: int, obs_height: int, obs_width: int
    ) -> None:
        self.features = {feature.id: feature for feature in features}
        self._tokens = _TokenTable(self.features)
        self._numbers = _number_parts(features, token_value_base)
        self._own_cell = (obs_height >> 1) << 4 | obs_width >> 1

    @staticmethod
    def trim(row: bytes) -> bytes:
        """Return a row without its padding.

        Three 0xFF in a row always hold a location byte of 0xFF, which only padding has; so the first three end, or
        are, the last token's value and the start of the padding.
        """
        padding = row.find(b"\xff\xff\xff")
        return row if padding < 0 else row[: (padding + 2) // 3 * 3]

    def decode(self, packed: bytes) -> list[ObservationToken]:
        """Return all tokens of a trimmed row, in order."""
        return list(map(self._tokens.__getitem__, np.frombuffer(packed, "V3").tolist()))

    def own_cell(self, packed: bytes) -> list[ObservationToken]:
        """Return the tokens about the observer's own cell."""
        return [self._tokens[token] for token in _tokens_at(packed, self._own_cell)]

    def global_tokens(self, packed: bytes) -> list[ObservationToken]:
        """Return the tokens about the whole game."""
        return [self._tokens[token] for token in _tokens_at(packed, GLOBAL_LOCATION)]

    def inventory(self, packed: bytes) -> dict[str, int]:
        """Return {resource name: amount} from the observer's own cell; resources it does not hold are absent."""
        numbers = self._sum_parts(_tokens_at(packed, self._own_cell))
        prefix = len(INVENTORY_PREFIX)
        return {name[prefix:]: amount for name, amount in numbers.items() if name.startswith(INVENTORY_PREFIX)}

    def global_values(self, packed: bytes) -> dict[str, int]:
        """Return {feature name: number} of the tokens about the whole game."""
        return self._sum_parts(_tokens_at(packed, GLOBAL_LOCATION))

    def _sum_parts(self, tokens: list[bytes]) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for _, feature_id, value in tokens:
            name, weight = self._numbers[feature_id]
            numbers[name] = numbers.get(name, 0) + value * weight
        return numbers


class _TokenTable(dict[bytes, ObservationToken]):
    """Maps three bytes to their token, created on first use."""

    def __init__(self, features: dict[int, ObservationFeatureSpec]) -> None:
        super().__init__()
        self._features = features

    def __missing__(self, packed: bytes) -> ObservationToken:
        if len(self) >= MAX_INTERNED:
            self.clear()
        location, feature_id, value = packed
        token = ObservationToken(self._features[feature_id], value, (location, feature_id, value))
        self[packed] = token
        return token


def _tokens_at(packed: bytes, location: int) -> list[bytes]:
    """Return the tokens with one location byte, in order."""
    locations = packed[::3]
    tokens = []
    index = locations.find(location)
    while index >= 0:
        tokens.append(packed[3 * index : 3 * index + 3])
        index = locations.find(location, index + 1)
    return tokens


def _number_parts(features: Sequence[ObservationFeatureSpec], base: int) -> dict[int, tuple[str, int]]:
    """Return feature id -> (name of the number it is a part of, weight of that part).

    A number above the base continues in the features `<name>:p1`, `<name>:p2`, ... which follow `<name>`.
    """
    parts: dict[int, tuple[str, int]] = {}
    name, power = None, 1
    for feature in sorted(features, key=lambda feature: feature.id):
        if name is not None and feature.name == f"{name}:p{power}":
            parts[feature.id] = (name, base**power)
            power += 1
        else:
            name, power = feature.name, 1
            parts[feature.id] = (name, 1)
    return parts
