"""Play the `sparse` network with NumPy: one step for any number of agents at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse_tokens import BYTES, GameTables
from mettagrid.simulator.interface import EMPTY_LOCATION, GLOBAL_LOCATION

__all__ = ["SparsePlayer", "chosen_indices", "flat_actions", "used_tokens"]


class SparsePlayer:
    """The network with fixed weights, float32."""

    def __init__(self, weights: Mapping[str, np.ndarray], tables: GameTables) -> None:
        self._tables = tables
        width = weights["bias"].shape[0]
        nothing = np.zeros((1, width), np.float32)
        places = np.concatenate([weights["places"], nothing])
        self._places = np.ascontiguousarray(places[tables.places])
        self._kinds = np.concatenate([nothing, weights["kinds"]])
        self._magnitudes = weights["magnitudes"]
        self._bias = weights["bias"]
        self._encoder = np.ascontiguousarray(weights["encoder.weight"].T), weights["encoder.bias"]
        # Inputs and memory go through one product for each of the four gates. A single product for all gates is large
        # enough for BLAS to use several threads, which takes thirty times the CPU time on a busy machine.
        both = np.concatenate([weights["lstm.weight_ih_l0"], weights["lstm.weight_hh_l0"]], axis=1)
        biases = weights["lstm.bias_ih_l0"] + weights["lstm.bias_hh_l0"]
        gates = both.reshape(4, -1, both.shape[1]).transpose(0, 2, 1)
        self._lstm = np.ascontiguousarray(gates), biases.reshape(4, 1, -1)
        self._heads = {
            name: (np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"])
            for name in ("action", "vibe", "talk")
            if f"{name}.weight" in weights
        }

    def step(
        self, tokens: np.ndarray, counts: np.ndarray, hidden: np.ndarray, cell: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Return the logits of `action`, `vibe` and `talk`, and the memory after the step.

        `tokens` is uint8 [used, 3], the tokens of the first agent, then those of the second, and so on; `counts` is
        their number for each agent. `hidden` and `cell` are the memory, float32 [agents, hidden].
        """
        pooled = self._pooled(tokens, counts)
        pooled += self._bias
        weight, bias = self._encoder
        encoded = np.maximum(np.maximum(pooled, 0.0) @ weight + bias, 0.0)
        weight, bias = self._lstm
        gates = np.concatenate([encoded, hidden], axis=1) @ weight + bias  # [4, agents, hidden]
        new = np.tanh(gates[2])
        enter, keep, _, show = _sigmoid(gates)
        cell = keep * cell + enter * new
        hidden = show * np.tanh(cell)
        return {name: hidden @ weight + bias for name, (weight, bias) in self._heads.items()}, hidden, cell

    def _pooled(self, tokens: np.ndarray, counts: np.ndarray) -> np.ndarray:
        if not len(tokens):
            return np.zeros((len(counts), len(self._bias)), np.float32)
        tables = self._tables
        location, feature, value = tokens[:, 0], tokens[:, 1], tokens[:, 2]
        rows = self._places[location + BYTES * (feature == tables.memory_feature)]
        rows *= self._kinds[tables.kinds[feature.astype(np.intp) * BYTES + value]]
        ends = np.cumsum(counts)
        # An agent without tokens has no first one; its sum is wrong and zeroed.
        pooled = np.add.reduceat(rows, np.minimum(ends - counts, len(rows) - 1), axis=0)
        pooled[counts == 0] = 0.0

        own = np.flatnonzero((location == GLOBAL_LOCATION) | (location == tables.own_location))
        agent = np.searchsorted(ends, own, side="right")
        feature = feature[own]
        column = agent * len(self._magnitudes) + tables.magnitudes[feature]
        amounts = np.bincount(column, value[own] * tables.scales[feature], len(counts) * len(self._magnitudes))
        pooled += amounts.astype(np.float32).reshape(len(counts), -1) @ self._magnitudes
        return pooled


def used_tokens(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the used tokens of observations [agents, tokens, 3] and their number for each agent."""
    used = observations[:, :, 0] != EMPTY_LOCATION
    return observations[used], used.sum(1)


def chosen_indices(logits: Mapping[str, np.ndarray], *, greedy: bool) -> dict[str, np.ndarray]:
    """Return the index that each head chooses for each agent: the most likely one if `greedy`, else a draw.

    Draws come from `numpy.random`, agent by agent, so that agents together draw what they would one after the other.
    """
    if greedy:
        return {name: numbers.argmax(axis=1) for name, numbers in logits.items()}
    draws = np.random.random((len(logits["action"]), len(logits)))
    return {name: _sampled(numbers, draws[:, column]) for column, (name, numbers) in enumerate(logits.items())}


def flat_actions(chosen: Mapping[str, np.ndarray], interface: PolicyEnvInterface) -> np.ndarray:
    """Return positions in `all_action_names`; a vibe replaces the action noop, because a number cannot express both."""
    actions = chosen["action"]
    if "vibe" not in chosen:
        return actions
    is_noop = np.array([name == "noop" for name in interface.action_names])[actions]
    vibes = chosen["vibe"] - 1 + len(interface.action_names)
    return np.where(is_noop & (chosen["vibe"] > 0), vibes, actions)


def _sampled(logits: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return one index for each row of logits; `draws` [rows] are uniform from 0 to 1."""
    weights = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
    chosen = (weights <= draws[:, None] * weights[:, -1:]).sum(axis=1)
    return np.minimum(chosen, logits.shape[1] - 1)


def _sigmoid(numbers: np.ndarray) -> np.ndarray:
    # In terms of tanh, which does not overflow.
    result: np.ndarray = np.tanh(numbers * np.float32(0.5)) * np.float32(0.5) + np.float32(0.5)
    return result
