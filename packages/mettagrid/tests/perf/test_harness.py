"""The benchmark harness; statistics and actions recorded from the published one."""

import json
from pathlib import Path

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs.mettagrid_puffer_env import MettaGridPufferEnv
from mettagrid.perf import harness
from mettagrid.simulator.simulator import Simulator


def test_statistics_of_rounds() -> None:
    stats = harness.calculate_statistics([1.0, 2.0, 4.0], 100, 8)
    assert stats == pytest.approx(
        {
            "mean_time": 2.3333333333333335,
            "std_time": 1.247219128924647,
            "min_time": 1.0,
            "max_time": 4.0,
            "p50_time": 2.0,
            "p95_time": 3.8,
            "p99_time": 3.96,
            "env_sps_mean": 42.857142857142854,
            "env_sps_std": 22.90810644963637,
            "agent_sps_mean": 342.85714285714283,
            "agent_sps_std": 183.26485159709097,
            "cv": 0.5345224838248487,
        }
    )


def test_actions_are_the_same_for_the_same_seed() -> None:
    assert harness.pre_generate_actions(3, 5, 4).tolist() == [[3, 4, 2], [4, 4, 1], [2, 2, 2], [4, 3, 2]]


def test_saved_results_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "results" / "main.json")
    harness.save_results(harness.calculate_statistics([1.0, 2.0, 4.0], 100, 8), {"agents": 8}, "main", path)
    saved = json.loads(Path(path).read_text())
    assert (saved["phase"], saved["config"]) == ("main", {"agents": 8})
    (comparison,) = harness.compare_multiple([path], {"agent_sps_mean": 300.0}, "faster")
    assert comparison["sps_improvement_pct"] == pytest.approx(-12.5)
    harness.print_comparison(comparison)
    assert "SPS Improvement: -12.5%" in capsys.readouterr().out


def test_an_environment_is_timed_with_the_parts_of_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METTAGRID_PROFILING", "1")
    env = MettaGridPufferEnv(Simulator(), MettaGridConfig.EmptyRoom(num_agents=2))
    env.reset(seed=1)
    seconds, observing, parts = harness.run_benchmark_round(env, np.zeros((3, 2), int), 0, 3)
    assert seconds > 0 and observing == 0.0 and parts is None
    stats = harness.run_performance(env, iterations=5, rounds=2, warmup=3, profile=True)
    assert env.current_simulation.current_step == 3 + 3 + 2 * 5
    timing = stats["step_timing"]
    assert list(timing) == [*harness.STEP_TIMING_PHASES, "total"]
    assert 0 < timing["observations"] <= timing["total"]
    assert stats["obs_pct_of_step"] > 0 and stats["agent_sps_mean"] == pytest.approx(2 * stats["env_sps_mean"])
