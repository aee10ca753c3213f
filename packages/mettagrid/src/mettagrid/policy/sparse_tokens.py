"""The vocabulary of the `sparse` network: observation tokens as kinds that keep their meaning across missions.

The numbers of features and tags differ between missions, their names do not. A `Vocabulary` is a list of names, and
every name owns a range of kinds: a tag, a vibe or an action owns one; a feature with few values owns one for each
value; any other feature owns one for each range of values. `GameTables` translates the bytes of one game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mettagrid.policy.policy_env_interface import CHANGE_VIBE_PREFIX, PolicyEnvInterface
from mettagrid.policy.sparse_memory import MEMORY_PLACES, memory_feature
from mettagrid.simulator.interface import EMPTY_LOCATION, GLOBAL_LOCATION

__all__ = ["BYTES", "PLACES", "UNKNOWN", "GameTables", "Vocabulary", "num_places"]

BYTES = 256
UNKNOWN = 0
"""the kind of tokens whose name is not in the vocabulary; its embedding is zero"""
PLACES = 255
"""number of places: the cells relative to the agent, and `GLOBAL_LOCATION` for the whole game"""
NO_PLACE = EMPTY_LOCATION
"""the place of unused tokens and of cells that cannot be observed; its embedding is zero"""
NO_FEATURE = -1

_CENTER = 7  # the agent's row and column among the places: the center of the largest window, 15 x 15
_NAMED = ("tag", "vibe", "last_action")  # features whose values have names
_SMALL = 16
_FEW_VALUES = {"agent:group": _SMALL, "agent_id": 32, "last_action_move": 2}
_FEW_VALUES_PREFIX = "territory:"
_RANGES = (1, 2, 3, 5, 9, 17, 33, 65, 129)  # where each range but the first begins
_DISTANCE_PREFIX = "lp:"
_DISTANCE_RANGES = (*range(1, 17), 20, 24, 32, 48, 64, 96, 128, 192)


def _kinds_of_values(name: str) -> np.ndarray:
    """Return the kind of each value of a feature, relative to the first kind of its name: int32 [256]."""
    values = np.arange(BYTES)
    if name.startswith(_FEW_VALUES_PREFIX) or name in _FEW_VALUES:
        return np.minimum(values, _FEW_VALUES.get(name, _SMALL) - 1).astype(np.int32)
    ranges = _DISTANCE_RANGES if name.startswith(_DISTANCE_PREFIX) else _RANGES
    return np.searchsorted(np.array(ranges), values, side="right").astype(np.int32)


def _is_value(name: str) -> bool:
    """Return whether the name is that of a value of a `_NAMED` feature."""
    return name.partition(":")[0] in _NAMED


def _is_numeric(name: str) -> bool:
    return not (_is_value(name) or name in _FEW_VALUES or name.startswith(_FEW_VALUES_PREFIX))


def _names_of_values(feature: str, interface: PolicyEnvInterface) -> list[str]:
    """Return the names of the values of a `_NAMED` feature, in order."""
    if feature == "tag":
        names = list(interface.tags)
    elif feature == "vibe":
        names = [name.removeprefix(CHANGE_VIBE_PREFIX) for name in interface.vibe_action_names]
    else:
        names = interface.all_action_names
    return [f"{feature}:{name}" for name in names]


def _names(interface: PolicyEnvInterface) -> Iterator[str]:
    for feature in interface.obs_features:
        if feature.name in _NAMED:
            yield from _names_of_values(feature.name, interface)
        else:
            yield feature.name


@dataclass(frozen=True)
class Vocabulary:
    """The names that a network knows. Weights belong to one vocabulary: its order is the order of their rows."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, interfaces: Iterable[PolicyEnvInterface]) -> Vocabulary:
        """Return the names of several games together, each once, in the order in which they first occur."""
        return cls(tuple(dict.fromkeys(name for interface in interfaces for name in _names(interface))))

    @classmethod
    def from_names(cls, names: Sequence[str]) -> Vocabulary:
        """Return the vocabulary of a list that JSON can hold; raises `ValueError` if it is not one."""
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise ValueError("`vocabulary` must be a list of names, as the `init_kwargs` of a trained policy have it")
        if len(set(names)) != len(names):
            twice = next(name for index, name in enumerate(names) if name in names[:index])
            raise ValueError(f"`vocabulary` has the name {twice!r} twice; the rows of the weights would be ambiguous")
        return cls(tuple(names))

    @cached_property
    def first_kinds(self) -> dict[str, int]:
        """The first kind of each name; kind 0 is `UNKNOWN`."""
        first, kinds = UNKNOWN + 1, {}
        for name in self.names:
            kinds[name] = first
            first += 1 if _is_value(name) else int(_kinds_of_values(name)[-1]) + 1
        return kinds

    @cached_property
    def num_kinds(self) -> int:
        """Number of kinds, including `UNKNOWN`."""
        if not self.names:
            return UNKNOWN + 1
        last = self.names[-1]
        return self.first_kinds[last] + (1 if _is_value(last) else int(_kinds_of_values(last)[-1]) + 1)

    @cached_property
    def magnitudes(self) -> dict[str, int]:
        """The column of each feature that is a number, not a name."""
        return {name: column for column, name in enumerate(filter(_is_numeric, self.names))}

    def tables(self, interface: PolicyEnvInterface, *, memory: bool = False) -> GameTables:
        """Return how this vocabulary reads the tokens of a game; with `memory` also those that a memory appends."""
        kinds = np.full((BYTES, BYTES), UNKNOWN, np.int32)
        columns = np.zeros(BYTES, np.int32)
        scales = np.zeros(BYTES, np.float32)
        for feature in interface.obs_features:
            if not 0 <= feature.id < BYTES:
                continue
            if feature.name in _NAMED:
                values = _names_of_values(feature.name, interface)[:BYTES]
                kinds[feature.id, : len(values)] = [self.first_kinds.get(name, UNKNOWN) for name in values]
            elif feature.name in self.first_kinds:
                kinds[feature.id] = self.first_kinds[feature.name] + _kinds_of_values(feature.name)
            if feature.name in self.magnitudes:
                columns[feature.id] = self.magnitudes[feature.name]
                scales[feature.id] = 1.0 / max(float(feature.normalization), 1.0)
        remembered = memory_feature(interface) if memory else NO_FEATURE
        if memory:
            kinds[remembered] = kinds[next((f.id for f in interface.obs_features if f.name == "tag"), remembered)]
        height, width = interface.egocentric_shape
        return GameTables(
            kinds=kinds.reshape(-1),
            places=_places(height, width, memory),
            magnitudes=columns,
            scales=scales,
            own_location=(height // 2) << 4 | width // 2,
            memory_feature=remembered,
        )


@dataclass(frozen=True)
class GameTables:
    """Translates the bytes of one game's tokens.

    `kinds` is int32 [65536] by feature * 256 + value. `places` is int64 [512] by location, and by 256 + location for
    tokens of `memory_feature`, which a memory has appended. `magnitudes` (int32 [256], a
    column) and `scales` (float32 [256], what to multiply a value with; 0 if it is not a number) are by feature.
    `own_location` is the location of the agent's own cell.
    """

    kinds: np.ndarray
    places: np.ndarray
    magnitudes: np.ndarray
    scales: np.ndarray
    own_location: int
    memory_feature: int = NO_FEATURE


def num_places(memory: bool) -> int:
    """Return the number of places; the next number is that of no place."""
    return PLACES + MEMORY_PLACES * memory


def _places(height: int, width: int, memory: bool) -> np.ndarray:
    """Return the place of each location: cells move so that the agent is always at the same place."""
    rows, columns = np.divmod(np.arange(BYTES), 16)
    shifted_rows, shifted_columns = rows + _CENTER - height // 2, columns + _CENTER - width // 2
    is_cell = (rows < height) & (columns < width)
    for shifted in (shifted_rows, shifted_columns):
        is_cell &= (shifted >= 0) & (shifted <= 2 * _CENTER)
    places = np.where(is_cell, shifted_rows << 4 | shifted_columns, NO_PLACE)
    places[GLOBAL_LOCATION] = GLOBAL_LOCATION
    places[EMPTY_LOCATION] = NO_PLACE
    places = np.where(places == NO_PLACE, num_places(memory), places)
    far = np.where(np.arange(BYTES) < MEMORY_PLACES, PLACES + np.arange(BYTES), num_places(memory))
    return np.concatenate([places, far if memory else np.full(BYTES, num_places(memory))]).astype(np.int64)
