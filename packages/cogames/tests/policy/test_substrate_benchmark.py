"""The benchmark of one ability, with the scripted policies that solve it."""

from typing import Any

import pytest

from cogsguard.evals.cognitive_substrate.benchmark import (
    MISSION_BY_NAME,
    default_benchmark_policy_specs,
    run_local_benchmark,
    scripted_gap_closed,
    scripted_policy_spec,
)
from mettagrid.cogame.errors import MissionError
from mettagrid.policy.policy import PolicySpec

EASY = "exploration_sparse_search_easy"


def rows_of(**settings: Any) -> dict[str, dict[str, Any]]:
    specs = default_benchmark_policy_specs("exploration", default_policy="noop", cognitive_substrate="random")
    chosen: dict[str, Any] = {"mission_names": [EASY], "policy_specs": specs, "seeds": (0, 1)} | settings
    return {row["comparator"]: row for row in run_local_benchmark(category="exploration", **chosen)}


def test_policies_are_measured_between_the_default_and_the_scripted_one() -> None:
    rows = rows_of()
    assert list(rows) == ["scripted", "default_policy", "cognitive_substrate"]
    scripted, default = rows["scripted"], rows["default_policy"]
    assert (scripted["success_rate"], scripted["scripted_gap_closed"]) == (1.0, 1.0)
    assert (default["success_rate"], default["scripted_gap_closed"]) == (0.0, 0.0)
    assert {(row["category"], row["mission"], row["episodes"]) for row in rows.values()} == {("exploration", EASY, 2)}
    assert default["cell_unique_visited"] == 1.0 and default["cell_max_distance_from_spawn"] == 0.0
    assert scripted["cell_unique_visited"] > 1.0 and scripted["cell_max_distance_from_spawn"] > 0.0
    assert scripted["coverage_efficiency"] > default["coverage_efficiency"] > 0.0
    measures = [name for name in scripted if f"{name}_std" in scripted]
    assert sorted(measures) == [
        "cell_max_distance_from_spawn",
        "cell_unique_visited",
        "cell_visited",
        "coverage_efficiency",
        "reward",
        "success_rate",
    ]
    assert rows_of()["scripted"] == scripted


def test_all_missions_of_a_category_are_the_default_choice() -> None:
    scripted = PolicySpec(class_path=scripted_policy_spec("memory"))
    rows = run_local_benchmark(
        category="memory", policy_specs={"scripted": scripted, "default_policy": scripted}, seeds=[3]
    )
    assert [row["mission"] for row in rows[::2]] == [name for name in MISSION_BY_NAME if name.startswith("memory_")]
    assert all(row["scripted_gap_closed"] == row["success_rate"] == 1.0 for row in rows)


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"policy_specs": {"scripted": "noop"}}, ValueError, "benchmark comparators: default_policy$"),
        ({"policy_specs": {}}, ValueError, "benchmark comparators: scripted, default_policy$"),
        ({"seeds": ()}, ValueError, "at least one seed"),
        ({"mission_names": ["memory_mystery_path_easy"]}, MissionError, "not one of 'exploration'"),
    ],
)
def test_wrong_choices_are_refused(settings: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        rows_of(**settings)
    with pytest.raises(MissionError, match="'luck' not found"):
        scripted_policy_spec("luck")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("score", "default", "scripted", "closed"),
    [(0.5, 0, 1, 0.5), (0, 1, 2, 0), (3, 0, 1, 1), (1, 1, 1, 1), (0.5, 1, 1, 0)],
)
def test_the_gap_is_clipped(score: float, default: float, scripted: float, closed: float) -> None:
    assert scripted_gap_closed(score, default_policy_score=default, scripted_score=scripted) == closed
