"""The first layer of networks that read all bytes of an observation; importing this imports PyTorch."""

from __future__ import annotations

from math import prod

from mettagrid.envs._optional import extra
from mettagrid.simulator.interface import EMPTY_LOCATION

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["FirstLayer"]


class FirstLayer:
    """Applies a linear layer to observations [..., tokens, 3]; all dimensions before the tokens are the batch.

    `shape` is that of a whole observation. One with fewer tokens is taken as padded: its unused tokens, and those it
    lacks, are `padding`. The ones it lacks are one constant for all observations, so their columns cost nothing.
    """

    def __init__(self, shape: tuple[int, ...], padding: tuple[int, int, int]) -> None:
        self._shape = shape
        self._padding = padding

    def __call__(self, layer: nn.Module, observations: torch.Tensor, *, takes_fractions: bool = False) -> torch.Tensor:
        """Return `layer` of the bytes divided by 255, [batch, outputs].

        With `takes_fractions`, observations without a number above 1 are not divided.
        """
        assert isinstance(layer, nn.Linear)
        if len(self._shape) == 2 and observations.shape[-2] < self._shape[0]:
            return self._of_prefix(layer, observations)
        numbers = observations.reshape(-1, prod(self._shape)).float()
        scale: torch.Tensor | float = 1.0 / 255.0
        if takes_fractions and numbers.numel():
            scale = torch.where(numbers.max() > 1.0, scale, 1.0)  # a branch would wait for the device
        return nn.functional.linear(numbers, layer.weight) * scale + layer.bias

    def _of_prefix(self, layer: nn.Linear, observations: torch.Tensor) -> torch.Tensor:
        unused = observations[..., 0] == EMPTY_LOCATION
        tokens = observations.to(torch.uint8, copy=True)
        for byte, value in enumerate(self._padding):  # much faster than all three at once
            tokens[..., byte].masked_fill_(unused, value)
        numbers = tokens.reshape(-1, prod(observations.shape[-2:])).float()
        seen = numbers.shape[1]
        padding = torch.tensor(self._padding, dtype=layer.weight.dtype, device=observations.device)
        absent = padding.repeat((layer.in_features - seen) // len(padding))
        constant = layer.weight[:, seen:] @ absent
        return (nn.functional.linear(numbers, layer.weight[:, :seen]) + constant) / 255.0 + layer.bias
