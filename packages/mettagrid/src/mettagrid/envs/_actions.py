"""Convert an index, or a pair of them, to the engine's two action streams.

With P primary and V vibe actions the engine's ids are 0 to P-1 and P to P+V-1, and each stream holds such ids; 0 in the
vibe stream means no change. The encodings of the environments:

- combined: 0 to P-1 is a primary action alone, P + p*V + v is primary action p together with vibe v;
- pair: a primary action and 0 for no vibe change, or 1 + v;
- flat: the engine's id; a vibe change replaces the primary action.
"""

from collections.abc import Sequence
from operator import index
from typing import Literal, get_args

import numpy as np

Vibes = Literal["none", "combined", "pair"]


class ActionCodec:
    """Checks and splits the actions of one game. It returns new arrays, int32."""

    def __init__(self, action_names: Sequence[str]) -> None:
        self.num_vibes = sum(name.startswith("change_vibe_") for name in action_names)
        self.num_primary = len(action_names) - self.num_vibes
        primary, vibe = np.divmod(np.arange(self.num_primary * self.num_vibes, dtype=np.int32), max(1, self.num_vibes))
        alone = np.arange(self.num_primary, dtype=np.int32)
        self._primary_of = np.concatenate([alone, primary])
        self._vibe_of = np.concatenate([0 * alone, self.num_primary + vibe])

    @property
    def num_combined(self) -> int:
        """P * (V + 1), the number of combined indices."""
        return len(self._primary_of)

    def split(self, actions: np.ndarray, vibes: Vibes, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Split `count` agents' actions, [count] or [count, 2] for pairs, into (primary, vibe); or raise ValueError."""
        if vibes != "pair":
            limit = self.num_primary if vibes == "none" else self.num_combined
            return self.split_combined(_checked(actions, (count,), "Actions"), limit)
        pairs = _checked(actions, (count, 2), "Actions")
        primary = _within(pairs[:, 0], self.num_primary, "Primary actions")
        vibe = _within(pairs[:, 1], self.num_vibes + 1, "Vibe actions")
        return primary.astype(np.int32), np.where(vibe == 0, 0, self.num_primary - 1 + vibe).astype(np.int32)

    def split_combined(self, actions: np.ndarray, limit: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Split an array of combined indices into (primary, vibe)."""
        _within(actions, limit or self.num_combined, "Actions")
        return self._primary_of[actions], self._vibe_of[actions]

    def split_published_pairs(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Split [n, 2] of a primary action and a vibe 0 to V-1 into (primary, vibe); every row sets a vibe."""
        if not self.num_vibes:
            raise ValueError("Actions have a second column, but this game has no vibe actions")
        primary = _within(actions[:, 0], self.num_primary, "Primary actions")
        vibe = _within(actions[:, 1], self.num_vibes, "Vibe actions")
        return primary.astype(np.int32), (self.num_primary + vibe).astype(np.int32)

    def split_flat(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Split an array of engine ids into (primary, vibe)."""
        _within(actions, self.num_primary + self.num_vibes, "Flat actions")
        is_vibe = actions >= self.num_primary
        return np.where(is_vibe, 0, actions).astype(np.int32), np.where(is_vibe, actions, 0).astype(np.int32)

    def split_one(self, action: object, vibes: Vibes) -> tuple[int, int]:
        """Split one agent's action into (primary, vibe)."""
        if vibes == "pair":
            pair = np.asarray(action)
            if pair.shape != (2,):
                raise ValueError(f"must be a pair (primary, vibe), not {action!r}")
            primary, vibe = (_integer(part) for part in pair)
            _one_within(primary, self.num_primary, "primary action")
            _one_within(vibe, self.num_vibes + 1, "vibe action")
            return primary, self.num_primary - 1 + vibe if vibe else 0
        number = _integer(action)
        _one_within(number, self.num_primary if vibes == "none" else self.num_combined, "action")
        return int(self._primary_of[number]), int(self._vibe_of[number])


def checked_vibes(vibes: Vibes) -> Vibes:
    if vibes not in get_args(Vibes):
        raise ValueError(f"vibes must be one of {', '.join(map(repr, get_args(Vibes)))}, not {vibes!r}")
    return vibes


def integers(actions: object) -> np.ndarray:
    """Return actions as an array of integers; raises TypeError for others."""
    array = np.asarray(actions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"Actions must be integers, not {array.dtype}")
    return array


def _checked(actions: object, shape: tuple[int, ...], name: str) -> np.ndarray:
    array = integers(actions)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {list(shape)}, not {list(array.shape)}")
    return array


def _within(array: np.ndarray, limit: int, name: str) -> np.ndarray:
    low, high = array.min(), array.max()
    if low < 0 or high >= limit:
        raise ValueError(f"{name} must be from 0 to {limit - 1}; these are from {low} to {high}")
    return array


def _integer(action: object) -> int:
    try:
        return index(action)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"must be an integer, not {action!r}") from None


def _one_within(number: int, limit: int, name: str) -> None:
    if not 0 <= number < limit:
        raise ValueError(f"{name} {number} is not from 0 to {limit - 1}")
