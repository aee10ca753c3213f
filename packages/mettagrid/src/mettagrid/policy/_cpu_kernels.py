"""Layers of networks in native code, with gradients, for float32 on the CPU; importing this imports PyTorch.

They run on as many threads as PyTorch, or as `kernel_settings` says. Results do not depend on that number.
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
    "has_bfloat16",
    "has_fast_bfloat16",
    "kernel_settings",
    "linear",
    "lstm_steps",
    "sum_bytes",
    "sum_tokens",
]

LANES = 16
"""the size of an LSTM and the outputs of `sum_bytes` must be multiples of this"""


ROUNDED_COLUMNS = 32
"""embeddings whose width is a multiple of this are read in bfloat16 if that is chosen"""

_threads: int | None = None  # of the kernels; None: as many as PyTorch
_bfloat16 = False


def has_bfloat16() -> bool:
    """Return whether this processor has instructions for products of bfloat16 numbers."""
    available: bool = _native.NetworkKernels.has_bfloat16()
    return available


def has_fast_bfloat16() -> bool:
    """Return whether it has, and they are faster than those for float32."""
    fast: bool = _native.NetworkKernels.has_fast_bfloat16()
    return fast


@contextmanager
def kernel_settings(threads: int, *, bfloat16: bool = False) -> Iterator[None]:
    """Run the kernels on this many threads, and PyTorch on one.

    For networks whose large layers are kernels: sharing the small operations around them costs more than it gains. With
    `bfloat16`, the factors of large products are rounded to it where the processor has instructions for that; weights,
    sums and all results stay float32.
    """
    global _threads, _bfloat16
    before, of_torch = (_threads, _bfloat16), torch.get_num_threads()
    _threads, _bfloat16 = threads, bfloat16
    torch.set_num_threads(1)
    try:
        yield
    finally:
        _threads, _bfloat16 = before
        torch.set_num_threads(of_torch)


def sum_tokens(
    tables: Any,
    observations: torch.Tensor,
    places: torch.Tensor,
    kinds: torch.Tensor,
    magnitudes: torch.Tensor,
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the sums over the used tokens, float32 [batch, d]; with a bias [d], ReLU of the sums plus it.

    `tables` is a `_native.TokenTables`, `observations` uint8 [batch, tokens, 3]. The embeddings are float32 [..., d],
    without rows for no place and the unknown kind. Differentiable in the embeddings and the bias.
    """
    observations = _with_contiguous_tokens(observations)
    embeddings = [table.contiguous() for table in (places, kinds, magnitudes)]
    if torch.is_grad_enabled():
        sums: torch.Tensor = _SumTokens.apply(tables, observations, *embeddings, bias)
        return sums
    return _sum_tokens(tables, observations, *embeddings, bias)


def sum_bytes(observations: torch.Tensor, padding: tuple[int, int, int], weight: torch.Tensor) -> torch.Tensor:
    """Return the product of observations uint8 [batch, tokens, 3] and the transposed weight [outputs, 3 * tokens].

    The bytes of unused tokens are `padding`. Differentiable in the weight.
    """
    observations = _with_contiguous_tokens(observations)
    if torch.is_grad_enabled():
        sums: torch.Tensor = _SumBytes.apply(observations, padding, weight)
        return sums
    return _sum_bytes(observations, padding, weight)


