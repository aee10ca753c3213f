"""Environments with the interfaces of reinforcement learning libraries.

| class | interface |
|---|---|
| `BitWorldGymEnv` | Gymnasium, one player alone |
| `BitWorldParallelEnv` | PettingZoo, all players of a game |
| `BitWorldVectorEnv` | Gymnasium, every player of many games, on native batches where a game has one |

They need `pip install bitworld[envs]` and are imported on first use. An observation is uint8 [stack, 128, 128], the
newest picture last, with colours 0 to 15; an action is one of the 27 of `ACTION_MASKS`; a reward is what the action
added to the player's cumulative reward.
"""

import importlib
from typing import Any

from bitworld.envs.actions import ACTION_MASKS

_HOMES = {
    "BitWorldGymEnv": "gym_env",
    "BitWorldParallelEnv": "pettingzoo_env",
    "BitWorldVectorEnv": "vector_env",
}

__all__ = ["ACTION_MASKS", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bitworld.envs' has no attribute {name!r}")
    return getattr(importlib.import_module(f"bitworld.envs.{_HOMES[name]}"), name)
