"""Layers of networks in native code, with gradients, for float32 on the CPU; importing this imports PyTorch.

They run on as many threads as PyTorch, or as `kernel_threads` says. Results do not depend on that number.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from mettagrid import _native
from mettagrid.envs._optional import extra

with extra("neural"):
    import torch
    from torch import nn

__all__ = [
    "LANES",
    "PlayingCopy",
    "draw",
    "from_bytes",
    "from_tokens",
    "kernel_threads",
    "lstm_steps",
    "sum_bytes",
    "sum_tokens",
]

LANES = 16
"""the size of an LSTM and the outputs of `sum_bytes` must be multiples of this"""


_threads: int | None = None  # of the kernels; None: as many as PyTorch


@contextmanager
def kernel_threads(threads: int) -> Iterator[None]:
    """Run the kernels on this many threads, and PyTorch on one.

    For networks whose large layers are kernels: sharing the small operations around them costs more than it gains.
    """
    global _threads
    before, of_torch = _threads, torch.get_num_threads()
    _threads = threads
    torch.set_num_threads(1)
    try:
        yield
    finally:
        _threads = before
        torch.set_num_threads(of_torch)


def sum_tokens(
    tables: Any, observations: torch.Tensor, places: torch.Tensor, kinds: torch.Tensor, magnitudes: torch.Tensor
) -> torch.Tensor:
    """Return the sums over the used tokens, float32 [batch, d]; differentiable in the three embeddings.

    `tables` is a `_native.TokenTables`, `observations` uint8 [batch, tokens, 3]. The embeddings are float32 [..., d],
    without rows for no place and the unknown kind.
    """
    observations = _with_contiguous_tokens(observations)
    embeddings = [table.contiguous() for table in (places, kinds, magnitudes)]
    if torch.is_grad_enabled():
        sums: torch.Tensor = _SumTokens.apply(tables, observations, *embeddings)
        return sums
    return _sum_tokens(tables, observations, *embeddings)


def sum_bytes(observations: torch.Tensor, padding: tuple[int, int, int], weight: torch.Tensor) -> torch.Tensor:
    """Return the product of observations uint8 [batch, tokens, 3] and the transposed weight [outputs, 3 * tokens].

    The bytes of unused tokens are `padding`. Differentiable in the weight.
    """
    observations = _with_contiguous_tokens(observations)
    if torch.is_grad_enabled():
        sums: torch.Tensor = _SumBytes.apply(observations, padding, weight)
        return sums
    return _sum_bytes(observations, padding, weight)


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


def draw(logits: torch.Tensor, uniform: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Draw from the softmax of logits [rows, count]: write int64 `positions` [rows], return their log-probabilities.

    `uniform` has random numbers from 0 to 1, [rows, count].
    """
    log_probs = logits.new_empty(len(logits))
    _kernels().draw(*map(_array, (logits, uniform, positions, log_probs)))
    return log_probs


FirstLayer = Callable[..., None]
"""`call(network, observations, hidden, cell, next_hidden, next_cell, outputs)`: a step of a `_native.PlayingNetwork`"""


def from_tokens(tables: Any, *embeddings: torch.Tensor) -> FirstLayer:
    """Return the first layer of a `PlayingCopy`: `sum_tokens` plus a bias.

    `embeddings` are places, kinds, magnitudes and the bias.
    """
    arrays = [_array(tensor.contiguous()) for tensor in embeddings]
    return lambda network, seen, *others: _kernels().step_from_tokens(network, tables, seen, *arrays, *others)


def from_bytes(weight: torch.Tensor, padding: tuple[int, int, int], scale: float, bias: torch.Tensor) -> FirstLayer:
    """Return the first layer of a `PlayingCopy`: `sum_bytes` times a scale, plus a bias.

    Observations may have fewer tokens than the weight; those they lack are `padding`.
    """
    packed, shift = _native.ByteWeight(_array(weight.contiguous()), padding), _array(bias.contiguous())
    return lambda network, seen, *others: _kernels().step_from_bytes(network, packed, seen, scale, shift, *others)


