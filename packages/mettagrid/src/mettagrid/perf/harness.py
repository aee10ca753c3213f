"""Time an environment's steps and compare with saved results.

    env = MettaGridPufferEnv(Simulator(), config)
    env.reset(seed=1)
    stats = run_performance(env, iterations=1_000, rounds=20, warmup=1_000)
    save_results(stats, {"mission": "arena"}, "main", "main.json")

With METTAGRID_PROFILING=1 in the environment and `profile`, the parts of a step are timed too.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "STEP_TIMING_PHASES",
    "calculate_statistics",
    "compare_multiple",
    "compare_results",
    "pre_generate_actions",
    "print_comparison",
    "run_benchmark_round",
    "run_performance",
    "save_results",
]

STEP_TIMING_PHASES = ["reset", "events", "actions", "on_tick", "aoe", "observations", "rewards", "truncation"]
"""Parts of a step, in order."""

_STABILITY = ((0.05, "Excellent (CV < 5%)"), (0.10, "Good (CV < 10%)"), (0.20, "Fair (CV < 20%)"))


def pre_generate_actions(num_agents: int, num_actions: int, total_steps: int, seed: int = 42) -> np.ndarray:
    """Return random action numbers [total_steps, num_agents], the same for the same seed."""
    return np.random.RandomState(seed).randint(0, num_actions, size=(total_steps, num_agents))


def run_benchmark_round(
    env: Any, actions: np.ndarray, start_idx: int, num_steps: int, profile: bool = False
) -> tuple[float, float, dict[str, float] | None]:
    """Step with the rows of `actions` from `start_idx`; return seconds, and with `profile` the nanoseconds of
    observations and of each part of a step, `NAME_ns`, all summed over the steps."""
    sums: Counter[str] = Counter()
    start = time.perf_counter()
    for index in range(start_idx, start_idx + num_steps):
        env.step(actions[index])
        if profile:
            sums.update(env.current_simulation._c_sim.step_timing._asdict())
    seconds = time.perf_counter() - start
    if not profile:
        return seconds, 0.0, None
    return seconds, float(sums["observations_ns"]), {name: float(total) for name, total in sums.items()}


def calculate_statistics(times: list[float], num_steps: int, num_agents: int) -> dict[str, Any]:
    """Return the distribution of the rounds' seconds and the steps per second of the mean round.

    `cv` is the coefficient of variation; the deviations of steps per second are the means times `cv`.
    """
    mean, deviation = float(np.mean(times)), float(np.std(times))
    cv = deviation / mean if mean > 0 else 0.0
    rate = num_steps / mean if mean > 0 else 0.0
    return {
        "mean_time": mean,
        "std_time": deviation,
        "min_time": float(np.min(times)),
        "max_time": float(np.max(times)),
        "p50_time": float(np.percentile(times, 50)),
        "p95_time": float(np.percentile(times, 95)),
        "p99_time": float(np.percentile(times, 99)),
        "env_sps_mean": rate,
        "env_sps_std": rate * cv,
        "agent_sps_mean": rate * num_agents,
        "agent_sps_std": rate * num_agents * cv,
        "cv": cv,
    }


def run_performance(env: Any, iterations: int, rounds: int, warmup: int, profile: bool = False) -> dict[str, Any]:
    """Time `rounds` rounds of `iterations` steps with random actions after `warmup` steps; print and return statistics.

    With `profile` they have `obs_time_mean`, `obs_time_std` (seconds per round), `obs_pct_of_step` and `step_timing`,
    the mean microseconds of each part of a step.
    """
    agents = env.num_agents
    actions = pre_generate_actions(agents, int(env.single_action_space.n), warmup + iterations * rounds)
    print(f"Running {warmup} warm-up steps, then {rounds} rounds of {iterations} steps each...")
    run_benchmark_round(env, actions, 0, warmup)
    played = [
        run_benchmark_round(env, actions, warmup + number * iterations, iterations, profile) for number in range(rounds)
    ]
    stats = calculate_statistics([seconds for seconds, _, _ in played], iterations, agents)
    print(f"Agents: {agents}; {stats['mean_time']:.2f} s per round")
    print(f"Env SPS: {stats['env_sps_mean']:,.0f} +/- {stats['env_sps_std']:,.0f}")
    print(f"Agent SPS: {stats['agent_sps_mean']:,.0f} +/- {stats['agent_sps_std']:,.0f}")
    print(f"Stability: {next((text for limit, text in _STABILITY if stats['cv'] < limit), 'Poor (CV >= 20%)')}")
    if profile:
        stats |= _profile_statistics(played, stats["mean_time"], iterations)
        for name, mean in stats["step_timing"].items():
            print(f"  {name:<14} {mean:10.2f} us")
    return stats


def _profile_statistics(
    played: Sequence[tuple[float, float, dict[str, float] | None]], mean_time: float, iterations: int
) -> dict[str, Any]:
    seconds = np.array([nanoseconds for _, nanoseconds, _ in played]) / 1e9
    sums: Counter[str] = Counter()
    for _, _, parts in played:
        sums.update(parts or {})
    steps = len(played) * iterations
    timing = {name: sums[f"{name}_ns"] / steps / 1e3 for name in (*STEP_TIMING_PHASES, "total")}
    return {
        "obs_time_mean": float(seconds.mean()),
        "obs_time_std": float(seconds.std()),
        "obs_pct_of_step": 100 * float(seconds.mean()) / mean_time if mean_time > 0 else 0.0,
        "step_timing": timing,
    }


def save_results(stats: Mapping[str, Any], config: Mapping[str, Any], phase: str, output_path: str) -> None:
    """Write statistics as JSON with the time, the name of what was measured and its configuration."""
    document = {"timestamp": datetime.now().isoformat(), "phase": phase, "config": config, "metrics": stats}
    path = Path(output_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2))
    print(f"Results saved to: {output_path}")


def compare_results(baseline_path: str, current: Mapping[str, Any], current_phase: str) -> dict[str, Any]:
    """Return agent steps per second of saved results and of `current`, and the improvement in percent."""
    baseline = json.loads(Path(baseline_path).read_text())
    before, now = baseline["metrics"]["agent_sps_mean"], current["agent_sps_mean"]
    return {
        "baseline_phase": baseline["phase"],
        "current_phase": current_phase,
        "baseline_sps": before,
        "current_sps": now,
        "sps_improvement_pct": (now - before) / before * 100,
    }


def compare_multiple(baseline_paths: list[str], current: Mapping[str, Any], current_phase: str) -> list[dict[str, Any]]:
    """Return the comparison with each file of saved results."""
    return [compare_results(path, current, current_phase) for path in baseline_paths]


def print_comparison(comparison: Mapping[str, Any]) -> None:
    """Print a comparison of `compare_results`."""
    print(f"\n  vs {comparison['baseline_phase']}:")
    print(f"    Baseline Agent SPS: {comparison['baseline_sps']:,.0f}")
    print(f"    Current Agent SPS:  {comparison['current_sps']:,.0f}")
    print(f"    SPS Improvement: {comparison['sps_improvement_pct']:+.1f}%")
