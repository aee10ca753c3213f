"""Linear layers of networks, in native code where that is faster; importing this imports PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

from mettagrid.envs._optional import extra
from mettagrid.policy import _cpu_kernels
from mettagrid.policy._torch import not_compiled

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["joined_heads", "linear"]


def linear(layer: nn.Linear, inputs: torch.Tensor, *, relu: bool = False) -> torch.Tensor:
    """Return the outputs of a layer for inputs [batch, features], with or without ReLU."""
    if _is_native(inputs, layer.weight):
        return _on_cpu(inputs, layer.weight, layer.bias, relu, False)
    outputs: torch.Tensor = layer(inputs)
    return outputs.relu() if relu else outputs


def joined_heads(heads: Mapping[str, nn.Linear], inputs: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return the outputs of each head for inputs [batch, features]; on the CPU as one product instead of many."""
    if not _is_native(inputs, *(head.weight for head in heads.values())):
        return {name: head(inputs) for name, head in heads.items()}
    weight = torch.cat([head.weight for head in heads.values()])
    bias = torch.cat([head.bias for head in heads.values()])
    outputs = _on_cpu(inputs, weight, bias, False, True)
    return dict(zip(heads, outputs.split([head.out_features for head in heads.values()], 1), strict=True))


def _is_native(*tensors: torch.Tensor) -> bool:
    """Return whether the native layers can be used with these."""
    return not torch.is_autocast_enabled("cpu") and all(
        not tensor.is_cuda and tensor.dtype == torch.float32 for tensor in tensors
    )


@not_compiled
def _on_cpu(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, relu: bool, exact: bool) -> torch.Tensor:
    return _cpu_kernels.linear(inputs, weight, bias, relu=relu, exact=exact)
