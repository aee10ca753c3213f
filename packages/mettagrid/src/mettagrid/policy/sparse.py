"""The default policy of the trainer: a recurrent network that reads sparse tokens. Playing needs NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse_memory import SparseMemory
from mettagrid.policy.sparse_player import SparsePlayer, chosen_indices, flat_actions
from mettagrid.policy.sparse_tokens import Vocabulary
from mettagrid.policy.sparse_weights import (
    Sizes,
    Weights,
    checked_weights,
    initial_weights,
    load_weights_file,
    save_weights_file,
)
from mettagrid.simulator.interface import EMPTY_LOCATION, AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

if TYPE_CHECKING:
    from mettagrid.policy.batched import BatchedPolicy

__all__ = ["SparsePolicy", "Vocabulary"]


class SparsePolicy(MultiAgentPolicy):
    """A recurrent network over the used tokens of observations, the default of the trainer; plays without PyTorch.

    Every agent has its own memory. `vocabulary` has the names that the network knows, by default those of the game;
    weights play in any game with the same actions, and tokens with other names are ignored. With `vibes` it also
    chooses vibes, and with `phrases` it may say one of them in games that allow talk. `auxiliary` adds the output
    `h_values` for training. `greedy` plays the most likely action; otherwise actions are drawn with `numpy.random`,
    which also draws the weights of a network that has not been loaded. With `memory` the network also sees what the
    agent has seen before (`sparse_memory`).

    Weights trained through `network()` are the ones that `save_policy_data` saves, and an episode plays with the ones
    at its start. Raises `ValueError` for arguments that do not fit the game.
    """

    short_names: ClassVar[list[str] | None] = ["sparse"]
    reusable = True

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        *,
        vocabulary: Sequence[str] | None = None,
        embedding_size: int = 128,
        hidden_size: int = 128,
        vibes: bool = False,
        phrases: Sequence[str] = (),
        auxiliary: bool = False,
        greedy: bool = False,
        memory: bool = True,
    ) -> None:
        super().__init__(policy_env_info, device)
        self._device = device
        names = Vocabulary.of([policy_env_info]) if vocabulary is None else Vocabulary.from_names(vocabulary)
        self._vibes, self._phrases = _flag("vibes", vibes), _checked_phrases(phrases, policy_env_info)
        self._auxiliary, self._greedy = _flag("auxiliary", auxiliary), _flag("greedy", greedy)
        self._sizes = Sizes(
            names,
            embedding_size=_size("embedding_size", embedding_size),
            hidden_size=_size("hidden_size", hidden_size),
            actions=len(policy_env_info.action_names),
            vibes=len(policy_env_info.vibe_action_names) + 1 if self._vibes else 0,
            phrases=len(self._phrases) + 1 if self._phrases else 0,
            auxiliary=self._auxiliary,
            memory=_flag("memory", memory),
        )
        self._tables = names.tables(policy_env_info, memory=self._sizes.memory)
        self._loaded: Weights | None = None
        self._drawn: Weights | None = None
        self._network: Any = None
        self._player: SparsePlayer | None = None
        self._memories: dict[int, SparseMemory] = {}
        self._hidden = self._cell = np.zeros((0, self._sizes.hidden_size), np.float32)
        # Numbers of actions cannot express a vibe or a text beside the action.
        self.supports_step_batch = not (self._vibes or self._phrases)
        self._set_agents(policy_env_info.num_agents)

    def init_kwargs(self) -> dict[str, Any]:
        """Return the arguments that create this network for any game, as JSON can hold them, for `policy_spec.json`."""
        return {
            "vocabulary": list(self._sizes.vocabulary.names),
            "embedding_size": self._sizes.embedding_size,
            "hidden_size": self._sizes.hidden_size,
            "vibes": self._vibes,
            "phrases": list(self._phrases),
            "auxiliary": self._auxiliary,
            "greedy": self._greedy,
            "memory": self._sizes.memory,
        }

    def make_memory(self, rows: int, *, threads: int = 1) -> SparseMemory | None:
        """Return a memory for observations of that many agents, or None if the network sees plain observations."""
        return SparseMemory(self.policy_env_info, rows, threads=threads) if self._sizes.memory else None

    @property
    def is_greedy(self) -> bool:
        """Whether it plays the most likely action and draws none."""
        return self._greedy

    def is_recurrent(self) -> bool:
        return True

    def network(self) -> Any:
        """Return the network as a `torch.nn.Module`, the same one in every call; imports PyTorch."""
        if self._network is None:
            from mettagrid.policy.sparse_network import SparseNetwork

            self._network = SparseNetwork(self._sizes, self._tables, self._weights()).to(self._device)
        return self._network

    def load_policy_data(self, policy_data_path: str) -> None:
        """Read weights, `.safetensors` or a state dict of PyTorch; raises `ValueError` if they do not fit."""
        weights = checked_weights(load_weights_file(policy_data_path), self._sizes, policy_data_path)
        self._loaded, self._player = weights, None
        if self._network is not None:
            self._network.load_numpy(weights)

    def save_policy_data(self, policy_data_path: str) -> None:
        """Write the weights, as `.safetensors` if the path ends so, else as a state dict of PyTorch."""
        weights = self._weights()
        self._loaded = weights  # further episodes play what was saved
        save_weights_file(weights, policy_data_path)

    def _weights(self) -> Weights:
        """Return the current weights; draw them if there are none."""
        if self._network is not None:
            weights: Weights = self._network.to_numpy()
            return weights
        if self._loaded is not None:
            return self._loaded
        if self._drawn is None:
            seed = np.random.randint(2**31)
            self._drawn = initial_weights(self._sizes, np.random.default_rng(seed))
        return self._drawn

    # Playing.

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return _SparseAgent(self, agent_id)

    def reset(self) -> None:
        """Forget everything but loaded and trained weights: an untrained policy draws new ones, as a new one would."""
        self._player = self._drawn = None
        self._hidden[:] = 0.0
        self._cell[:] = 0.0
        self._memories.clear()
        self._batch_agents = np.arange(len(self._hidden))

    def set_batch_agents(self, agent_ids: list[int]) -> None:
        """Start an episode for the agents of `step_batch`; no random numbers are drawn for others."""
        self.reset()
        self._batch_agents = np.array(agent_ids, np.intp)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        agents = self._batch_agents
        arrays = [_used(raw_observations[agent]) for agent in agents.tolist()]
        raw_actions[agents] = flat_actions(self._decide(agents, arrays), self.policy_env_info)

    def batched(self, worlds: int, *, threads: int = 1) -> BatchedPolicy | None:
        """Return a form for many worlds that plays with `network()`; None where PyTorch is not installed."""
        if find_spec("torch") is None:
            return None
        from mettagrid.policy.sparse_batched import BatchedSparse

        memory = self.make_memory(worlds * self.policy_env_info.num_agents, threads=threads)
        return BatchedSparse(self.network(), self.policy_env_info, worlds, greedy=self._greedy, memory=memory)

    def step_agents(self, observations: Sequence[tuple[int, AgentObservation]]) -> list[Action]:
        """Return one action for each (agent id, observation), in order."""
        agents = np.array([agent for agent, _ in observations], np.intp)
        arrays = [observation.token_array() for _, observation in observations]
        chosen = self._decide(agents, arrays)
        info = self.policy_env_info
        actions = [Action(name=info.action_names[index]) for index in chosen["action"].tolist()]
        if "vibe" in chosen:
            for action, index in zip(actions, chosen["vibe"].tolist(), strict=True):
                action.vibe = info.vibe_action_names[index - 1] if index else None
        if "talk" in chosen and info.talk.enabled:
            for action, index in zip(actions, chosen["talk"].tolist(), strict=True):
                action.talk = self._phrases[index - 1] if index else None
        return actions

    def _decide(self, agents: np.ndarray, arrays: list[np.ndarray]) -> dict[str, np.ndarray]:
        """Choose for some agents by their used tokens, and update their memory; return the index each head chose."""
        if self._player is None:
            self._player = SparsePlayer(self._weights(), self._tables)
        highest = int(agents.max(initial=-1))
        if highest >= len(self._hidden):
            self._set_agents(highest + 1)
        if self._sizes.memory:
            arrays = [self._with_memory(agent, array) for agent, array in zip(agents.tolist(), arrays, strict=True)]
        tokens = np.concatenate(arrays) if arrays else np.zeros((0, 3), np.uint8)
        counts = np.array([len(array) for array in arrays], np.intp)
        logits, self._hidden[agents], self._cell[agents] = self._player.step(
            tokens, counts, self._hidden[agents], self._cell[agents]
        )
        return chosen_indices(logits, greedy=self._greedy)

    def _with_memory(self, agent: int, tokens: np.ndarray) -> np.ndarray:
        """Return an agent's used tokens with what it remembers."""
        if agent not in self._memories:
            self._memories[agent] = SparseMemory(self.policy_env_info, 1)
        out = np.empty((1, max(self.policy_env_info.observation_shape[0], len(tokens)), 3), np.uint8)
        self._memories[agent].see(np.ascontiguousarray(tokens)[None], out)
        return _used(out[0])

    def _set_agents(self, count: int) -> None:
        """Make room for the memory of that many agents."""
        shape = (count, self._sizes.hidden_size)
        hidden, cell = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        known = len(self._hidden)
        hidden[:known], cell[:known] = self._hidden, self._cell
        self._hidden, self._cell = hidden, cell
        self._batch_agents = np.arange(count)

    def forget(self, agent_id: int) -> None:
        """Start an episode of one agent."""
        if self._network is not None:
            self._player = None  # its weights may have been trained since
        self._memories.pop(agent_id, None)
        if agent_id < len(self._hidden):
            self._hidden[agent_id] = self._cell[agent_id] = 0.0


