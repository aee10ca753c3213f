"""Fast decoding of a cog's observation.

An observation is a row of three-byte tokens: location, feature, value. `Sight` knows the names of one game; `read`
sorts the tokens of a row into a `View`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["Sight", "View"]

_GLOBAL = 0xFE  # location of tokens about the whole game


class View(NamedTuple):
    """One observation. Places are location bytes: the row in the window times 16, plus the column."""

    walls: int
    """the cells with walls, as a set (see `cells`) in the numbering of the caller's `bits`"""
    tags: dict[int, list[int]]
    """location -> tag ids of the object there, without walls"""
    own: dict[int, int]
    """feature id -> value, of the cog itself and of the whole game"""
    inventory_tokens: list[tuple[int, int, int]]
    """(location, feature id, value) of the inventories in view"""


class Sight:
    """Decodes the observations of one game.

    `centre` is the location of the observer. Unknown tags and features read as absent, so a policy can query any name.
    Raises `ValueError` for games whose observations are not tokens.
    """

    def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
        if policy_env_info.observation_kind != "token":
            raise ValueError(f"Observations must be tokens; this game has {policy_env_info.observation_kind!r}")
        self.height, self.width = policy_env_info.egocentric_shape
        self.rows, self.cols = self.height >> 1, self.width >> 1
        self.centre = self.rows << 4 | self.cols
        self.tag_ids = {name: number for number, name in enumerate(policy_env_info.tags)}
        self.feature_ids = {feature.name: feature.id for feature in policy_env_info.obs_features}
        self._base = {feature.name: int(feature.normalization) for feature in policy_env_info.obs_features}
        self._parts: dict[str, list[tuple[int, int]]] = {}
        self._tag = self.feature_ids.get("tag", -1)
        self._wall = self.tag_ids.get("type:wall", -1)
        self._inventories = frozenset(number for name, number in self.feature_ids.items() if name.startswith("inv:"))

    def read(self, row: bytes, bits: Sequence[int]) -> View:
        """Sort the tokens of a row; `bits` has for each location byte the set with only that cell."""
        tag, wall, inventories = self._tag, self._wall, self._inventories
        mine = (_GLOBAL, self.centre)
        walls = 0
        tags: dict[int, list[int]] = {}
        own: dict[int, int] = {}
        inventory_tokens = []
        end = row.find(b"\xff\xff\xff")  # start of the unused tokens, or up to two 255 bytes earlier
        if end >= 0:
            row = row[: (end + 2) // 3 * 3]
        numbers = iter(row)
        for location, feature, value in zip(numbers, numbers, numbers, strict=True):
            if feature == tag:
                if value == wall:
                    walls |= bits[location]
                elif location in tags:
                    tags[location].append(value)
                else:
                    tags[location] = [value]
            elif location in mine:
                own[feature] = value
            elif feature in inventories:
                inventory_tokens.append((location, feature, value))
        return View(walls, tags, own, inventory_tokens)

    def number(self, view: View, name: str) -> int:
        """Return the value of a feature of the cog or the game, such as `inv:heart`; 0 if absent.

        Large numbers are split: `name`, `name:p1` and so on are digits of one number.
        """
        own, number = view.own, 0
        for feature, weight in self._parts_of(name):
            if feature in own:
                number += own[feature] * weight
        return number

    def inventory_at(self, view: View, location: int, name: str) -> int:
        """Return the value of an inventory feature of another object in view, by its location."""
        parts = self._parts_of(name)
        return sum(
            value * weight
            for place, token_feature, value in view.inventory_tokens
            if place == location
            for feature, weight in parts
            if feature == token_feature
        )

    def _parts_of(self, name: str) -> list[tuple[int, int]]:
        """Return (feature id, weight) of each digit of a number."""
        if name not in self._parts:
            parts: list[tuple[int, int]] = []
            part = name
            while part in self.feature_ids:
                parts.append((self.feature_ids[part], self._base[name] ** len(parts)))
                part = f"{name}:p{len(parts)}"
            self._parts[name] = parts
        return self._parts[name]
