"""The episode loop: observations to policies, actions to the engine, until the episode is over."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mettagrid.runner.episode.errors import MachineFault, PolicyFailure, PolicyLoadError
from mettagrid.runner.episode.generators import episode_id, restored_generators
from mettagrid.runner.episode.holder import SeatHolder, Seats
from mettagrid.runner.episode.in_process import InProcess, InProcessHolder
from mettagrid.runner.episode.outcome import EpisodeOutcome, EpisodeTimings, PolicyTimings, Verdict
from mettagrid.runner.episode.table import Table
from mettagrid.runner.episode.waiting import Waiting
from mettagrid.runner.rollout import resolve_env_for_seed
from mettagrid.simulator._action_times import ActionTimes
from mettagrid.simulator._policy_infos import PolicyInfos
from mettagrid.simulator.simulator import Simulation
from mettagrid.simulator.time_averaged_stats import TimeAveragedStatsHandler
from mettagrid.util.tracer import NullTracer

if TYPE_CHECKING:
    from mettagrid.renderer.renderer import Renderer
    from mettagrid.replay import BackgroundWriter
    from mettagrid.runner.episode.plan import EpisodePlan
    from mettagrid.simulator.interface import SimulatorEventHandler
    from mettagrid.util.tracer import Tracer

__all__ = ["play_episode"]

logger = logging.getLogger("mettagrid.runner.episode")

NO_POLICY = -1


def play_episode(
    plan: EpisodePlan,
    *,
    event_handlers: Sequence[SimulatorEventHandler] = (),
    renderer: Renderer | None = None,
    clock: Callable[[], float] = time.perf_counter,
    turn: Callable[[int], None] | None = None,
    warned: set[str] | None = None,
    background: BackgroundWriter | None = None,
    tracer: Tracer | None = None,
) -> EpisodeOutcome:
    """Play one episode to its end.

    A policy that raises an exception, sends an invalid answer or exits gets a verdict; its agents do nothing from then
    on, and the other policies continue. Raises `PolicyLoadError` for a policy that cannot be loaded, unless the plan
    makes that a verdict, and `MachineFault` for a fault of this machine, which ends the episode.
    `turn(index)` is called whenever a policy's code begins to run in this process, and with -1 when it ends. `warned`
    holds the names of policies that have caused a warning, across several episodes. With `background`, that writer
    writes the replay; wait for it to have the complete file. `tracer` gets a span for each answer and each step.
    """
    with restored_generators():
        episode = _Episode(
            plan,
            [*event_handlers],
            renderer=renderer,
            clock=clock,
            turn=turn or (lambda index: None),
            warned=warned,
            tracer=tracer,
        )
        try:
            episode.prepare()
            episode.play()
        except BaseException:
            if renderer is not None:
                renderer.on_close()  # the display must not outlive the episode
            raise
        finally:
            episode.close()
        return episode.outcome(background)


class _Episode:
    def __init__(
        self,
        plan: EpisodePlan,
        handlers: list[SimulatorEventHandler],
        *,
        renderer: Renderer | None,
        clock: Callable[[], float],
        turn: Callable[[int], None],
        warned: set[str] | None,
        tracer: Tracer | None,
    ) -> None:
        self._began = time.perf_counter()
        self._plan = plan
        self._turn = turn
        self._renderer = renderer
        self._warned = set() if warned is None else warned
        self._verdicts = dict(plan.barred)
        self._timings = EpisodeTimings(policies=[PolicyTimings() for _ in plan.policies])
        self._averages = TimeAveragedStatsHandler()
        self._holders: dict[int, SeatHolder] = {}
        self._last_words: dict[int, str] = {}
        self._waiting = Waiting(clock)

        env = resolve_env_for_seed(plan.env, plan.seed)
        self._recorder = None
        if plan.replay_path is not None:
            from mettagrid.simulator.replay_log_writer import InMemoryReplayWriter

            self._recorder = InMemoryReplayWriter()
            handlers.append(self._recorder)
        names = plan.names
        agent_names = [names[policy] for policy in plan.assignments]
        wants_infos = bool(handlers) or renderer is not None
        infos = PolicyInfos(agent_names) if wants_infos else None
        if renderer is not None:
            handlers.append(renderer)
        self._times = ActionTimes(
            agent_names, limit_ms=plan.max_action_time_ms, budget_ms=plan.overage_budget_ms, warned=self._warned
        )
        self._simulation = Simulation(env, seed=plan.seed, event_handlers=[*handlers, self._averages])
        if infos is not None:
            infos.share_with(self._simulation)
        self._table = Table(self._simulation, self._times, infos=infos, clock=clock, tracer=tracer)
        if plan.actions_path is not None:
            from mettagrid.runner.episode.recorded import ActionRecorder

            self._table.recorder = ActionRecorder(self._table)
        self._tracer = tracer or NullTracer()
        self._agents_of = {
            policy: [agent for agent, assigned in enumerate(plan.assignments) if assigned == policy]
            for policy in range(len(plan.policies))
        }
        self._env = env

    def prepare(self) -> None:
        """Create all policies, those in other processes concurrently, and start them."""
        from mettagrid.policy.policy_env_interface import PolicyEnvInterface

        plan, names = self._plan, self._plan.names
        interface = PolicyEnvInterface.from_mg_cfg(self._env)
        for index, policy in enumerate(plan.policies):
            if index in self._verdicts or not self._agents_of[index]:
                continue
            source = policy if hasattr(policy, "open") else InProcess(policy, plan.device)
            seats = Seats(
                policy_index=index,
                policy_name=names[index],
                agent_ids=self._agents_of[index],
                interface=interface,
                episode_id=episode_id(plan.seed if plan.policy_seed is None else plan.policy_seed, index),
                table=self._table,
                timings=self._timings.policies[index],
                patience_ms=plan.patience_ms,
                answer_budget_s=plan.answer_budget_s,
            )
            with self._policy_code(index, step=None):
                self._holders[index] = source.open()
                self._timings.policies[index].isolation = self._holders[index].isolation
                self._holders[index].prepare(seats)
        self._wait(step=None, deadline=self._table.clock() + plan.prepare_timeout_s)
        needed = [holder.minimum_action_timeout_ms for holder in self._holders.values()]
        self._times.limit_ms = max([self._times.limit_ms, *needed])
        for index, holder in list(self._holders.items()):
            with self._policy_code(index, step=0):
                holder.start(self._times.limit_ms)
        sharing = [holder for holder in self._holders.values() if holder.shares_generators]
        if len(sharing) == 1 and isinstance(sharing[0], InProcessHolder):
            sharing[0].keep_generators_in_place()
        self._timings.setup_ms = 1000 * (time.perf_counter() - self._began)

    def play(self) -> None:
        simulation, table, renderer, times = self._simulation, self._table, self._renderer, self._times
        collects = gc.isenabled()
        try:
            while not simulation.is_done():
                # Its pauses would count against the policy that is being timed.
                gc.disable()
                step = simulation.current_step
                table.actions.fill(0)
                table.vibe_actions.fill(0)
                self._ask(step)
                if times.has_budget:
                    self._drop_disabled()
                if renderer is not None:
                    renderer.apply_deferred_user_actions()
                if table.recorder is not None:
                    table.recorder.step()
                if collects:
                    gc.enable()
                with self._tracer.span("env_step", step=step):
                    simulation.step()
                if renderer is not None and not simulation.is_done():
                    renderer.render()
        finally:
            if collects:
                gc.enable()

    def close(self) -> None:
        for index in list(self._holders):
            self._holders.pop(index).close()
        self._waiting.close()

    def outcome(self, background: BackgroundWriter | None) -> EpisodeOutcome:
        plan, simulation, times = self._plan, self._simulation, self._times
        replay_path = self._write_replay(background)
        if self._table.recorder is not None and plan.actions_path is not None:
            self._table.recorder.write(plan.actions_path)
        self._timings.total_ms = 1000 * (time.perf_counter() - self._began)
        outcome = EpisodeOutcome(
            seed=plan.seed,
            assignments=list(plan.assignments),
            policy_names=plan.names,
            rewards=simulation.episode_rewards.tolist(),
            action_timeouts=times.timeouts,
            stats=simulation.episode_stats,
            steps=simulation.current_step,
            max_steps=self._env.game.max_steps,
            time_averaged_game_stats=self._averages.time_averaged_game_stats,
            overage_exceeded_at=times.exceeded_at,
            verdicts=[self._verdict(index) for index in range(len(plan.policies))],
            replay_path=replay_path,
            timings=self._timings,
            last_words=[self._last_words.get(index, "") for index in range(len(plan.policies))],
        )
        simulation.close()
        return outcome

    def _ask(self, step: int) -> None:
        """Ask all policies, those in other processes first, so that they compute while the ones in this process run."""
        must_wait = False
        for index, holder in list(self._holders.items()):
            if holder.fileno() is not None:
                must_wait = True
                with self._policy_code(index, step):
                    holder.ask(step)
        for index, holder in list(self._holders.items()):
            if holder.fileno() is None:
                self._turn(index)
                try:
                    holder.ask(step)
                except PolicyFailure as failure:
                    self._fail(index, failure, step)
        self._turn(NO_POLICY)
        if must_wait:
            self._wait(step)

    def _wait(self, step: int | None, deadline: float | None = None) -> None:
        for index, failure in self._waiting.until_done(self._holders, step, deadline):
            self._fail(index, failure, step)

    @contextmanager
    def _policy_code(self, index: int, step: int | None) -> Iterator[None]:
        """Turn a failure of the policy code that runs inside into the policy's verdict."""
        self._turn(index)
        try:
            yield
        except PolicyFailure as failure:
            self._fail(index, failure, step)
        finally:
            self._turn(NO_POLICY)

    def _fail(self, index: int, failure: PolicyFailure, step: int | None) -> None:
        name = self._plan.names[index]
        holder = self._holders.pop(index, None)
        self._last_words[index] = failure.details
        if holder is not None:
            self._waiting.forget(index)
            fault = holder.machine_fault()
            self._last_words[index] = failure.details or holder.last_words()
            holder.close()
            if fault is not None:
                raise MachineFault(f"The machine failed while {name} played: {fault}")
        if step is None and self._plan.load_failure == "raise":
            cause = failure.__cause__
            error_type = failure.status if cause is None else type(cause).__name__
            last_words = self._last_words.get(index, "")
            raise PolicyLoadError(index, name, error_type, str(cause or failure.message), last_words) from cause
        self._verdicts[index] = Verdict(status=failure.status, message=failure.message, step=step)
        warning = f"{name} is out"  # once for all episodes; the verdicts count the rest
        level = logging.DEBUG if warning in self._warned else logging.WARNING
        self._warned.add(warning)
        when = "" if step is None else f" at step {step}"
        logger.log(level, "%s is out (%s%s): %s", name, failure.status, when, failure.message)
        if self._last_words.get(index):
            logger.debug("%s:\n%s", name, self._last_words[index])

    def _drop_disabled(self) -> None:
        for index, holder in list(self._holders.items()):
            ends = [self._times.exceeded_at[agent] for agent in self._agents_of[index]]
            if None not in ends:
                self._holders.pop(index)
                self._waiting.forget(index)
                holder.close()
                self._verdicts[index] = Verdict(
                    status="disabled",
                    message="used up its overage budget",
                    step=max(end for end in ends if end is not None),
                )

    def _verdict(self, index: int) -> Verdict:
        timeouts = sum(self._times.timeouts[agent] for agent in self._agents_of[index])
        verdict = self._verdicts.get(index) or Verdict(status="timed_out" if timeouts else "ok")
        return verdict.model_copy(update={"timeouts": timeouts})

    def _write_replay(self, background: BackgroundWriter | None) -> str | None:
        if self._recorder is None:
            return None
        path = str(self._plan.replay_path)
        replay = self._recorder.get_completed_replays()[-1]
        if self._plan.policy_seed is not None:
            replay.hide_seeds()
        if background is None:
            replay.write_replay(path)
        else:
            background.submit(lambda: replay.write_replay(path), path)
        return path
