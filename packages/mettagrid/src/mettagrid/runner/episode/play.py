"""The episode loop: observations to policies, actions to the engine, until the episode is over."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.episode.generators import restored_generators
from mettagrid.runner.episode.outcome import EpisodeOutcome
from mettagrid.runner.episode.seated import NO_POLICY, SeatedEpisode
from mettagrid.runner.episode.table import Table
from mettagrid.runner.rollout import resolve_env_for_seed
from mettagrid.simulator._policy_infos import PolicyInfos
from mettagrid.simulator.simulator import Simulation
from mettagrid.simulator.time_averaged_stats import TimeAveragedStatsHandler
from mettagrid.util.tracer import NullTracer

if TYPE_CHECKING:
    from mettagrid.live import LiveDoor
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.renderer.renderer import Renderer
    from mettagrid.replay import BackgroundWriter, Replay
    from mettagrid.runner.episode.plan import EpisodePlan
    from mettagrid.simulator.interface import SimulatorEventHandler
    from mettagrid.simulator.replay_log_writer import InMemoryReplayWriter
    from mettagrid.util.tracer import Tracer

__all__ = ["NO_POLICY", "play_episode"]


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
    live: LiveDoor | None = None,
    on_replay: Callable[[Replay], None] | None = None,
) -> EpisodeOutcome:
    """Play one episode to its end.

    A policy that raises an exception, sends an invalid answer or exits gets a verdict; its agents do nothing from then
    on, and the other policies continue. Raises `PolicyLoadError` for a policy that cannot be loaded, unless the plan
    makes that a verdict, and `MachineFault` for a fault of this machine, which ends the episode.
    `turn(index)` is called whenever a policy's code begins to run in this process, and with -1 when it ends. `warned`
    holds the names of policies that have caused a warning, across several episodes. With `background`, that writer
    writes the replay; wait for it to have the complete file. `tracer` gets a span for each answer and each step.
    `live` lets people watch an episode while it is played; one of mettagrid only if it is recorded.
    `on_replay` gets the replay that is written, before it is; a BitWorld game has none.
    """
    with restored_generators():
        turn = turn or (lambda index: None)
        episode: SeatedEpisode
        if isinstance(plan.env, MettaGridConfig):
            episode = _GridEpisode(
                plan,
                plan.env,
                [*event_handlers],
                renderer=renderer,
                clock=clock,
                turn=turn,
                warned=warned,
                tracer=tracer,
                live=live,
                on_replay=on_replay,
            )
        else:
            from mettagrid.runner.bitworld.episode import BitWorldEpisode

            if event_handlers or renderer is not None:
                raise ValueError("A BitWorld game has no events and no renderer here; watch its replay instead")
            episode = BitWorldEpisode(plan, plan.env, clock=clock, turn=turn, warned=warned, tracer=tracer, live=live)
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


class _GridEpisode(SeatedEpisode):
    def __init__(
        self,
        plan: EpisodePlan,
        env: MettaGridConfig,
        handlers: list[SimulatorEventHandler],
        *,
        renderer: Renderer | None,
        clock: Callable[[], float],
        turn: Callable[[int], None],
        warned: set[str] | None,
        tracer: Tracer | None,
        live: LiveDoor | None,
        on_replay: Callable[[Replay], None] | None,
    ) -> None:
        super().__init__(plan, clock=clock, turn=turn, warned=warned)
        self._renderer = renderer
        self._on_replay = on_replay
        self._averages = TimeAveragedStatsHandler()
        self._env = resolve_env_for_seed(env, plan.seed)
        self._recorder: InMemoryReplayWriter | None = None
        if plan.replay_path is not None:
            from mettagrid.simulator.replay_log_writer import InMemoryReplayWriter, WatchedReplayWriter

            if live is None:
                self._recorder = InMemoryReplayWriter()
            else:
                from mettagrid.live import Broadcast

                broadcast = Broadcast()
                live.show(broadcast)
                self._recorder = WatchedReplayWriter(broadcast, self._agent_names)
            handlers.append(self._recorder)
        wants_infos = bool(handlers) or renderer is not None
        infos = PolicyInfos(self._agent_names) if wants_infos else None
        if renderer is not None:
            handlers.append(renderer)
        self._simulation = Simulation(self._env, seed=plan.seed, event_handlers=[*handlers, self._averages])
        if infos is not None:
            infos.share_with(self._simulation)
        self._table: Table = Table(self._simulation, self._times, infos=infos, clock=clock, tracer=tracer)
        if plan.actions_path is not None:
            from mettagrid.runner.episode.recorded import ActionRecorder

            self._table.recorder = ActionRecorder(self._table)
        self._tracer = tracer or NullTracer()

    def _interface(self, index: int) -> PolicyEnvInterface:
        from mettagrid.policy.policy_env_interface import PolicyEnvInterface

        return PolicyEnvInterface.from_mg_cfg(self._env)

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

    def _write_replay(self, background: BackgroundWriter | None) -> str | None:
        if self._recorder is None:
            return None
        path = str(self._plan.replay_path)
        replay = self._recorder.get_completed_replays()[-1]
        if self._plan.policy_seed is not None:
            replay.hide_seeds()
        if self._on_replay is not None:
            self._on_replay(replay.replay)
        if background is None:
            replay.write_replay(path)
        else:
            background.submit(lambda: replay.write_replay(path), path)
        return path
