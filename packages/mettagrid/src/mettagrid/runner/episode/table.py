"""The data that the runner and the holders of an episode share: observations, actions, clocks."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mettagrid.runner.episode.errors import PolicyFailure, not_an_action
from mettagrid.runner.policy_server.messages import write_observation

if TYPE_CHECKING:
    import numpy as np

    from mettagrid.protobuf.sim.policy_v1 import policy_pb2
    from mettagrid.runner.episode.recorded import ActionRecorder
    from mettagrid.simulator._action_times import ActionTimes
    from mettagrid.simulator._policy_infos import PolicyInfos
    from mettagrid.simulator.interface import AgentObservation
    from mettagrid.simulator.simulator import Simulation
    from mettagrid.types import Action
    from mettagrid.util.tracer import Tracer

logger = logging.getLogger("mettagrid.runner.episode")


class SharedTable(ABC):
    """The shared state of one episode, whatever its game.

    `observations` is uint8 [agents, *shape of an observation], `actions` and `vibe_actions` int32 [agents] with the
    engine's numbers, where 0 is noop and no change. `infos` is None when no consumer needs the policies' infos.
    """

    observations: np.ndarray
    actions: np.ndarray
    vibe_actions: np.ndarray
    streams: Mapping[str, tuple[int, int]]

    def __init__(
        self,
        times: ActionTimes,
        *,
        infos: PolicyInfos | None = None,
        clock: Callable[[], float] = time.perf_counter,
        tracer: Tracer | None = None,
    ) -> None:
        self.times = times
        self.infos = infos
        self.clock = clock
        self._tracer = tracer
        self.recorder: ActionRecorder | None = None

    @abstractmethod
    def observe(self, agent: int) -> AgentObservation:
        """Return the observation of an agent for `AgentPolicy.step`."""

    @abstractmethod
    def write_observation(self, message: policy_pb2.AgentObservations, agent: int) -> None:
        """Write the observation of an agent into a message for its policy."""

    @abstractmethod
    def numbers(self, action: Action) -> tuple[int, int]:
        """Return (primary, vibe) of an action; raises PolicyFailure if the game has no such action."""

    @abstractmethod
    def say(self, agent: int, text: str, name: str) -> None:
        """Pass on a text of an agent whose policy is `name`."""

    def trace(self, agents: Sequence[int], step: int, began: float, elapsed_ms: float) -> None:
        """Record how long an answer for these agents took, for profiling."""
        if self._tracer is None:
            return
        timed_out = elapsed_ms > self.times.limit_ms
        for agent in agents:
            self._tracer.record_span(
                "agent_step",
                self._tracer.epoch_ns + int(began * 1e9),
                int(elapsed_ms * 1e6),
                pid=agent,
                agent=agent,
                step=step,
                timed_out=timed_out,
                elapsed_ms=elapsed_ms,
            )

    def show(self, agent: int, infos: Mapping[str, Any] | None) -> None:
        if self.recorder is not None:
            self.recorder.record_infos(agent, infos)
        if self.infos is not None:
            self.infos.update(agent, infos)


class Table(SharedTable):
    """The shared state of an episode of mettagrid: the arrays are the engine's own memory, observations are tokens."""

    def __init__(
        self,
        simulation: Simulation,
        times: ActionTimes,
        *,
        infos: PolicyInfos | None,
        clock: Callable[[], float] = time.perf_counter,
        tracer: Tracer | None = None,
    ) -> None:
        super().__init__(times, infos=infos, clock=clock, tracer=tracer)
        engine = simulation._c_sim
        self.simulation = simulation
        self.observations = engine.observations()
        self.actions = engine.actions()
        self.vibe_actions = engine.vibe_actions()
        self.streams = simulation._action_streams
        self._ids = simulation._action_ids
        self._agents = simulation.agents()
        self._talk_warned: set[str] = set()

    def observe(self, agent: int) -> AgentObservation:
        return self._agents[agent].observation

    def write_observation(self, message: policy_pb2.AgentObservations, agent: int) -> None:
        write_observation(message, self.observe(agent))

    def numbers(self, action: Action) -> tuple[int, int]:
        try:
            vibe = action.vibe
            if vibe is None:
                return self.streams[action.name]
            return self._ids[action.name], self._ids[vibe]
        except (KeyError, TypeError, AttributeError):
            raise PolicyFailure("protocol_error", not_an_action(action, self._ids)) from None

    def say(self, agent: int, text: str, name: str) -> None:
        """Queue a text; one that the game rejects is dropped, with one warning for each policy."""
        try:
            self._agents[agent].set_talk(text)
        except (ValueError, TypeError) as error:
            if name not in self._talk_warned:
                self._talk_warned.add(name)
                logger.warning("A text of %s was dropped: %s", name, error)
            return
        if self.recorder is not None:
            self.recorder.record_talk(agent, text)
