"""Play one episode with a policy object for each agent.

This is the published interface: an exception of a policy ends the episode. `mettagrid.runner.episode` is the runner
that turns such an exception into a verdict on the policy.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from mettagrid.envs.stats_tracker import StatsTracker
from mettagrid.renderer.renderer import Renderer, RenderMode, create_renderer
from mettagrid.simulator._action_times import ActionTimes
from mettagrid.simulator._policy_infos import PolicyInfos
from mettagrid.simulator.simulator import Simulator
from mettagrid.types import Action
from mettagrid.util.tracer import NullTracer, Tracer

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.policy.policy import AgentPolicy
    from mettagrid.simulator.interface import AgentObservation, SimulatorEventHandler
    from mettagrid.util.stats_writer import StatsWriter

__all__ = ["Rollout", "StepResult", "gc_disabled"]

StepResult = tuple[int, Action, float, dict[str, Any], int, int]
"""Agent, action, milliseconds, infos, start and duration in nanoseconds: the published type of one agent's step."""

NOOP = Action(name="noop")
_PENDING_RENDER_SECONDS = 0.03
"""seconds between two frames that a renderer draws while it waits for policies"""


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable garbage collection inside the block, so that its pauses do not count against a policy's time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass
class _Answer:
    """The answer of an agent's policy; times are those of `time.perf_counter_ns`."""

    agent: int
    action: Action
    infos: dict[str, Any] | None
    start_ns: int
    duration_ns: int


