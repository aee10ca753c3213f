"""The data that the runner and the holders of an episode share: observations, actions, clocks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mettagrid.runner.episode.errors import PolicyFailure, not_an_action

if TYPE_CHECKING:
    import numpy as np

    from mettagrid.runner.episode.recorded import ActionRecorder
    from mettagrid.simulator._action_times import ActionTimes
    from mettagrid.simulator._policy_infos import PolicyInfos
    from mettagrid.simulator.interface import AgentObservation
    from mettagrid.simulator.simulator import Simulation
    from mettagrid.types import Action
    from mettagrid.util.tracer import Tracer

logger = logging.getLogger("mettagrid.runner.episode")


class Table:
    """The shared state of one episode.

    `observations` is uint8 [agents, tokens, 3], `actions` and `vibe_actions` int32 [agents] with the engine's numbers,
    where 0 is noop and no change: the engine's own memory. `infos` is None when no consumer needs the policies' infos.
    """

    def __init__(
        self,
        simulation: Simulation,
        times: ActionTimes,
        *,
        infos: PolicyInfos | None,
        clock: Callable[[], float] = time.perf_counter,
        tracer: Tracer | None = None,
    ) -> None:
        engine = simulation._c_sim
        self.simulation = simulation
        self.times = times
        self.infos = infos
        self.clock = clock
        self._tracer = tracer
        self.observations: np.ndarray = engine.observations()
        self.actions: np.ndarray = engine.actions()
        self.vibe_actions: np.ndarray = engine.vibe_actions()
        self.streams = simulation._action_streams
        self._ids = simulation._action_ids
        self._agents = simulation.agents()
        self._talk_warned: set[str] = set()
        self.recorder: ActionRecorder | None = None

    def observe(self, agent: int) -> AgentObservation:
        return self._agents[agent].observation

    def numbers(self, action: Action) -> tuple[int, int]:
        """Return (primary, vibe) of an action; raises PolicyFailure if the game has no such action."""
        try:
            vibe = action.vibe
            if vibe is None:
                return self.streams[action.name]
            return self._ids[action.name], self._ids[vibe]
        except (KeyError, TypeError, AttributeError):
            raise PolicyFailure("protocol_error", not_an_action(action, self._ids)) from None

    def say(self, agent: int, text: str, name: str) -> None:
        """Queue a text of an agent; a text that the game rejects is dropped, with one warning for each policy."""
        try:
            self._agents[agent].set_talk(text)
        except (ValueError, TypeError) as error:
            if name not in self._talk_warned:
                self._talk_warned.add(name)
                logger.warning("A text of %s was dropped: %s", name, error)
            return
        if self.recorder is not None:
            self.recorder.record_talk(agent, text)

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