def linear(
    inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, *, relu: bool = False, exact: bool = False
) -> torch.Tensor:
    """Return the outputs of a linear layer for inputs float32 [batch, features], with or without ReLU; differentiable.

    With `exact`, products are in float32 in any case.
    """
    given = (inputs.contiguous(), weight, bias)
    if torch.is_grad_enabled():
        outputs: torch.Tensor = _Linear.apply(*given, relu, exact)
        return outputs
    return _run_linear(*given, relu, exact)


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
    places, kinds, *_ = embeddings
    is_rounded = _bfloat16 and places.shape[1] % ROUNDED_COLUMNS == 0
    rounded = _native.RoundedEmbeddings(_array(places), _array(kinds)) if is_rounded else None
    return lambda network, seen, *others: _kernels().step_from_tokens(network, tables, seen, *arrays, rounded, *others)


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
        starts = dict(zip(self._sizes, np.cumsum([0, *self._sizes.values()]).tolist(), strict=False))
        self._places = tuple(
            (starts.get(name, 0), self._sizes.get(name, 0)) for name in ("logits", "vibe", "values")
        )  # first column and number of columns
        with torch.no_grad():
            input_weight, hidden_weight, input_bias, hidden_bias = lstm.all_weights[0]
            recurrent = (input_weight, hidden_weight, input_bias + hidden_bias)
            weight = torch.cat([head.weight for head in heads.values()])
            bias = torch.cat([head.bias for head in heads.values()])
        second_layer = (_array(second.weight), _array(second.bias), second_has_relu)
        self._network = _native.PlayingNetwork(*second_layer, *map(_array, (*recurrent, weight, bias)), _bfloat16)

    def __call__(self, observations: torch.Tensor, state: dict[str, Any]) -> dict[str, torch.Tensor]:
        """Return the outputs of the heads for uint8 [batch, tokens, 3]; replaces `lstm_h` and `lstm_c` in `state`."""
        rows, shape = len(observations), state["lstm_h"].shape
        before = [state[name].reshape(rows, -1).contiguous() for name in ("lstm_h", "lstm_c")]
        after = [torch.empty_like(part) for part in before]
        outputs = torch.empty(rows, sum(self._sizes.values()))
        self._first(self._network, *map(_array, (_with_contiguous_tokens(observations), *before, *after, outputs)))
        state["lstm_h"], state["lstm_c"] = (part.reshape(shape) for part in after)
        return dict(zip(self._sizes, outputs.split(list(self._sizes.values()), 1), strict=True))

    def reads(self, observations: torch.Tensor) -> bool:
        """Return whether `play` can be called with observations of this shape."""
        return True

    def play(
        self, observations: torch.Tensor, state: Mapping[str, torch.Tensor], generator: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Draw actions; return them, int64 [rows, 2], their log-probabilities and the values, [rows] each.

        The two columns are positions in `logits` and in `vibe`, 0 without such a head. `lstm_h` and `lstm_c` in
        `state`, contiguous with one row per observation, are overwritten.
        """
        rows = len(observations)
        memory = [state[name].view(rows, -1).numpy() for name in ("lstm_h", "lstm_c")]
        outputs = np.empty((rows, sum(self._sizes.values())), np.float32)
        self._first(self._network, _with_contiguous_tokens(observations).numpy(), *memory, *memory, outputs)
        uniform = torch.rand((rows, self._sizes["logits"] + self._sizes.get("vibe", 0)), generator=generator).numpy()
        actions = torch.zeros((rows, 2), dtype=torch.int64)
        log_probs, values = torch.empty(rows), torch.empty(rows)
        _kernels().draw_actions(outputs, *self._places, uniform, actions.numpy(), log_probs.numpy(), values.numpy())
        return actions, log_probs, values


class _SumTokens(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tables: Any, observations: torch.Tensor, *weights: Any) -> torch.Tensor:
        ctx.tables = tables
        sums = _sum_tokens(tables, observations, *weights)
        ctx.save_for_backward(observations, *weights, sums)
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        observations, *weights, sums = ctx.saved_tensors
        gradients = [None if weight is None else torch.empty_like(weight) for weight in weights]
        places, kinds, *_ = weights
        arrays = map(_array, (observations, places, kinds, sums, gradient.contiguous(), *gradients))
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


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, relu: bool, exact: bool
    ) -> torch.Tensor:
        outputs = _run_linear(inputs, weight, bias, relu, exact)
        ctx.options = (relu, exact)
        ctx.save_for_backward(inputs, weight, outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        inputs, weight, outputs = ctx.saved_tensors
        gradients = [torch.empty_like(inputs), torch.empty_like(weight), weight.new_empty(len(weight))]
        arrays = map(_array, (outputs, gradient.contiguous(), *gradients))
        _kernels().run_linear_back(_array(inputs), _array(weight), *ctx.options, *arrays)
        return *gradients, None, None


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


def _sum_tokens(tables: Any, observations: torch.Tensor, *weights: Any) -> torch.Tensor:
    sums: torch.Tensor = weights[0].new_empty(len(observations), weights[0].shape[1])
    _kernels().sum_tokens(tables, *map(_array, (observations, *weights, sums)))
    return sums


def _sum_bytes(observations: torch.Tensor, padding: tuple[int, int, int], weight: torch.Tensor) -> torch.Tensor:
    sums = weight.new_empty(len(observations), len(weight))
    _kernels().sum_bytes(_array(observations), padding, _array(weight), _array(sums))
    return sums


def _run_linear(
    inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, relu: bool, exact: bool
) -> torch.Tensor:
    outputs = inputs.new_empty(len(inputs), len(weight))
    _kernels().run_linear(*map(_array, (inputs, weight, bias)), relu, exact, _array(outputs))
    return outputs


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
    kind = torch.uint16 if _bfloat16 and has_bfloat16() else torch.float32  # the upper halves of floats are bfloat16
    gates = inputs.new_empty((*inputs.shape[:2], gates_size), dtype=kind) if keep_gates else None
    _kernels().run_lstm(*map(_array, (inputs, input_weight, hidden_weight, *others, outputs, cells, gates)))
    return outputs, cells, gates


def _with_contiguous_tokens(observations: torch.Tensor) -> torch.Tensor:
    """Return observations that the kernels can read: with gaps at most between one and the next."""
    return observations if observations.stride()[1:] == (3, 1) else observations.contiguous()


def _array(tensor: torch.Tensor | None) -> np.ndarray | None:
    """Return the memory of a tensor."""
    return None if tensor is None else tensor.detach().numpy()


def _kernels() -> Any:
    return _kernels_of(_threads or torch.get_num_threads(), _bfloat16)


@functools.lru_cache(maxsize=1)
def _kernels_of(threads: int, bfloat16: bool) -> Any:
    return _native.NetworkKernels(threads, bfloat16)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kernels_of.cache_clear)  # threads do not survive a fork
