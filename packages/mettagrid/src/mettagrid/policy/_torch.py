"""Helpers of policies with networks; importing this imports PyTorch."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mettagrid.envs._optional import extra
from mettagrid.policy.weights_file import read_weights
from mettagrid.simulator.interface import AgentObservation

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["initialized", "load_weights", "not_compiled", "sampled_action", "save_weights", "token_rows"]


def not_compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Exclude a function from `torch.compile`, which cannot look into native code.

    `torch.compiler.disable` does the same, but imports the compiler, which takes more than a second.
    """

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        if "torch._dynamo" not in sys.modules:  # so nothing is being compiled
            return function(*args)
        return torch.compiler.disable(function)(*args)

    return call


def initialized(layer: nn.Linear, gain: float = 2.0**0.5) -> nn.Linear:
    """Initialize a layer with orthogonal weights and zero bias, and return it."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def token_rows(obs: AgentObservation, obs_shape: tuple[int, ...], padding: tuple[int, int, int]) -> np.ndarray:
    """Return the tokens of an observation as uint8 `obs_shape`, padded with `padding`, without those that do not fit.

    The last axis of `obs_shape` is the 3 bytes of a token.
    """
    num_tokens = math.prod(obs_shape[:-1])
    rows = np.empty((num_tokens, 3), np.uint8)
    tokens = obs.token_array()[:num_tokens]
    rows[: len(tokens)] = tokens
    rows[len(tokens) :] = padding
    return rows.reshape(obs_shape)


def sampled_action(logits: torch.Tensor) -> int:
    """Sample an action from the logits [1, actions] with torch's global generator."""
    return int(torch.distributions.Categorical(logits=logits).sample().item())


def load_weights(network: nn.Module, path: str, device: torch.device) -> None:
    """Read the weights of a network from its state dict, in the format of PyTorch or as `.safetensors`.

    Raises `RuntimeError` if they do not fit.
    """
    if path.endswith(".safetensors"):
        weights = {name: torch.from_numpy(array) for name, array in read_weights(path).items()}
    else:
        weights = torch.load(path, map_location=device, weights_only=True)
    network.load_state_dict(weights)
    network.to(device)


def save_weights(network: nn.Module, path: str) -> None:
    torch.save(network.state_dict(), path)
