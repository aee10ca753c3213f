"""The interface that PufferLib expects of an environment, without PufferLib."""

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._actions import ActionCodec, integers
from mettagrid.envs._optional import extra
from mettagrid.envs._spaces import byte_space
from mettagrid.envs._supervisor import BatchPolicy, split_supervisor_actions_inplace
from mettagrid.envs._world import new_buffers
from mettagrid.simulator import Buffers

with extra("envs"):
    from gymnasium.spaces import Discrete, MultiDiscrete

ARRAYS = ("observations", "rewards", "terminals", "truncations", "masks", "actions", "teacher_actions", "vibe_actions")
MAY_BE_MISSING = ("masks", "teacher_actions", "vibe_actions")


def buffers_of(buf: Mapping[str, np.ndarray] | None, num_agents: int, num_tokens: int) -> Buffers:
    """Return the arrays of `buf` unchanged, and new ones for missing optional arrays."""
    defaults = vars(new_buffers(num_agents, num_tokens))
    if buf is None:
        return Buffers(**defaults)
    missing = [name for name in ARRAYS if name not in buf and name not in MAY_BE_MISSING]
    if missing:
        raise KeyError(f"buf has no {', '.join(missing)}")
    return Buffers(**{name: buf[name] if name in buf else defaults[name] for name in ARRAYS})


class PufferStyle:
    """The attributes and calls of a native PufferLib environment; subclasses have `reset` and `step`.

    An environment created while `pufferlib` is imported is also a `pufferlib.PufferEnv`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}
    render_mode = "ansi"
    emulated = False
    done = False

    def __new__(cls, *args: object, **kwargs: object) -> "PufferStyle":
        return super().__new__(_also_puffer_env(cls))

    def _set_up(self, buffers: Buffers, codec: ActionCodec, supervisor: BatchPolicy | None) -> None:
        self.num_agents = len(buffers.rewards)
        self.observations = buffers.observations
        self.rewards = buffers.rewards
        self.terminals = buffers.terminals
        self.truncations = buffers.truncations
        self.masks = buffers.masks
        self.actions = buffers.actions
        self.teacher_actions = buffers.teacher_actions
        assert buffers.vibe_actions is not None  # `Buffers` fills it in
        self.vibe_actions = buffers.vibe_actions
        self.agent_ids = np.arange(self.num_agents)
        self.infos: list[dict[str, Any]] = []

        shape = self.observations.shape
        self.single_observation_space = byte_space(*shape[1:])
        self.single_action_space = Discrete(codec.num_primary)
        self.single_vibe_action_space = Discrete(max(1, codec.num_vibes))
        self.single_transport_action_space = Discrete(codec.num_combined)
        self.observation_space = byte_space(*shape)
        self.action_space = MultiDiscrete(np.full(self.num_agents, codec.num_combined))
        self._codec = codec
        self._vibe_ids = np.arange(codec.num_primary, codec.num_primary + codec.num_vibes, dtype=np.int32)
        self._supervisor = supervisor

    @property
    def agent_per_batch(self) -> int:
        return self.num_agents

    @property
    def driver_env(self) -> "PufferStyle":
        return self

    @property
    def env_cfg(self) -> MettaGridConfig:
        """The configuration of the environment, or the first of several."""
        raise NotImplementedError

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, Any]:
        raise NotImplementedError

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Any]:
        raise NotImplementedError

    def async_reset(self, seed: int | None = None) -> None:
        self.infos = _as_list(self.reset(seed)[1])

    def send(self, actions: np.ndarray) -> None:
        self.infos = _as_list(self.step(actions)[4])

    def recv(self) -> tuple[Any, ...]:
        """Return (observations, rewards, terminals, truncations, teacher_actions, infos, agent_ids, masks)."""
        outputs = self.observations, self.rewards, self.terminals, self.truncations
        return *outputs, self.teacher_actions, self.infos, self.agent_ids, self.masks

    def disable_supervisor(self) -> None:
        """Stop calling the supervisor; the labels are 0 from now on."""
        self._supervisor = None
        self.teacher_actions[:] = 0

    def _split(self, actions: object) -> tuple[np.ndarray, np.ndarray]:
        """Split [n] or [n, 1] combined indices or [n, 2] pairs into the two streams, in new arrays."""
        array, n = integers(actions), self.num_agents
        if array.shape == (n, 2):
            return self._codec.split_published_pairs(array)
        if array.shape not in ((n,), (n, 1)):
            raise ValueError(f"Actions must have shape [{n}], [{n}, 1] or [{n}, 2], not {list(array.shape)}")
        return self._codec.split_combined(array.reshape(n))

    def _write(self, primary: np.ndarray, vibes: np.ndarray) -> None:
        """Write the streams to the engine's arrays; agents without a vibe action take the supervisor's, if any."""
        self.actions[:] = primary
        if self._supervisor is None:
            self.vibe_actions[:] = vibes
        else:
            np.copyto(self.vibe_actions, vibes, where=vibes != 0)

    def _ask_supervisor(self) -> None:
        """Write labels for the current observations to `teacher_actions`: 0 to P-1 primary, P to P+V-1 vibe."""
        if self._supervisor is None:
            return
        self._supervisor.step_batch(self.observations, self.teacher_actions)
        split_supervisor_actions_inplace(
            self.teacher_actions,
            self.vibe_actions,
            num_primary_actions=self._codec.num_primary,
            vibe_action_ids_by_index=self._vibe_ids,
        )


def _as_list(infos: Any) -> list[dict[str, Any]]:
    """Return the infos as a list without empty ones, as PufferLib expects."""
    return infos if isinstance(infos, list) else [infos] if infos else []


def _also_puffer_env(cls: type) -> type:
    """Return the class, or, if PufferLib is loaded, a subclass of it and of `PufferEnv`, which PufferLib checks."""
    base = getattr(sys.modules.get("pufferlib"), "PufferEnv", None)
    return cls if base is None or issubclass(cls, base) else _joined(cls, base)


@cache
def _joined(cls: type, base: type) -> type:
    return type(cls.__name__, (cls, base), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})
