"""The `sparse` network in PyTorch, for training; importing this imports PyTorch.

An observation is a set of tokens. Each used one adds the row place * kind, elementwise, to a sum; the agent's own
numbers and those of the whole game also add their magnitude. A linear layer, an LSTM and the heads follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mettagrid import _native
from mettagrid.envs._optional import extra
from mettagrid.policy import _cpu_kernels
from mettagrid.policy._layers import joined_heads, linear
from mettagrid.policy._recurrence import run_lstm
from mettagrid.policy._torch import not_compiled
from mettagrid.policy.sparse_tokens import BYTES, GameTables
from mettagrid.policy.sparse_weights import Sizes
from mettagrid.simulator.interface import GLOBAL_LOCATION

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["SparseNetwork", "read_state_dict", "write_state_dict"]

State = dict[str, Any]


def _gpu_kernels() -> Any:
    """Return the module of GPU kernels, or None where there is no GPU or no Triton."""
    if not torch.cuda.is_available():
        return None
    try:
        from mettagrid.policy import sparse_triton
    except ImportError:
        return None
    return sparse_triton


_KERNELS = _gpu_kernels()


class SparseNetwork(nn.Module):
    """Maps token observations to the outputs of the heads.

    Observations are uint8 [batch, tokens, 3], or [segments, steps, tokens, 3] for training over time; used tokens come
    first, and any number of tokens is accepted. With `rows`, int64 [batch] or [segments, steps], the observations are
    those rows of a buffer [..., tokens, 3]; on a GPU they are read in place.

    `state` is a dict with `lstm_h` and `lstm_c`, each [batch or segments, hidden] or None for a fresh start; both are
    overwritten by the memory after the last step. Where `state["resets"]` (bool [batch] or [segments, steps], optional)
    is true, an episode begins: the memory is zeroed before the observation.
    """

    reads_prefix = True
    handles_resets = True
    knows_names = True
    is_recordable = True  # as a CUDA graph: no shape and no branch depends on the data

    _kinds: torch.Tensor
    _places: torch.Tensor
    _magnitudes: torch.Tensor
    _scales: torch.Tensor

    def __init__(self, sizes: Sizes, tables: GameTables, weights: Mapping[str, np.ndarray]) -> None:
        """Create the network for one game with the given weights, which are copied."""
        super().__init__()
        width, self.hidden_size = sizes.embedding_size, sizes.hidden_size
        shapes = sizes.shapes()
        self.places = nn.Parameter(torch.empty(shapes["places"]))
        self.kinds = nn.Parameter(torch.empty(shapes["kinds"]))
        self.magnitudes = nn.Parameter(torch.empty(shapes["magnitudes"]))
        self.bias = nn.Parameter(torch.empty(width))
        self.encoder = nn.Linear(width, self.hidden_size)
        self.lstm = nn.LSTM(self.hidden_size, self.hidden_size, batch_first=True)
        self._head_names = list(sizes.heads)
        for name, outputs in sizes.heads.items():
            setattr(self, name, nn.Linear(self.hidden_size, outputs))
        for name in ("kinds", "places", "magnitudes", "scales"):
            self.register_buffer(f"_{name}", torch.from_numpy(getattr(tables, name)), persistent=False)
        self._own_location, self._memory_feature = tables.own_location, tables.memory_feature
        self._token_tables: Any = None  # those of the buffers, for the CPU
        self.load_numpy(weights)

    def load_numpy(self, weights: Mapping[str, np.ndarray]) -> None:
        """Copy weights into the network."""
        self.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})

    def to_numpy(self) -> dict[str, np.ndarray]:
        """Return a copy of the weights, float32."""
        return {name: tensor.detach().float().cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def forward_eval(
        self, observations: torch.Tensor, state: State | None = None, *, rows: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [batch, actions] and values [batch, 1] of one step."""
        outputs = self.heads(observations, state, rows=rows)
        return outputs["logits"], outputs["values"]

    def forward(
        self, observations: torch.Tensor, state: State | None = None, *, rows: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [segments * steps, actions] and values [segments * steps, 1]."""
        return self.forward_eval(observations, state, rows=rows)

    def heads(
        self, observations: torch.Tensor, state: State | None = None, *, rows: torch.Tensor | None = None
    ) -> dict[str, torch.Tensor]:
        """Return `logits`, `values` and, where the network has them, `vibe`, `talk` and `h_values`."""
        shape = observations.shape[:-2] if rows is None else rows.shape
        segments, steps = (*shape, 1)[:2]
        flat = observations.flatten(0, -3)
        encoded = linear(self.encoder, self._first_layer(flat, None if rows is None else rows.reshape(-1)), relu=True)
        outputs = self._remember(encoded.reshape(segments, steps, -1), state)
        return joined_heads(self._heads(), outputs)

    def playing_copy(self) -> _cpu_kernels.PlayingCopy | None:
        """Return a faster form of `heads` for steps without gradients, until the weights change; None on a GPU."""
        if self.bias.is_cuda or self.bias.dtype != torch.float32 or self.hidden_size % _cpu_kernels.LANES:
            return None
        first = _cpu_kernels.from_tokens(self._tables(), self.places, self.kinds, self.magnitudes, self.bias)
        return _cpu_kernels.PlayingCopy(first, self.encoder, self.lstm, self._heads(), second_has_relu=True)

    def _heads(self) -> dict[str, nn.Linear]:
        names = {"action": "logits", "value": "values", "h_value": "h_values"}
        return {names.get(name, name): getattr(self, name) for name in self._head_names}

    def _remember(self, encoded: torch.Tensor, state: State | None) -> torch.Tensor:
        """Run the LSTM over [segments, steps, hidden]; return [segments * steps, hidden]."""
        segments, steps, size = encoded.shape
        before = resets = None
        if state is not None:
            if state.get("lstm_h") is not None and state.get("lstm_c") is not None:
                before = (state["lstm_h"].reshape(segments, size), state["lstm_c"].reshape(segments, size))
            if state.get("resets") is not None:
                resets = state["resets"].reshape(segments, steps)
        outputs, (hidden, cell) = run_lstm(self.lstm, encoded, before, resets)
        if state is not None:
            state["lstm_h"], state["lstm_c"] = hidden, cell
        return outputs.reshape(-1, size)

    def _first_layer(self, observations: torch.Tensor, rows: torch.Tensor | None) -> torch.Tensor:
        """Return ReLU of the sums over the used tokens plus the bias, float32 [batch, embedding]."""
        if observations.is_cuda:
            return torch.relu(self.pooled(observations, rows) + self.bias)
        return self._on_cpu(
            _bytes(observations if rows is None else observations.index_select(0, rows)), self.bias.float()
        )

    def pooled(self, observations: torch.Tensor, rows: torch.Tensor | None = None) -> torch.Tensor:
        """Return the sums over the used tokens of observations [batch, tokens, 3], float32 [batch, embedding]."""
        observations = _bytes(observations)
        with torch.autocast(observations.device.type, enabled=False):
            if observations.is_cuda and _KERNELS is not None:
                tables = (self._kinds, self._magnitudes, self._scales)
                sums: torch.Tensor = _KERNELS.pooled(
                    observations, rows, *self._embeddings(), tables, self._own_location, self._memory_feature
                )
                return sums
            if rows is not None:
                observations = observations.index_select(0, rows)
            if observations.is_cuda:
                return self._gathered(observations, *self._embeddings())
            return self._on_cpu(observations, None)

    def _embeddings(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the rows of all locations [512, d], of all kinds [kinds, d] and of all magnitudes [magnitudes, d].

        The rows of unused tokens and of unknown kinds are zero, and have no gradient.
        """
        nothing = self.places.new_zeros(1, self.places.shape[1])
        places = torch.cat([self.places, nothing]).index_select(0, self._places)
        return places.float(), torch.cat([nothing, self.kinds]).float(), self.magnitudes.float()

    def _gathered(
        self, observations: torch.Tensor, places: torch.Tensor, kinds: torch.Tensor, magnitudes: torch.Tensor
    ) -> torch.Tensor:
        """Sum over all tokens, also unused ones, so that no shape depends on the observations. Needs more memory."""
        location, feature, value = observations.long().unbind(-1)
        kind = self._kinds[feature * BYTES + value].long()
        total = (places[self._row_of_place(location, feature)] * kinds[kind]).sum(1)
        own = (location == GLOBAL_LOCATION) | (location == self._own_location)
        amount = value * self._scales[feature] * own
        amounts = amount.new_zeros(len(observations), len(magnitudes))
        amounts.scatter_add_(1, self._magnitudes[feature].long(), amount)
        return total + amounts @ magnitudes

    def _row_of_place(self, location: torch.Tensor, feature: torch.Tensor) -> torch.Tensor:
        """Return the row of each token's place; tokens of the memory have rows of their own."""
        return location + BYTES * (feature == self._memory_feature)

    @not_compiled
    def _on_cpu(self, observations: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        embeddings = (self.places.float(), self.kinds.float(), self.magnitudes.float())
        return _cpu_kernels.sum_tokens(self._tables(), observations, *embeddings, bias)

    def _tables(self) -> Any:
        if self._token_tables is None:
            tables = (getattr(self, f"_{name}").numpy() for name in ("kinds", "places", "magnitudes", "scales"))
            self._token_tables = _native.TokenTables(*tables, self._own_location, self._memory_feature)
        return self._token_tables

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_token_tables": None}  # native objects cannot be copied


def _bytes(observations: torch.Tensor) -> torch.Tensor:
    return observations if observations.dtype == torch.uint8 else observations.to(torch.uint8)


def read_state_dict(path: str) -> dict[str, np.ndarray]:
    """Return the weights in a file of PyTorch as float32 arrays."""
    weights = torch.load(path, map_location="cpu", weights_only=True)
    return {name: tensor.float().numpy() for name, tensor in weights.items()}


def write_state_dict(weights: Mapping[str, np.ndarray], path: str) -> None:
    """Write weights to a file of PyTorch."""
    torch.save({name: torch.from_numpy(array) for name, array in weights.items()}, path)