class PlayingCopy:
    """A copy of a network for steps without gradients, each in one native call; it does not follow later updates.

    The network is a first layer, ReLU, a linear layer, an LSTM of one layer, and heads.
    """

    def __init__(
        self,
        first: FirstLayer,
        second: nn.Linear,
        lstm: nn.LSTM,
        heads: Mapping[str, nn.Linear],
        *,
        second_has_relu: bool,
    ) -> None:
        """`heads` are by the name of their output. `second_has_relu`: ReLU follows the second layer, too."""
        self._first = first
        self._sizes = {name: head.out_features for name, head in heads.items()}
        with torch.no_grad():
            input_weight, hidden_weight, input_bias, hidden_bias = lstm.all_weights[0]
            recurrent = (input_weight, hidden_weight, input_bias + hidden_bias)
            weight = torch.cat([head.weight for head in heads.values()])
            bias = torch.cat([head.bias for head in heads.values()])
        second_layer = (_array(second.weight), _array(second.bias), second_has_relu)
        self._network = _native.PlayingNetwork(*second_layer, *map(_array, (*recurrent, weight, bias)))

    def __call__(self, observations: torch.Tensor, state: dict[str, Any]) -> dict[str, torch.Tensor]:
        """Return the outputs of the heads for uint8 [batch, tokens, 3]; replaces `lstm_h` and `lstm_c` in `state`."""
        rows, shape = len(observations), state["lstm_h"].shape
        before = [state[name].reshape(rows, -1).contiguous() for name in ("lstm_h", "lstm_c")]
        after = [torch.empty_like(part) for part in before]
        outputs = torch.empty(rows, sum(self._sizes.values()))
        tensors = (_with_contiguous_tokens(observations), *before, *after, outputs)
        self._first(self._network, *map(_array, tensors))
        state["lstm_h"], state["lstm_c"] = (part.reshape(shape) for part in after)
        return dict(zip(self._sizes, outputs.split(list(self._sizes.values()), 1), strict=True))


class _SumTokens(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tables: Any, observations: torch.Tensor, *embeddings: torch.Tensor) -> torch.Tensor:
        ctx.tables = tables
        ctx.save_for_backward(observations, *embeddings)
        return _sum_tokens(tables, observations, *embeddings)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        observations, *embeddings = ctx.saved_tensors
        gradients = [torch.empty_like(table) for table in embeddings]
        places, kinds, _ = embeddings
        arrays = map(_array, (observations, places, kinds, gradient.contiguous(), *gradients))
        _kernels().sum_tokens_back(ctx.tables, *arrays)
        return None, None, *gradients


class _SumBytes(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, observations: torch.Tensor, padding: tuple[int, int, int], weight: torch.Tensor
    ) -> torch.Tensor:
        ctx.padding, ctx.shape = padding, weight.shape
        ctx.save_for_backward(observations)
        return _sum_bytes(observations, padding, weight)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        (observations,) = ctx.saved_tensors
        of_weight = gradient.new_empty(ctx.shape)
        _kernels().sum_bytes_back(_array(observations), ctx.padding, _array(gradient.contiguous()), _array(of_weight))
        return None, None, of_weight


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


def _sum_bytes(observations: torch.Tensor, padding: tuple[int, int, int], weight: torch.Tensor) -> torch.Tensor:
    sums = weight.new_empty(len(observations), len(weight))
    _kernels().sum_bytes(_array(observations), padding, _array(weight), _array(sums))
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


def _with_contiguous_tokens(observations: torch.Tensor) -> torch.Tensor:
    """Return observations that the kernels can read: with gaps at most between one and the next."""
    return observations if observations.stride()[1:] == (3, 1) else observations.contiguous()


def _array(tensor: torch.Tensor | None) -> np.ndarray | None:
    """Return the memory of a tensor."""
    return None if tensor is None else tensor.detach().numpy()


def _kernels() -> Any:
    return _kernels_of(os.getpid(), _threads or torch.get_num_threads())  # threads do not survive a fork


@functools.lru_cache(maxsize=1)
def _kernels_of(process: int, threads: int) -> Any:
    return _native.NetworkKernels(threads)
