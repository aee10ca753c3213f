"""The first layer of networks that read all bytes of an observation; importing this imports PyTorch."""

from __future__ import annotations

from math import prod

from mettagrid.envs._optional import extra
from mettagrid.policy import _cpu_kernels
from mettagrid.policy._torch import not_compiled
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
        if self.is_prefix(observations):
            return self._of_prefix(layer, observations)
        numbers = observations.reshape(-1, prod(self._shape)).float()
        scale: torch.Tensor | float = 1.0 / 255.0
        if takes_fractions and numbers.numel():
            scale = torch.where(numbers.max() > 1.0, scale, 1.0)  # a branch would wait for the device
        return nn.functional.linear(numbers, layer.weight) * scale + layer.bias

    @property
    def takes_tokens(self) -> bool:
        """Whether observations are lists of tokens."""
        return len(self._shape) == 2

    def is_prefix(self, observations: torch.Tensor) -> bool:
        """Return whether observations have fewer tokens than the game has."""
        return self.takes_tokens and observations.shape[-2] < self._shape[0]

    def _of_prefix(self, layer: nn.Linear, observations: torch.Tensor) -> torch.Tensor:
        seen = prod(observations.shape[-2:])
        weight, padding = (
            layer.weight,
            torch.tensor(self._padding, dtype=layer.weight.dtype, device=layer.weight.device),
        )
        constant = weight[:, seen:] @ padding.repeat((layer.in_features - seen) // len(padding))
        return (self._product(weight[:, :seen], observations) + constant) / 255.0 + layer.bias

    def _product(self, weight: torch.Tensor, observations: torch.Tensor) -> torch.Tensor:
        """Return the product of the transposed weight and the bytes, with `padding` for those of unused tokens."""
        tokens = observations.flatten(0, -3).to(torch.uint8)
        if not tokens.is_cuda and weight.dtype == torch.float32 and len(weight) % _cpu_kernels.LANES == 0:
            return _on_cpu(tokens, self._padding, weight)
        unused = tokens[..., 0] == EMPTY_LOCATION
        tokens = tokens.clone()
        for byte, value in enumerate(self._padding):  # much faster than all three at once
            tokens[..., byte].masked_fill_(unused, value)
        return nn.functional.linear(tokens.flatten(1).float(), weight)


@not_compiled
def _on_cpu(tokens: torch.Tensor, padding: tuple[int, int, int], weight: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", enabled=False):
        return _cpu_kernels.sum_bytes(tokens, padding, weight)