class _SparseAgent(AgentPolicy):
    """One agent of the policy."""

    def __init__(self, team: SparsePolicy, agent_id: int) -> None:
        super().__init__(team.policy_env_info)
        self._team = team
        self._agent_id = agent_id

    def reset(self, simulation: Simulation | None = None) -> None:
        self._team.forget(self._agent_id)

    def step(self, obs: AgentObservation) -> Action:
        return self._team.step_agents([(self._agent_id, obs)])[0]

    def can_step_group(self, policies: Sequence[AgentPolicy]) -> bool:
        return all(isinstance(policy, _SparseAgent) and policy._team is self._team for policy in policies)

    def step_group(self, observations: list[tuple[int, AgentObservation]]) -> list[Action]:
        return self._team.step_agents(observations)


def _used(tokens: np.ndarray) -> np.ndarray:
    """Return the used tokens of an observation [tokens, 3]."""
    return tokens[tokens[:, 0] != EMPTY_LOCATION]


def _flag(name: str, value: bool | str) -> bool:
    """Return a yes or no, which the command line gives as text."""
    known = {"true": True, "1": True, "false": False, "0": False}
    flag = known.get(str(value).lower())
    if flag is None:
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return flag


def _size(name: str, value: int | str) -> int:
    try:
        size = int(value)
    except (TypeError, ValueError):
        size = 0
    if size < 1:
        raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
    return size


def _checked_phrases(phrases: Sequence[str], interface: PolicyEnvInterface) -> tuple[str, ...]:
    texts = tuple(phrases)
    if isinstance(phrases, str) or not all(isinstance(text, str) and text for text in texts):
        raise ValueError(f"phrases must be a list of texts that are not empty, not {phrases!r}")
    longest = max(texts, key=len, default="")
    if interface.talk.enabled and len(longest) > interface.talk.max_length:
        raise ValueError(
            f"the phrase {longest!r} has {len(longest)} characters; this game allows {interface.talk.max_length}"
        )
    return texts
