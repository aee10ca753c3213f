"""Remove the seeds from replays."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from mettagrid.replay._model import Replay

__all__ = ["without_seeds"]


def without_seeds(replay: Replay) -> Replay:
    """Return the same episode without its seed and the seed of its map, which the config holds."""
    return replace(replay, seed=None, config_parts=tuple(_without_map_seed(replay.config_parts)))


def _without_map_seed(parts: tuple[bytes, ...]) -> list[bytes]:
    if len(parts) == 3:  # as recorded: the map builder is a separate piece
        before, builder, after = parts
        return [before, _dumps(_seedless(json.loads(builder))), after]
    config = json.loads(b"".join(parts))
    game = config.get("game") if isinstance(config, dict) else None
    if not isinstance(game, dict) or "map_builder" not in game:
        return list(parts)
    return [_dumps({**config, "game": {**game, "map_builder": _seedless(game["map_builder"])}})]


def _seedless(builder: Any) -> Any:
    return {**builder, "seed": None} if isinstance(builder, dict) and "seed" in builder else builder


def _dumps(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
