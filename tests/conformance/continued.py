"""Digests of everything visible in each step of an episode that continues from a snapshot."""

import hashlib
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mettagrid.compiler.errors import ConfigWarning
from mettagrid.mettagrid_c import MettaGrid


def go_on(engine: MettaGrid, actions: np.ndarray, vibe_actions: np.ndarray) -> list[tuple[int, str]]:
    """(state hash, digest of observations, rewards, flags and stats) after each step."""
    seen = []
    for primary, vibes in zip(actions, vibe_actions, strict=True):
        engine.actions()[:] = primary
        engine.vibe_actions()[:] = vibes
        engine.step()
        seen.append(look(engine))
    return seen


def look(engine: MettaGrid) -> tuple[int, str]:
    digest = hashlib.sha256(json.dumps(engine.get_episode_stats()).encode())
    for array in (engine.observations(), engine.rewards(), engine.terminals(), engine.truncations()):
        digest.update(array.tobytes())
    digest.update(bytes(engine.action_success()))
    return engine.state_hash(), digest.hexdigest()


def go_on_elsewhere(
    config: dict[str, Any], oracle: Path, snapshot: bytes, actions: np.ndarray, vibe_actions: np.ndarray
) -> list[tuple[int, str]]:
    """Return the same in a process that has never seen the world: only the config as JSON and the snapshot."""
    import sys

    sys.path.insert(0, str(oracle))
    import trace_episode

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)
        engine = MettaGrid.from_snapshot(trace_episode.load_config(config), snapshot)
    return [look(engine), *go_on(engine, actions, vibe_actions)]
