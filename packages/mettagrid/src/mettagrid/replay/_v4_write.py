"""Write the published document, version 4: every field of an object is a constant or a list of changes.

Keys, their order and their values are those of the published writer, with its quirks: index 0 is the state after the
first step, walls are written once as they are then, fields that are always 0 are included, the list of types is padded
with empty names. Where that writer fails (objects that appear later, infos that come and go), the format's own rules
apply.
"""

from __future__ import annotations

import json
import math
from typing import Any

from mettagrid.replay._model import Replay
from mettagrid.replay._v4_objects import ObjectWriter

VERSION = 4


def v4_parts(replay: Replay) -> list[bytes]:
    """Return the document as JSON, in pieces. NaN and infinity become null."""
    head = dumps(_head(replay))[:-1] + ',"mg_config":'
    interface = f',"policy_env_interface":{dumps(replay.policy_env_interface)},"objects":['
    infos = f'],"infos":{dumps(_infos(replay))}}}'
    rest = b"".join([interface.encode(), _objects(replay), infos.encode()])
    parts = [head.encode(), *replay.config_parts, rest]
    more = replay.extra.get("document")
    return [dumps(json.loads(b"".join(parts)) | more).encode()] if more else parts


def v4_document(replay: Replay) -> dict[str, Any]:
    """Return the document as plain data."""
    document: dict[str, Any] = json.loads(b"".join(v4_parts(replay)))
    return document


def dumps(value: Any) -> str:
    """Return compact JSON; NaN and infinity become null."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), separators=(",", ":"))


def _head(replay: Replay) -> dict[str, Any]:
    fill = max(0, replay.cell_count - len(replay.type_names))
    return {
        "version": VERSION,
        "action_names": replay.action_names,
        "animation_names": replay.animation_names,
        "item_names": replay.resource_names,
        "type_names": [*replay.type_names, *[""] * fill],
        "capacity_names": [capacity.name for capacity in replay.capacities],
        "tags": {name: number for number, name in enumerate(replay.tag_names)},
        "map_size": list(replay.map_size),
        "num_agents": replay.num_agents,
        "max_steps": replay.steps,
    }


def _objects(replay: Replay) -> bytes:
    """Return the objects in order of first appearance, as JSON joined by commas."""
    if replay.steps < 1:
        return b""
    numbers, ends, text = ObjectWriter(replay).text()
    more: dict[str, dict[str, Any]] = replay.extra.get("objects", {})
    if not more:
        return text
    begins = [0, *(end + 1 for end in ends)]
    texts = [text[begin:end] for begin, end in zip(begins, ends, strict=False)]
    for position, number in enumerate(numbers):
        if str(number) in more:
            texts[position] = dumps(json.loads(texts[position]) | more[str(number)]).encode()
    return b",".join(texts)


def _infos(replay: Replay) -> dict[str, Any]:
    """Return the game stats, the means of the agents' stats, the episode's attributes, and the sums of rewards."""
    sums: dict[str, float] = {}
    for stats in replay.stats["agent"]:
        for name in sorted(stats):
            sums[name] = sums.get(name, 0.0) + stats[name]
    return {
        "game": dict(sorted(replay.stats["game"].items())),
        "agent": {name: total / max(1, replay.num_agents) for name, total in sums.items()},
        "attributes": {
            "seed": replay.seed,
            "map_w": replay.map_size[0],
            "map_h": replay.map_size[1],
            "steps": replay.steps,
            "max_steps": replay.max_steps,
        },
        "episode_rewards": replay.episode_rewards,
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
