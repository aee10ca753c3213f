"""Layers of networks in native code, with gradients, for float32 on the CPU; importing this imports PyTorch.

They run on as many threads as PyTorch. Results do not depend on that number.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from mettagrid import _native
from mettagrid.envs._optional import extra

with extra("neural"):
    import torch

__all__ = ["LSTM_SIZES", "lstm_steps", "sum_tokens"]

LSTM_SIZES = 16
"""the size of an LSTM must be a multiple of this"""


def sum_tokens(
    tables: Any, observations: torch.Tensor, places: torch.Tensor, kinds: torch.Tensor, magnitudes: torch.Tensor
) -> torch.Tensor:
    """Return the sums over the used tokens, float32 [batch, d]; differentiable in the three embeddings.

    `tables` is a `_native.TokenTables`, `observations` uint8 [batch, tokens, 3]. The embeddings are float32 [..., d],
    without rows for no place and the unknown kind.
    """
    if observations.numel() and observations.stride()[1:] != (3, 1):
        observations = observations.contiguous()
    embeddings = [table.contiguous() for table in (places, kinds, magnitudes)]
    if torch.is_grad_enabled():
        sums: torch.Tensor = _SumTokens.apply(tables, observations, *embeddings)
        return sums
    return _sum_tokens(tables, observations, *embeddings)


def lstm_steps(
    inputs: torch.Tensor,
    weights: tuple[torch.Tensor, torch.Tensor],
    bias: torch.Tensor,
    hidden: torch.Tensor,
    cell: torch.Tensor,
    resets: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outputs of all steps [segments, steps, size] and the last cell [segments, size].

    `inputs` is [segments, steps, features]. `weights` are those of `torch.nn.LSTM` from the inputs and from the hidden
    state, `bias` is the sum of its two. `hidden` and `cell`, [segments, size], are the memory before, and `resets`,
    bool [segments, steps], zeroes it before a step. All but `resets` may be differentiated.
    """
    given = [tensor.contiguous() for tensor in (inputs, *weights, bias, hidden, cell)]
    flags = None if resets is None else resets.contiguous()
    if torch.is_grad_enabled():
        outputs, last_cell = _Lstm.apply(*given, flags)
        return outputs, last_cell
    outputs, cells, _ = _run_lstm(*given, flags, keep_gates=False)
    return outputs, cells[:, -1]


class _SumTokens(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tables: Any, observations: torch.Tensor, *embeddings: torch.Tensor) -> torch.Tensor:
        ctx.tables = tables
        ctx.save_for_backward(observations, *embeddings)
        return _sum_tokens(tables, observations, *embeddings)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        observations, *embeddings = ctx.saved_tensors
        gradients = [torch.zeros_like(table) for table in embeddings]
        places, kinds, _ = embeddings
        arrays = map(_array, (observations, places, kinds, gradient.contiguous(), *gradients))
        _kernels().sum_tokens_back(ctx.tables, *arrays)
        return None, None, *gradients


class _Lstm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *given: Any) -> Any:
        outputs, cells, gates = _run_lstm(*given, keep_gates=True)
        ctx.save_for_backward(*given, outputs, cells, gates)
        ctx.set_materialize_grads(False)
        return outputs, cells[:, -1].clone()

    @staticmethod
    def backward(ctx: Any, of_outputs: torch.Tensor | None, of_last_cell: torch.Tensor | None) -> Any:
        inputs, input_weight, hidden_weight, bias, hidden, cell, resets, outputs, cells, gates = ctx.saved_tensors
        of_outputs = torch.zeros_like(outputs) if of_outputs is None else of_outputs.contiguous()
        of_last_cell = None if of_last_cell is None else of_last_cell.contiguous()
        leaves = (inputs, input_weight, hidden_weight, bias, hidden, cell)
        gradients = [torch.empty_like(leaf) for leaf in leaves]
        given = (inputs, input_weight, hidden_weight, hidden, cell, resets, gates, outputs, cells)
        _kernels().run_lstm_back(*map(_array, (*given, of_outputs, of_last_cell, *gradients)))
        return *gradients, None


def _sum_tokens(tables: Any, observations: torch.Tensor, *embeddings: torch.Tensor) -> torch.Tensor:
    sums = embeddings[0].new_empty(len(observations), embeddings[0].shape[1])
    _kernels().sum_tokens(tables, *map(_array, (observations, *embeddings, sums)))
    return sums


def _run_lstm(
    inputs: torch.Tensor,
    input_weight: torch.Tensor,
    hidden_weight: torch.Tensor,
    *others: torch.Tensor | None,
    keep_gates: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Return outputs and cells [segments, steps, size], and the activated gates [segments, steps, 4 * size] or None."""
    gates_size, size = hidden_weight.shape
    outputs, cells = (inputs.new_empty(*inputs.shape[:2], size) for _ in range(2))
    gates = inputs.new_empty(*inputs.shape[:2], gates_size) if keep_gates else None
    _kernels().run_lstm(*map(_array, (inputs, input_weight, hidden_weight, *others, outputs, cells, gates)))
    return outputs, cells, gates


def _array(tensor: torch.Tensor | None) -> np.ndarray | None:
    """Return the memory of a tensor."""
    return None if tensor is None else tensor.detach().numpy()


def _kernels() -> Any:
    return _kernels_of(os.getpid(), torch.get_num_threads())  # threads do not survive a fork


@functools.lru_cache(maxsize=1)
def _kernels_of(process: int, threads: int) -> Any:
    return _native.NetworkKernels(threads)
