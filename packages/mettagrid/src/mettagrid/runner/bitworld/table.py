"""The data that the runner and the policies of a BitWorld episode share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from mettagrid.bitworld import BITWORLD_ACTION_NAMES
from mettagrid.runner.bitworld.observations import Observer
from mettagrid.runner.episode.errors import PolicyFailure, not_an_action
from mettagrid.runner.episode.table import SharedTable

if TYPE_CHECKING:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.protobuf.sim.policy_v1 import policy_pb2
    from mettagrid.simulator._action_times import ActionTimes
    from mettagrid.simulator.interface import AgentObservation
    from mettagrid.types import Action
    from mettagrid.util.tracer import Tracer

__all__ = ["BitWorldTable", "PolicyView"]


class BitWorldTable(SharedTable):
    """The actions of all players, and the texts that they want to say."""

    def __init__(
        self, num_agents: int, times: ActionTimes, *, clock: Callable[[], float], tracer: Tracer | None
    ) -> None:
        super().__init__(times, clock=clock, tracer=tracer)
        self.observations = np.zeros((num_agents, 0), np.uint8)
        self.actions = np.zeros(num_agents, np.int32)
        self.vibe_actions = np.zeros(num_agents, np.int32)
        self.streams = {name: (number, 0) for number, name in enumerate(BITWORLD_ACTION_NAMES)}
        self.texts: dict[int, str] = {}

    def observe(self, agent: int) -> AgentObservation:
        raise PolicyFailure("protocol_error", "has no `step_batch`, which BitWorld games need")

    def write_observation(self, message: policy_pb2.AgentObservations, agent: int) -> None:
        message.agent_id = agent
        message.observations = self.observations[agent].tobytes()

    def numbers(self, action: Action) -> tuple[int, int]:
        try:
            return self.streams[action.name]
        except (KeyError, TypeError, AttributeError):
            raise PolicyFailure("protocol_error", not_an_action(action, self.streams)) from None

    def say(self, agent: int, text: str, name: str) -> None:
        self.texts[agent] = text
        if self.recorder is not None:
            self.recorder.record_talk(agent, text)


class PolicyView(BitWorldTable):
    """The table as one policy sees it: observations of its kind for its own players, everything else shared."""

    def __init__(self, table: BitWorldTable, interface: PolicyEnvInterface, agents: list[int]) -> None:
        self.__dict__.update(vars(table))
        self.observer = Observer(interface, agents)
        self.observations = self.observer.rows
