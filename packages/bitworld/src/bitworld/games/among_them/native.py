"""Give the native rules their configuration and their map."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bitworld._native import AmongThemConfig, AmongThemMap, AmongThemSlot, among_them_map
from bitworld.games.among_them.map import GameMap, Place, Vent
from bitworld.games.among_them.slots import COLOURS, ROLES

__all__ = ["native_config", "native_map"]

NOT_NUMBERS = {"slots", "tokens", "mapPath", "imposterCooldownTicks", "maxGameTicks"}


def native_config(config: Mapping[str, Any]) -> AmongThemConfig:
    """Return the settings of a complete configuration."""
    native = AmongThemConfig()
    for name, value in config.items():
        if name not in NOT_NUMBERS:
            setattr(native, re.sub("([A-Z])", r"_\1", name).lower(), value)
    native.slots = [_slot(slot, token) for slot, token in zip(config["slots"], config["tokens"], strict=True)]
    return native


def _slot(slot: Mapping[str, str], token: str) -> AmongThemSlot:
    native = AmongThemSlot()
    native.name = slot.get("name", "")
    native.token = token
    native.role = ROLES[slot["role"]] if "role" in slot else -1
    native.colour = COLOURS[slot["color"]] if "color" in slot else -1
    return native


@lru_cache(maxsize=8)
def native_map(game_map: GameMap) -> AmongThemMap:
    """Return the native form of a map. Games on the same map share it."""
    groups = sorted({vent.group for vent in game_map.vents})
    return among_them_map(
        walk=game_map.walk,
        wall=game_map.wall,
        button=_rect(game_map.button),
        home=game_map.home,
        tasks=[_rect(task) for task in game_map.tasks],
        vents=[(*_rect(vent), groups.index(vent.group), vent.index) for vent in game_map.vents],
    )


def _rect(place: Place | Vent) -> tuple[int, int, int, int]:
    return place.x, place.y, place.w, place.h
