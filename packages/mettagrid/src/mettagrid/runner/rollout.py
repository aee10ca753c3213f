"""Play episodes from policy specs with the published interface: an exception of a policy ends the episode.

`mettagrid.runner.episode` plays episodes with verdicts, in several processes, and faster.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.map_builder import HasSeed
from mettagrid.renderer.renderer import RenderMode
from mettagrid.runner.engine_registry import get_engine_runner, is_registered
from mettagrid.runner.types import PureSingleEpisodeJob, PureSingleEpisodeResult, check_assignments
from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult, MultiEpisodeRolloutResult
from mettagrid.simulator.rollout import Rollout
from mettagrid.simulator.time_averaged_stats import TimeAveragedStatsHandler
from mettagrid.util.tracer import Tracer

if TYPE_CHECKING:
    from mettagrid.config.env_config import EnvConfig
    from mettagrid.policy.policy import MultiAgentPolicy
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.simulator.interface import SimulatorEventHandler
    from mettagrid.simulator.replay_log_writer import EpisodeReplay

__all__ = [
    "resolve_action_timeout_ms",
    "resolve_env_for_seed",
    "run_episode_local",
    "run_multi_episode_rollout",
    "single_episode_rollout",
]


def resolve_env_for_seed(env: MettaGridConfig, seed: int) -> MettaGridConfig:
    """Return the environment, or, if its map has no seed, a copy whose map is drawn from `seed`.

    The copy shares everything but the map builder with the original, which is not changed.
    """
    builder = env.game.map_builder
    if not isinstance(builder, HasSeed) or builder.seed is not None:
        return env
    game = env.game.model_copy(update={"map_builder": builder.model_copy(update={"seed": seed})})
    return env.model_copy(update={"game": game})


def resolve_action_timeout_ms(max_action_time_ms: int, policies: Sequence[MultiAgentPolicy]) -> int:
    """Return the time limit of an episode: the requested one, or the most that one of the policies needs."""
    return max([max_action_time_ms, *(policy.minimum_action_timeout_ms for policy in policies)])


def single_episode_rollout(
    policies: Sequence[MultiAgentPolicy],
    assignments: Sequence[int],
    env: MettaGridConfig,
    *,
    seed: int,
    max_action_time_ms: int,
    overage_budget_ms: int | None = None,
    render_mode: RenderMode | None,
    autostart: bool,
    capture_replay: bool,
    policy_names: Sequence[str] | None = None,
    trace_path: Path | None = None,
) -> tuple[PureSingleEpisodeResult, EpisodeReplay | None]:
    """Play one episode with existing policies.

    `assignments` holds the policy of each agent, `policy_names` the name of each policy. The time limit is raised to
    what the policies need and passed to them.
    """
    check_assignments(assignments, num_agents=env.game.num_agents, num_policies=len(policies))
    limit_ms = resolve_action_timeout_ms(max_action_time_ms, policies)
    for policy in policies:
        policy.configure_action_timeout_ms(limit_ms)
    names = list(policy_names or (type(policy).__name__ for policy in policies))
    averages = TimeAveragedStatsHandler()
    handlers: list[SimulatorEventHandler] = [averages]
    recorder = None
    if capture_replay:
        from mettagrid.simulator.replay_log_writer import InMemoryReplayWriter

        recorder = InMemoryReplayWriter()
        handlers.append(recorder)
    tracer = None if trace_path is None else Tracer(trace_path)
    try:
        rollout = Rollout(
            env,
            [policies[policy].agent_policy(agent) for agent, policy in enumerate(assignments)],
            policy_names=[names[policy] for policy in assignments],
            max_action_time_ms=limit_ms,
            overage_budget_ms=overage_budget_ms,
            render_mode=render_mode,
            seed=seed,
            event_handlers=handlers,
            autostart=autostart,
            tracer=tracer,
            policy_group_keys=list(assignments),
        )
        rollout.run_until_done()
    finally:
        if tracer is not None:
            tracer.flush()
    simulation = rollout._sim
    result = PureSingleEpisodeResult(
        rewards=simulation.episode_rewards.tolist(),
        action_timeouts=rollout.timeout_counts,
        stats=simulation.episode_stats,
        steps=simulation.current_step,
        time_averaged_game_stats=averages.time_averaged_game_stats,
        overage_exceeded_at=rollout.overage_exceeded_at,
    )
    replays = recorder.get_completed_replays() if recorder is not None else []
    return result, replays[-1] if replays else None


def run_episode_local(
    *,
    policy_specs: Sequence[PolicySpec],
    assignments: Sequence[int],
    env: EnvConfig,
    results_path: Path | None = None,
    replay_path: Path | None = None,
    debug_dir: Path | None = None,
    seed: int = 0,
    max_action_time_ms: int = 10000,
    overage_budget_ms: int | None = None,
    device: str | None = None,
    render_mode: RenderMode | None = None,
    autostart: bool = False,
    game_engine: str | None = None,
) -> tuple[PureSingleEpisodeResult, EpisodeReplay | None]:
    """Create the policies, play one episode, and write the requested files.

    The result goes to `results_path` as JSON, the replay to `replay_path`, a `trace.json` to `debug_dir`. A map without
    its own seed is drawn from `seed`. Raises ValueError if an agent has no policy.
    """
    engine = game_engine or env.game_engine
    if isinstance(env, BitWorldEnvConfig) and not is_registered(engine):
        limits = {"max_action_time_ms": max_action_time_ms, "overage_budget_ms": overage_budget_ms}
        return _play_bitworld(policy_specs, assignments, env, results_path, replay_path, seed, device, limits), None
    if not isinstance(env, MettaGridConfig):
        job = _job(policy_specs, assignments, env, results_path, replay_path, debug_dir, seed, max_action_time_ms)
        return _other_engine(engine)(job), None
    check_assignments(assignments, num_agents=env.game.num_agents, num_policies=len(policy_specs))
    env = resolve_env_for_seed(env, seed)
    if debug_dir is not None:
        debug_dir.mkdir(parents=True, exist_ok=True)
    result, replay = single_episode_rollout(
        _make_policies(policy_specs, env, device),
        assignments,
        env,
        seed=seed,
        max_action_time_ms=max_action_time_ms,
        overage_budget_ms=overage_budget_ms,
        render_mode=render_mode,
        autostart=autostart,
        capture_replay=replay_path is not None,
        policy_names=[spec.name for spec in policy_specs],
        trace_path=None if debug_dir is None else debug_dir / "trace.json",
    )
    if results_path is not None:
        results_path.parent.mkdir(parents=True, exist_ok=True)
        results_path.write_text(result.model_dump_json())
    if replay_path is not None and replay is not None:
        replay_path.parent.mkdir(parents=True, exist_ok=True)
        replay.write_replay(str(replay_path))
    return result, replay


def run_multi_episode_rollout(
    *,
    policy_specs: Sequence[PolicySpec],
    assignments: Sequence[int],
    env_cfg: EnvConfig,
    episodes: int,
    seed: int,
    max_action_time_ms: int,
    overage_budget_ms: int | None = None,
    replay_dir: str | Path | None = None,
    create_replay_dir: bool = False,
    rng: random.Random | None = None,
    device: str | None = None,
    on_progress: Callable[[int, EpisodeRolloutResult], None] | None = None,
    shuffle_assignments: bool = True,
    game_engine: str | None = None,
) -> tuple[MultiEpisodeRolloutResult, list[str]]:
    """Play several episodes one after the other and return their results and the paths of their replays.

    Episode k has the seed `seed + k` and new policies. The seats of the previous episode are shuffled before each one
    (with `rng`, by default `random.Random(seed)`). `on_progress(k, result)` is called after each episode.
    """
    folder = None if replay_dir is None else Path(replay_dir)
    if folder is not None and create_replay_dir:
        folder.mkdir(parents=True, exist_ok=True)
    if folder is not None and not folder.is_dir():
        raise ValueError(f"Replay directory does not exist: {folder}")
    rng = rng or random.Random(seed)
    seats = list(assignments)
    results: list[EpisodeRolloutResult] = []
    for number in range(episodes):
        if shuffle_assignments:
            rng.shuffle(seats)
        replay_path = None if folder is None else folder / f"{uuid.uuid4()}.json.z"
        result, _ = run_episode_local(
            policy_specs=policy_specs,
            assignments=seats,
            env=env_cfg,
            replay_path=replay_path,
            seed=seed + number,
            max_action_time_ms=max_action_time_ms,
            overage_budget_ms=overage_budget_ms,
            device=device,
            game_engine=game_engine,
        )
        results.append(
            EpisodeRolloutResult(
                assignments=list(seats),
                rewards=result.rewards,
                action_timeouts=result.action_timeouts,
                stats=result.stats,
                replay_path=None if replay_path is None else str(replay_path),
                steps=result.steps,
                max_steps=_max_steps(env_cfg),
                time_averaged_game_stats=result.time_averaged_game_stats,
            )
        )
        if on_progress is not None:
            on_progress(number, results[-1])
    paths = [result.replay_path for result in results if result.replay_path is not None]
    return MultiEpisodeRolloutResult(episodes=results), paths


def _make_policies(specs: Sequence[PolicySpec], env: MettaGridConfig, device: str | None) -> list[MultiAgentPolicy]:
    from mettagrid.policy.loader import initialize_or_load_policy
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface

    interface = PolicyEnvInterface.from_mg_cfg(env)
    return [initialize_or_load_policy(interface, spec, device) for spec in specs]


def _play_bitworld(
    specs: Sequence[PolicySpec],
    assignments: Sequence[int],
    env: BitWorldEnvConfig,
    results_path: Path | None,
    replay_path: Path | None,
    seed: int,
    device: str | None,
    limits: dict[str, Any],
) -> PureSingleEpisodeResult:
    from mettagrid.runner.episode import EpisodePlan, play_episode

    for path in (results_path, replay_path):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
    plan = EpisodePlan(env, specs, assignments, seed=seed, replay_path=replay_path, device=device, **limits)
    result = play_episode(plan).pure_result()
    if results_path is not None:
        results_path.write_text(result.model_dump_json())
    return result


def _max_steps(env: EnvConfig) -> int:
    steps: int = env.game.max_steps if isinstance(env, MettaGridConfig) else getattr(env, "max_ticks", 0)
    return steps


def _other_engine(engine: str) -> Callable[[PureSingleEpisodeJob], PureSingleEpisodeResult]:
    runner = get_engine_runner(engine)
    if runner is None:
        raise ValueError(f"There is no runner for games of the engine {engine!r}; install the package that has it")
    return runner


def _job(
    specs: Sequence[PolicySpec],
    assignments: Sequence[int],
    env: Any,
    results_path: Path | None,
    replay_path: Path | None,
    debug_dir: Path | None,
    seed: int,
    max_action_time_ms: int,
) -> PureSingleEpisodeJob:
    """Return the episode as a job for the runner of another engine, which identifies policies by their classes."""
    return PureSingleEpisodeJob(
        policy_uris=[f"mock://{spec.class_path}" for spec in specs],
        policy_names=[spec.name for spec in specs],
        assignments=list(assignments),
        env=env,
        results_uri=None if results_path is None else str(results_path),
        replay_uri=None if replay_path is None else str(replay_path),
        debug_dir=None if debug_dir is None else str(debug_dir),
        seed=seed,
        max_action_time_ms=max_action_time_ms,
    )
