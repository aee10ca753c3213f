"""Environments with the interfaces of reinforcement learning libraries.

| class | interface |
|---|---|
| `MettaGridPettingZooEnv`, `aec_env` | PettingZoo, parallel and agent by agent |
| `MettaGridGymEnv` | Gymnasium, one agent |
| `MettaGridVectorEnv` | Gymnasium, every agent of many worlds |
| `MettaGridPufferEnv` | PufferLib's, one world |
| `MettaGridPufferVectorEnv` | PufferLib's, many worlds |

They need `pip install mettagrid[envs]` and are imported on first use; handlers such as `StatsTracker` need no extra.
The returned arrays are the engine's own memory: copy an observation to keep it beyond the next step.
"""

import importlib
from typing import Any

_HOMES = {
    "EarlyResetHandler": "early_reset_handler",
    "GridObsWrapper": "grid_obs_wrapper",
    "MettaGridGymEnv": "gym_env",
    "MettaGridPettingZooEnv": "pettingzoo_env",
    "MettaGridPufferEnv": "mettagrid_puffer_env",
    "MettaGridPufferVectorEnv": "puffer_vector_env",
    "MettaGridVectorEnv": "vector_env",
    "StatsTracker": "stats_tracker",
    "aec_env": "pettingzoo_env",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mettagrid.envs' has no attribute {name!r}")
    return getattr(importlib.import_module(f"mettagrid.envs.{_HOMES[name]}"), name)
