"""Digests of random games, as an engine plays them: the same under the published engine and under ours.

usage: PYTHON tests/compat/digests.py COUNT > digests.json     PYTHON has the engine; COUNT is the number of games

`tests/conformance/published_digests.json` holds the digests of the published engine, so that a machine without it (and
without its recorded episodes) can still prove that ours plays the same games. Games that the engine cannot play are
left out. The tokens of a cell count as a set.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def digest(config: dict[str, Any], meta: dict[str, Any]) -> str:
    """Play a game of the generator and hash all that a policy, a trainer or a viewer could see of it."""
    from mettagrid.simulator.simulator import Buffers, Simulation

    game = _config(config)
    agents, tokens = game.game.num_agents, game.game.obs.num_tokens
    buffers = Buffers(
        observations=np.full((agents, tokens, 3), 255, np.uint8),
        terminals=np.zeros(agents, bool),
        truncations=np.zeros(agents, bool),
        rewards=np.zeros(agents, np.float32),
        masks=np.ones(agents, bool),
        actions=np.zeros(agents, np.int32),
        teacher_actions=np.zeros(agents, np.int32),
        vibe_actions=np.zeros(agents, np.int32),
    )
    simulation = Simulation(game, seed=meta["seed"], buffers=buffers)
    names = simulation.action_names
    moves = [number for number, name in enumerate(names) if not name.startswith("change_vibe_")]
    vibes = [0, *(number for number, name in enumerate(names) if name.startswith("change_vibe_"))]
    random = np.random.default_rng(meta["action_seed"])
    seen = hashlib.sha256()
    ids = game.game.id_map()
    _add(seen, [names, [[feature.id, feature.name] for feature in ids.features()], list(ids.tag_names())])
    _add_observations(seen, buffers.observations)
    for _ in range(meta["steps"]):
        buffers.actions[:] = random.choice(moves, size=agents)
        buffers.vibe_actions[:] = random.choice(vibes, size=agents)
        simulation.step()
        _add_observations(seen, buffers.observations)
        for array in (buffers.rewards, buffers.terminals, buffers.truncations):
            seen.update(array.tobytes())
        _add(seen, [bool(simulation.agent(number).last_action_success) for number in range(agents)])
    _add(seen, simulation.episode_stats)
    _add(seen, _objects(simulation))
    return seen.hexdigest()


def _config(document: dict[str, Any]) -> Any:
    """Read a configuration; minimum and maximum have the same JSON form as a sum, so `$type` names them."""
    from mettagrid.config import game_value
    from mettagrid.config.handler_config import Handler
    from mettagrid.config.mettagrid_config import MettaGridConfig

    def typed(node: Any) -> Any:
        if isinstance(node, list):
            return [typed(child) for child in node]
        if not isinstance(node, dict):
            return node
        fields = {key: typed(child) for key, child in node.items() if key != "$type"}
        return getattr(game_value, node["$type"])(**fields) if "$type" in node else fields

    document = typed(document)
    move = document["game"].get("actions", {}).get("move", {})
    if move.get("handlers"):  # an untyped field: dictionaries would stay dictionaries
        move["handlers"] = [Handler.model_validate(handler) for handler in move["handlers"]]
    return MettaGridConfig.model_validate(document)


def _add(seen: Any, value: Any) -> None:
    seen.update(json.dumps(value, sort_keys=True).encode())


def _add_observations(seen: Any, observations: np.ndarray) -> None:
    """Add each agent's tokens: cells in their order, the tokens of a cell sorted."""
    for rows in observations:
        used = rows[rows[:, 0] != 255].astype(np.uint32)
        _, first, cell = np.unique(used[:, 0], return_index=True, return_inverse=True)
        order = np.lexsort((used[:, 2], used[:, 1], first[cell]))
        seen.update(used[order].astype(np.uint8).tobytes() + b"|")


def _objects(simulation: Any) -> list[list[Any]]:
    return [
        [
            number,
            thing["type_name"],
            thing["r"],
            thing["c"],
            sorted(thing["tag_ids"]),
            {str(item): amount for item, amount in thing["inventory"].items() if amount},
            int(thing["vibe"]) if "agent_id" in thing else 0,
        ]
        for number, thing in sorted(simulation.grid_objects(ignore_types=["wall"]).items())
    ]


def _isolated(seed: int) -> str | None:
    """Return the digest of a game, played in a process of its own: some games crash the published engine."""
    from tests.compat.generator import random_case

    case = random_case(seed)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, digest(case.config, case.meta).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text or None


def main(count: int) -> None:
    sys.path.insert(0, str(ROOT))
    os.environ.pop("METTAGRID_OBS_THREADS", None)  # the published stat `cell.visited` depends on it
    digests = {str(seed): _isolated(seed) for seed in range(count)}
    print(json.dumps({seed: text for seed, text in digests.items() if text is not None}, indent=0))


if __name__ == "__main__":
    main(int(sys.argv[1]))