class Rollout:
    """Plays an episode of `config`; agents beyond the end of `policies` do nothing.

    In every step each agent's policy chooses an action, in agent order. Agents with the same entry in
    `policy_group_keys` are a group: if `can_step_group` of the first one's policy returns True, its `step_group` is
    called once for all of them, otherwise they are stepped one by one. Several groups run concurrently, each in a
    thread. See `ActionTimes` for `max_action_time_ms` and `overage_budget_ms`: a call is never interrupted, and a late
    answer is replaced by a noop.

    With `render_mode="gui"` the first frame is rendered before the first action. A renderer that supports it draws
    while policies run (`render_pending`); if it ends the episode then, the step is abandoned.

    `sim._context` holds `policies`, `policy_infos` ({agent: its policy's infos}) and `monologue_updates`.
    """

    _clock_ns = staticmethod(time.perf_counter_ns)

    def __init__(
        self,
        config: MettaGridConfig,
        policies: list[AgentPolicy],
        policy_names: Sequence[str] | None = None,
        max_action_time_ms: int | None = 10000,
        overage_budget_ms: int | None = None,
        render_mode: RenderMode | None = None,
        seed: int = 0,
        event_handlers: list[SimulatorEventHandler] | None = None,
        stats_writer: StatsWriter | None = None,
        autostart: bool = False,
        tracer: Tracer | None = None,
        policy_group_keys: Sequence[object] | None = None,
    ) -> None:
        names = [type(policy).__name__ for policy in policies]
        names[: len(policy_names or ())] = list(policy_names or ())[: len(policies)]
        if policy_group_keys is not None and len(policy_group_keys) != len(policies):
            raise ValueError(
                "policy_group_keys must have same length as policies: "
                f"there are {len(policy_group_keys)} keys and {len(policies)} policies"
            )
        self._config = config
        self._policies = policies
        self._tracer = tracer or NullTracer()
        self._groups = _groups(policy_group_keys, len(policies))
        self._has_groups = policy_group_keys is not None
        self._policy_step_pool: ThreadPoolExecutor | None = None
        self._times = ActionTimes(names, limit_ms=max_action_time_ms, budget_ms=overage_budget_ms)
        self._renderer: Renderer | None = None if render_mode is None else create_renderer(render_mode, autostart)
        self._simulator = Simulator()
        for handler in event_handlers or ():
            self._simulator.add_event_handler(handler)
        if self._renderer is not None:
            self._simulator.add_event_handler(self._renderer)
        if stats_writer is not None:
            self._simulator.add_event_handler(StatsTracker(stats_writer))
        self._sim = self._simulator.new_simulation(config, seed=seed)
        self._agents = self._sim.agents()
        self._infos = PolicyInfos(names)
        self._sim._context["policies"] = policies
        self._infos.share_with(self._sim)
        self._policy_infos = self._infos.current
        self._step_count = 0
        for policy in policies:
            policy.reset()
        if self._renderer is not None and render_mode == "gui":
            self._renderer.render()

    def step(self) -> None:
        """Play one step: policies choose actions, people may override them, the world ticks, the renderer draws."""
        try:
            self._take_step()
        except BaseException:
            if self._renderer is not None:
                self._renderer.on_close()  # the display must not outlive the episode
            raise
        self._step_count += 1

    def _take_step(self) -> None:
        with gc_disabled():
            answers = self._ask_all()
            if answers is None:
                return  # the renderer ended the episode while policies were running
            for answer in answers:
                self._apply(answer)
            if self._renderer is not None:
                self._renderer.apply_deferred_user_actions()
            with self._tracer.span("env_step", step=self._step_count):
                self._sim.step()
            if self._renderer is not None and not self._sim.is_done():
                self._renderer.render()

    def run_until_done(self) -> None:
        """Play to the end."""
        try:
            while not self.is_done():
                self.step()
        finally:
            self._close_pool()

    def is_done(self) -> bool:
        return self._sim.is_done()

    @property
    def timeout_counts(self) -> list[int]:
        """The number of late answers of each agent."""
        return self._times.timeouts

    @property
    def overage_exceeded_at(self) -> list[int | None]:
        """The step at which each agent was disabled; None for agents that were not."""
        return self._times.exceeded_at

    def _ask_all(self) -> Iterable[_Answer] | None:
        """Return the answers of all agents, or None if the renderer ended the episode in the meantime.

        Without threads, each agent is stepped when the caller takes its answer.
        """
        live = [[agent for agent in group if not self._skip_disabled(agent)] for group in self._groups]
        groups = [group for group in live if group]
        if len(groups) > 1 or self._draws_while_waiting():
            return self._ask_in_threads(groups)
        return chain.from_iterable(map(self._ask_group, groups))

    def _ask_in_threads(self, groups: list[list[int]]) -> Iterable[_Answer] | None:
        pool = self._policy_step_pool = self._policy_step_pool or ThreadPoolExecutor(
            max(1, len(self._groups)), "policy-group"
        )
        futures = [pool.submit(lambda group: list(self._ask_group(group)), group) for group in groups]
        if not self._wait_for(futures):
            for future in futures:
                future.cancel()
            self._close_pool()
            return None
        return chain.from_iterable([future.result() for future in futures])

    def _wait_for(self, futures: list[Future[list[_Answer]]]) -> bool:
        """Wait until all are done while drawing; return False if the episode ended first."""
        draws = self._draws_while_waiting()
        while wait(futures, timeout=_PENDING_RENDER_SECONDS if draws else None).not_done:
            assert self._renderer is not None
            self._renderer.render_pending()
            if self._sim.is_done():
                return False
        return True

    def _draws_while_waiting(self) -> bool:
        return self._renderer is not None and self._renderer.supports_pending_render()

    def _close_pool(self) -> None:
        """Drop the threads without waiting for a policy that does not return."""
        if self._policy_step_pool is not None:
            self._policy_step_pool.shutdown(wait=False, cancel_futures=True)
            self._policy_step_pool = None

    def _skip_disabled(self, agent: int) -> bool:
        if not self._times.is_disabled(agent):
            return False
        self._agents[agent].set_action(NOOP)
        self._infos.update(agent, None)
        return True

    def _ask_group(self, group: list[int]) -> Iterable[_Answer]:
        policies = [self._policies[agent] for agent in group]
        if self._has_groups and policies[0].can_step_group(policies):
            return self._ask_together(group)
        return map(self._ask_one, group)

    def _ask_one(self, agent: int) -> _Answer:
        policy, observation = self._policies[agent], self._agents[agent].observation
        start_ns = self._clock_ns()
        action = policy.step(observation)
        return _Answer(agent, action, policy.infos, start_ns, self._clock_ns() - start_ns)

    def _ask_together(self, group: list[int]) -> list[_Answer]:
        first = self._policies[group[0]]
        observations: list[tuple[int, AgentObservation]] = [(a, self._agents[a].observation) for a in group]
        start_ns = self._clock_ns()
        actions = first.step_group(observations)
        duration_ns = self._clock_ns() - start_ns
        if len(actions) != len(group):
            raise ValueError(
                f"{type(first).__name__}.step_group must return an action for each of the {len(group)} agents, "
                f"not {len(actions)}"
            )
        tell = getattr(first, "group_step_infos", None)
        infos = tell(group) if tell is not None else [None] * len(group)
        answers = zip(group, actions, infos, strict=True)
        return [_Answer(agent, action, agent_infos, start_ns, duration_ns) for agent, action, agent_infos in answers]

    def _apply(self, answer: _Answer) -> None:
        agent, view = answer.agent, self._agents[answer.agent]
        elapsed_ms = answer.duration_ns / 1e6
        in_time = self._times.accept(agent, elapsed_ms, self._step_count)
        metadata = {"agent": agent, "step": self._step_count, "timed_out": not in_time, "elapsed_ms": elapsed_ms}
        start_ns = self._tracer.epoch_ns + answer.start_ns
        self._tracer.record_span("agent_step", start_ns, answer.duration_ns, pid=agent, **metadata)
        self._infos.update(agent, answer.infos)
        if not in_time:
            view.set_action(NOOP)
            return
        view.set_action(answer.action)
        talk = getattr(answer.action, "talk", None)
        if talk is not None:
            view.set_talk(talk)


def _groups(keys: Sequence[object] | None, count: int) -> list[list[int]]:
    """Return the agents by key, in order of first appearance; all in one group without keys."""
    if keys is None:
        return [list(range(count))]
    groups: dict[object, list[int]] = {}
    for agent, key in enumerate(keys):
        groups.setdefault(key, []).append(agent)
    return list(groups.values())
