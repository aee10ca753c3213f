"""The games that are measured, and what both engines do with them: actions, arrays, a digest of the end.

Runs in the processes of both engines, so it uses nothing that only one of them has.
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator.simulator import Buffers, Simulation

FIRST_SEED = 101
ACTION_SEED = 8
TYPES = {"observations": np.uint8, "terminals": bool, "truncations": bool, "rewards": np.float32, "masks": bool} | {
    name: np.int32 for name in ("actions", "teacher_actions", "vibe_actions")
}


def load(oracle: Path, name: str) -> MettaGridConfig:
    """`arena`, the recorded mission (8 agents on 60x60), or `four_score`: four of it side by side (32 on 120x120)."""
    sys.path.insert(0, str(oracle))
    import trace_episode

    raw = trace_episode.read_json(oracle / "missions" / "arena_8_1.json.gz")
    game = raw["game"]
    if name == "four_score":
        game["num_agents"] *= 4
        game["agents"] *= 4
        rows = game["map_builder"]["map_data"]
        game["map_builder"]["map_data"] = [row + row for row in rows * 2]
    elif name != "arena":
        raise ValueError(f"no game {name!r} to measure")
    return trace_episode.load_config(raw)


def map_rows(config: MettaGridConfig) -> np.ndarray:
    return config.game.map_builder.create().build_for_num_agents(config.game.num_agents).grid


def new_arrays(config: MettaGridConfig, worlds: int) -> dict[str, np.ndarray]:
    """One set of arrays for the agents of all worlds."""
    agents = worlds * config.game.num_agents
    arrays = {name: np.zeros(agents, kind) for name, kind in TYPES.items()}
    return arrays | {"observations": np.full((agents, config.game.obs.num_tokens, 3), 255, np.uint8)}


def simulations(config: MettaGridConfig, arrays: dict[str, np.ndarray]) -> list[Simulation]:
    """A simulation for each slice of the arrays, with seeds one after the other."""
    agents = config.game.num_agents
    starts = range(0, len(arrays["actions"]), agents)
    slices = [{name: array[at : at + agents] for name, array in arrays.items()} for at in starts]
    return [Simulation(config, seed=FIRST_SEED + i, buffers=Buffers(**part)) for i, part in enumerate(slices)]


class Actions:
    """The same random actions on both sides: primary actions and changes of vibe, row by row."""

    def __init__(self, names: list[str], agents: int) -> None:
        self._agents = agents
        self._primary = [i for i, name in enumerate(names) if not name.startswith("change_vibe_")]
        self._vibes = [0, *(i for i, name in enumerate(names) if name.startswith("change_vibe_"))]
        self._rng = np.random.default_rng(ACTION_SEED)

    def rows(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """(actions, vibe actions) of the next steps, int32 [steps, agents]."""
        shape = (steps, self._agents)
        return tuple(self._rng.choice(ids, shape).astype(np.int32) for ids in (self._primary, self._vibes))  # type: ignore[return-value]


def digest(observations: np.ndarray, episode_rewards: list[Any]) -> str:
    """What agents see and have earned; the order of tokens inside one cell is nobody's promise."""
    tokens = observations.astype(np.uint32)
    numbers = np.sort(tokens[:, :, 0] << 16 | tokens[:, :, 1] << 8 | tokens[:, :, 2], axis=1)
    seen = hashlib.sha256(numbers.tobytes())
    seen.update(np.concatenate(episode_rewards).astype(np.float32).round(3).tobytes())
    return seen.hexdigest()[:16]
