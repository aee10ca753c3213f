"""The benchmark games, and what all measurements share: worlds, actions, a digest of the state.

Works under both engines; only `new_batch` needs ours.
"""

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator.simulator import Buffers, Simulation

FILES = {
    "arena": "missions/arena_8_1.json.gz",
    "machina_1": "game/machina_1_8_328.json.gz",
    "four_score": "missions/arena_8_1.json.gz",
}
FIRST_SEED = 101
ACTION_SEED = 8


def load(oracle: Path, game: str) -> MettaGridConfig:
    """`arena` or `machina_1`, recorded missions of 8 agents, or `four_score`: four arenas as one map."""
    sys.path.insert(0, str(oracle))
    import trace_episode  # type: ignore[import-not-found]

    if game not in FILES:
        raise ValueError(f"no game {game!r} to measure")
    raw = trace_episode.read_json(oracle / FILES[game])
    if game == "four_score":
        raw["game"]["num_agents"] *= 4
        raw["game"]["agents"] *= 4
        map_builder = raw["game"]["map_builder"]
        map_builder["map_data"] = [row + row for row in map_builder["map_data"] * 2]
    return trace_episode.load_config(raw)


def map_rows(config: MettaGridConfig) -> np.ndarray:
    return config.game.map_builder.create().build_for_num_agents(config.game.num_agents).grid


def new_arrays(config: MettaGridConfig, worlds: int) -> dict[str, np.ndarray]:
    """One set of arrays for the agents of all worlds."""
    agents = worlds * config.game.num_agents
    flags = {name: np.zeros(agents, bool) for name in ("terminals", "truncations", "masks")}
    numbers = {name: np.zeros(agents, np.int32) for name in ("actions", "vibe_actions", "teacher_actions")}
    observations = np.full((agents, config.game.obs.num_tokens, 3), 255, np.uint8)
    return {**flags, **numbers, "observations": observations, "rewards": np.zeros(agents, np.float32)}


def simulations(config: MettaGridConfig, arrays: dict[str, np.ndarray]) -> list[Simulation]:
    """A simulation for each slice of the arrays, with seeds one after the other."""
    agents = config.game.num_agents
    parts = [slice(start, start + agents) for start in range(0, len(arrays["actions"]), agents)]
    return [
        Simulation(config, seed=seed, buffers=Buffers(**{name: array[part] for name, array in arrays.items()}))
        for seed, part in enumerate(parts, FIRST_SEED)
    ]


def new_batch(config: MettaGridConfig, worlds: int, **options: Any) -> Any:
    """The same worlds as a batch, made from one program and one map; ours only."""
    from mettagrid.batch import Batch
    from mettagrid.compiler import compile

    program = compile(config)
    start = program.map(map_rows(config))
    return Batch([program.world(start, FIRST_SEED + i) for i in range(worlds)], **options)


class Actions:
    """Random actions, the same on both sides: primary ones and changes of vibe."""

    def __init__(self, names: list[str], agents: int) -> None:
        self._agents = agents
        self._primary = [i for i, name in enumerate(names) if not name.startswith("change_vibe_")]
        self._vibes = [0, *(i for i, name in enumerate(names) if name.startswith("change_vibe_"))]
        self._rng = np.random.default_rng(ACTION_SEED)

    def rows(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (actions, vibe actions) of the next steps, int32 [steps, agents]."""
        primary = self._rng.choice(self._primary, (steps, self._agents))
        vibes = self._rng.choice(self._vibes, (steps, self._agents))
        return primary.astype(np.int32), vibes.astype(np.int32)


def digest(observations: np.ndarray, worlds: Iterable[Any]) -> str:
    """Return a digest of observations and rewards. Tokens are sorted: their order inside a cell is not specified."""
    tokens = observations.astype(np.uint32)
    numbers = np.sort(tokens[:, :, 0] << 16 | tokens[:, :, 1] << 8 | tokens[:, :, 2], axis=1)
    state = hashlib.sha256(numbers.tobytes())
    for world in worlds:
        state.update(np.asarray(world.get_episode_rewards(), np.float32).round(3).tobytes())
    return state.hexdigest()[:16]
