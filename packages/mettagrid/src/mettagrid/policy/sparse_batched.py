"""The `sparse` policy for many worlds in one call; importing this imports PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.envs._optional import extra
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse_memory import SparseMemory
from mettagrid.policy.sparse_player import chosen_indices, flat_actions

with extra("neural"):
    import torch

if TYPE_CHECKING:
    from mettagrid.policy.sparse_network import SparseNetwork

__all__ = ["BatchedSparse"]

_HEADS = {"logits": "action", "vibe": "vibe", "talk": "talk"}


class BatchedSparse:
    """Plays with the network as it is at each step, on its device; a `mettagrid.policy.batched.BatchedPolicy`."""

    is_native = True

    def __init__(
        self,
        network: SparseNetwork,
        interface: PolicyEnvInterface,
        worlds: int,
        *,
        greedy: bool,
        memory: SparseMemory | None = None,
    ) -> None:
        if worlds < 1:
            raise ValueError(f"A batch needs at least 1 world, not {worlds}.")
        self.num_agents = worlds * interface.num_agents
        self._network = network
        self._interface = interface
        self._worlds = worlds
        self._greedy = greedy
        self._memory = memory
        self._seen: np.ndarray | None = None
        self._device = network.bias.device
        self.reset()

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        if len(observations) != self.num_agents or len(actions) != self.num_agents:
            raise ValueError(
                f"There are {len(observations)} observations and {len(actions)} actions for {self.num_agents} agents."
            )
        if self._memory is not None:
            if self._seen is None:
                self._seen = np.empty((self.num_agents, *self._interface.observation_shape), np.uint8)
            self._memory.see(observations, self._seen)
            observations = self._seen
        with torch.no_grad():
            outputs = self._network.heads(torch.from_numpy(observations).to(self._device), self._state)
        logits = {_HEADS[name]: output.cpu().numpy() for name, output in outputs.items() if name in _HEADS}
        actions[:] = flat_actions(chosen_indices(logits, greedy=self._greedy), self._interface)

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        if self._memory is not None:
            agents = self._interface.num_agents
            numbers = np.arange(self._worlds) if worlds is None else np.array(list(worlds), np.int64)
            if ((numbers >= 0) & (numbers < self._worlds)).all():
                self._memory.forget((numbers[:, None] * agents + np.arange(agents)).reshape(-1))
            worlds = None if worlds is None else numbers.tolist()
        if worlds is None:
            shape = (self.num_agents, self._network.hidden_size)
            self._state: dict[str, Any] = {
                name: torch.zeros(shape, device=self._device) for name in ("lstm_h", "lstm_c")
            }
            return
        agents = self._interface.num_agents
        for number in worlds:
            if not 0 <= number < self._worlds:
                raise IndexError(f"there is no world {number}")
            for tensor in self._state.values():
                tensor[number * agents : (number + 1) * agents] = 0.0
