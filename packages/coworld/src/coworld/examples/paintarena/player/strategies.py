"""Strategies of the Paint Arena player: pure functions of one observation."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from coworld.examples.paintarena.rules import EMPTY, MOVES, sweep_move

__all__ = ["STRATEGIES", "Observation", "sweep"]

Observation = Mapping[str, Any]
"""a state message: `slot`, `tick`, `width`, `height`, `positions`, `tile_owners`"""


def sweep(state: Observation) -> str:
    """Paint the board row by row."""
    x, y = state["positions"][state["slot"]]
    return sweep_move(state["slot"], x, y, state["width"], state["height"])


def columns(state: Observation) -> str:
    """Paint the board column by column."""
    x, y = state["positions"][state["slot"]]
    move = sweep_move(state["slot"], y, x, state["height"], state["width"])
    return {"right": "down", "left": "up", "down": "right", "up": "left"}[move]


def nearest(state: Observation) -> str:
    """Go to the nearest unpainted tile; when none is left, to the nearest tile of an opponent."""
    return _towards(state, _owned(state, EMPTY) or _opponents(state))


def hunter(state: Observation) -> str:
    """Go to the nearest tile of an opponent; without any, to the nearest unpainted tile."""
    return _towards(state, _opponents(state) or _owned(state, EMPTY))


def wander(state: Observation) -> str:
    """Make a random move. The same tick of the same slot has the same move."""
    return random.Random(f"{state['slot']}/{state['tick']}").choice(list(MOVES))


STRATEGIES: Mapping[str, Callable[[Observation], str]] = {
    "sweep": sweep,
    "columns": columns,
    "nearest": nearest,
    "hunter": hunter,
    "wander": wander,
}


def _owned(state: Observation, owner: int) -> list[int]:
    return [tile for tile, owned_by in enumerate(state["tile_owners"]) if owned_by == owner]


def _opponents(state: Observation) -> list[int]:
    return [tile for tile, owner in enumerate(state["tile_owners"]) if owner not in (EMPTY, state["slot"])]


def _towards(state: Observation, tiles: Sequence[int]) -> str:
    """Return the first move to the nearest of these tiles, along its row first."""
    x, y = state["positions"][state["slot"]]
    width = state["width"]
    ways = [(tile % width - x, tile // width - y) for tile in tiles]
    ways = [way for way in ways if way != (0, 0)]
    if not ways:
        return "stay"
    across, down = min(ways, key=lambda way: abs(way[0]) + abs(way[1]))
    if across:
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"
