"""Compare policies on the evaluations of one ability, seed by seed on this machine.

    specs = default_benchmark_policy_specs("memory", default_policy="noop", cognitive_substrate="my.package.Policy")
    for row in run_local_benchmark(category="memory", policy_specs=specs):
        print(row["mission"], row["comparator"], row["success_rate"], row["scripted_gap_closed"])

A comparator is a name for a policy. Two of them give the scale: `default_policy` is its lower end and `scripted`, a
policy that solves the missions by rule, its upper end.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any, Literal, get_args

from cogsguard.evals.cognitive_substrate import CATEGORY_MISSIONS, EVAL_MISSIONS
from cogsguard.evals.cognitive_substrate.common import CognitiveSubstrateMission
from mettagrid.cogame.errors import MissionError
from mettagrid.policy.policy import PolicySpec
from mettagrid.runner.rollout import run_episode_local

__all__ = [
    "MISSION_BY_NAME",
    "REQUIRED_BENCHMARK_COMPARATORS",
    "REQUIRED_LEARNED_COMPARATORS",
    "SCRIPTED_POLICY_SPECS",
    "CategoryName",
    "default_benchmark_policy_specs",
    "run_local_benchmark",
    "scripted_gap_closed",
    "scripted_policy_spec",
]

CategoryName = Literal["memory", "exploration", "planning"]
MISSION_BY_NAME: dict[str, CognitiveSubstrateMission] = {mission.name: mission for mission in EVAL_MISSIONS}
SCRIPTED_POLICY_SPECS: dict[str, str] = {category: f"substrate_{category}" for category in get_args(CategoryName)}
"""The policy of each category that solves its missions."""

REQUIRED_BENCHMARK_COMPARATORS = ("scripted", "default_policy")
REQUIRED_LEARNED_COMPARATORS = ("cognitive_substrate", "no_intrinsic", "no_successor", "inner_steps_1")
"""A trained policy, and the same one without each of three of its parts."""

_SEEDS = (0, 1, 2, 3, 4)
_STATS = ("cell.visited", "cell.unique_visited", "cell.max_distance_from_spawn")


def scripted_policy_spec(category: CategoryName) -> str:
    """Return the policy that solves the missions of a category."""
    if category not in SCRIPTED_POLICY_SPECS:
        raise MissionError(f"Category {category!r} not found. There are {', '.join(SCRIPTED_POLICY_SPECS)}.")
    return SCRIPTED_POLICY_SPECS[category]


def default_benchmark_policy_specs(
    category: CategoryName, *, default_policy: str | PolicySpec, **learned: str | PolicySpec
) -> dict[str, str | PolicySpec]:
    """Return the policies to compare by comparator: the scripted one, the default, and those given by name."""
    return {"scripted": scripted_policy_spec(category), "default_policy": default_policy, **learned}


def scripted_gap_closed(score: float, *, default_policy_score: float, scripted_score: float) -> float:
    """Return how far a score is on the way from the default policy (0) to the scripted one (1)."""
    gap = scripted_score - default_policy_score
    if gap <= 0:
        return float(score >= scripted_score)
    return min(1.0, max(0.0, (score - default_policy_score) / gap))


def run_local_benchmark(
    *,
    category: CategoryName,
    policy_specs: Mapping[str, str | PolicySpec],
    mission_names: Sequence[str] | None = None,
    seeds: Sequence[int] = _SEEDS,
    device: str = "cpu",
) -> list[dict[str, Any]]:
    """Play each mission with each policy once per seed; return a row for each pair with means and deviations.

    `mission_names` are missions of the category, by default all of them. `policy_specs` must have `scripted` and
    `default_policy`. Coverage efficiency is the number of different cells visited per step.
    """
    missing = [name for name in REQUIRED_BENCHMARK_COMPARATORS if name not in policy_specs]
    if missing:
        raise ValueError(f"policy_specs must include benchmark comparators: {', '.join(missing)}")
    if not seeds:
        raise ValueError("The benchmark needs at least one seed.")
    scripted_policy_spec(category)  # refuses an unknown category
    rows: list[dict[str, Any]] = []
    for mission in _missions(category, mission_names):
        played = {name: _play(mission, spec, seeds, device) for name, spec in policy_specs.items()}
        low, high = (played[name]["success_rate"] for name in ("default_policy", "scripted"))
        for comparator, measured in played.items():
            closed = scripted_gap_closed(measured["success_rate"], default_policy_score=low, scripted_score=high)
            names = {"category": category, "mission": mission.name, "comparator": comparator, "episodes": len(seeds)}
            rows.append({**names, **measured, "scripted_gap_closed": closed})
    return rows


def _missions(category: CategoryName, names: Sequence[str] | None) -> list[CognitiveSubstrateMission]:
    by_name = {mission.name: mission for mission in CATEGORY_MISSIONS[category]}
    unknown = [name for name in names or () if name not in by_name]
    if unknown:
        raise MissionError(f"Mission {unknown[0]!r} is not one of {category!r}. There are {', '.join(by_name)}.")
    return [by_name[name] for name in (by_name if names is None else names)]


def _play(
    mission: CognitiveSubstrateMission, spec: str | PolicySpec, seeds: Sequence[int], device: str
) -> dict[str, float]:
    """Play a mission once per seed; return the mean and the standard deviation of each measure."""
    policy = spec if isinstance(spec, PolicySpec) else PolicySpec(class_path=spec)
    episodes: list[dict[str, float]] = []
    for seed in seeds:
        results, _ = run_episode_local(
            policy_specs=[policy], assignments=[0], env=mission.make_env(), seed=seed, render_mode="none", device=device
        )
        stats = results.stats["agent"][0]
        measured = {name.replace(".", "_"): stats.get(name, 0.0) for name in _STATS}
        measured["success_rate"] = float(stats.get("goal.reached", 0.0) > 0)
        measured["reward"] = float(results.rewards[0])
        measured["coverage_efficiency"] = measured["cell_unique_visited"] / max(1, results.steps)
        episodes.append(measured)
    means = {name: fmean(episode[name] for episode in episodes) for name in episodes[0]}
    deviations = {f"{name}_std": pstdev(episode[name] for episode in episodes) for name in episodes[0]}
    return means | deviations
