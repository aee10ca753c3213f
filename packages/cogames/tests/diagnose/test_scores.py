"""Scores stay between 0 and 100, and keep their caps."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogames.diagnose.baselines import SCRIPTED, STRONG, Baseline, normalize
from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.metrics import CaseStatistics, MissionMetrics
from cogames.diagnose.pack import AXES, AXIS_MISSIONS, check_gate, check_pack
from cogames.diagnose.scores import Stage1Evidence, score_axes, signals_of

MISSIONS = [missions[0] for missions in AXIS_MISSIONS.values()]
FULL = [DiagnoseCase(mission, 8) for mission in MISSIONS]

sizes = st.floats(0, 1e6)
shares = st.floats(0, 1)


def case_metrics(mission: str, **changes: float) -> MissionMetrics:
    """Return a policy without any fault, apart from `changes`."""
    metrics = {
        "reward_variance": 0.0,
        "non_zero_episode_pct": 100.0,
        "timeout_rate": 0.0,
        "mean_move_success": 1.0,
        "mean_action_failed": 0.0,
        "mean_stuck_steps": 0.0,
    }
    statistics = {
        "cogs": 8,
        "episodes": 3,
        "steps": 1000.0,
        "agent_steps": 24000,
        "reward_mean": 1.0,
        "reward_variation": 0.0,
        "crashed_episodes": 0,
    }
    for name, value in changes.items():
        (metrics if name in metrics else statistics)[name] = value
    return MissionMetrics(mission_name=mission, **metrics, statistics=CaseStatistics(**statistics))


def scores_of(replays: bool = True, cases: list[DiagnoseCase] | None = None, **changes: float) -> dict[str, float]:
    cases = FULL if cases is None else cases
    metrics = [case_metrics(case.mission, **changes) for case in cases]
    recorded = {case.mission: ["replays/x.json.z"] for case in cases} if replays else {}
    gate = check_gate("cvc_evals", cases)
    return {score.axis: score.raw_score for score in score_axes(Stage1Evidence(gate, metrics, recorded))}


def test_a_policy_without_fault_has_full_scores():
    assert scores_of() == {"stability": 100.0, "efficiency": 100.0, "control": 100.0}


def test_a_policy_that_never_moves_is_slow_and_nothing_else():
    scores = scores_of(non_zero_episode_pct=0.0, mean_move_success=0.0, mean_stuck_steps=1000.0)
    assert scores == {"stability": 66.67, "efficiency": 0.0, "control": 66.67}


def test_half_the_limit_of_a_rate_is_half_of_its_part():
    assert scores_of(mean_action_failed=0.1)["control"] == pytest.approx(83.33)
    assert scores_of(mean_stuck_steps=15.0)["efficiency"] == pytest.approx(83.33)
    assert scores_of(reward_variation=0.5)["stability"] == pytest.approx(83.33)


def test_stability_is_never_higher_than_the_answers_in_time():
    assert scores_of(timeout_rate=0.01)["stability"] == pytest.approx(80.0)
    assert scores_of(timeout_rate=0.04)["stability"] == pytest.approx(20.0)
    assert scores_of(timeout_rate=0.05)["stability"] == 0.0
    assert scores_of(crashed_episodes=3)["stability"] == 0.0


def test_standing_still_through_a_short_episode_is_as_bad_as_through_a_long_one():
    assert scores_of(steps=20.0, mean_stuck_steps=20.0) == scores_of(steps=1000.0, mean_stuck_steps=1000.0)


@given(
    variation=sizes, nonzero=st.floats(0, 100), timeout=shares, moves=shares, failed=shares, stuck=sizes, steps=sizes
)
def test_scores_stay_between_0_and_100(variation, nonzero, timeout, moves, failed, stuck, steps):
    scores = scores_of(
        reward_variation=variation,
        non_zero_episode_pct=nonzero,
        timeout_rate=timeout,
        mean_move_success=moves,
        mean_action_failed=failed,
        mean_stuck_steps=stuck,
        steps=steps,
    )
    assert all(0 <= score <= 100 for score in scores.values())


@given(rates=st.lists(shares, min_size=2, max_size=6))
def test_more_of_a_fault_never_raises_a_score(rates):
    for name in ("timeout_rate", "mean_action_failed", "mean_stuck_steps", "reward_variation"):
        tables = [scores_of(**{name: rate}) for rate in sorted(rates)]
        for less, more in pairwise(tables):
            assert all(more[axis] <= less[axis] for axis in AXES)


@given(axis=st.sampled_from(AXES))
def test_an_axis_without_its_mission_is_worth_40_at_most(axis):
    others = [DiagnoseCase(missions[0], 8) for name, missions in AXIS_MISSIONS.items() if name != axis]
    assert scores_of(cases=others)[axis] <= 40.0
    assert all(score == 100.0 for name, score in scores_of(cases=others).items() if name != axis)


def test_an_axis_without_replays_is_worth_60_at_most():
    assert scores_of(replays=False) == dict.fromkeys(AXES, 60.0)


def test_nothing_measured_is_worth_nothing():
    gate = check_gate("cvc_evals", FULL)
    scores = score_axes(Stage1Evidence(gate, [], {}))
    assert [score.raw_score for score in scores] == [0.0, 0.0, 0.0]
    assert not any(signal.confirmed for signal in signals_of(scores, gate))


def baseline(role: str, **changes: float) -> Baseline:
    metrics = [case_metrics(mission, **changes) for mission in MISSIONS]
    return Baseline(
        role=role, policy="x", axis_scores=score_axes(Stage1Evidence(check_gate("cvc_evals", FULL), metrics))
    )


def control_on_scale(own: float, scripted: float | None, strong: float | None) -> tuple[float, str, list[str]]:
    """Return the control score of a policy that fails in `own` of its actions, and how it was compared."""
    gate = check_gate("cvc_evals", FULL)
    metrics = [case_metrics(mission, mean_action_failed=own) for mission in MISSIONS]
    rates = ((SCRIPTED, scripted), (STRONG, strong))
    baselines = [baseline(role, mean_action_failed=rate) for role, rate in rates if rate is not None]
    scores, context = normalize(score_axes(Stage1Evidence(gate, metrics)), baselines)
    control = next(score for score in scores if score.axis == "control")
    return control.normalized_score, control.normalization_mode, context.normalization_notes


def test_scores_are_put_between_those_of_the_baselines():
    # failing in 0.2, 0.1 and 0 of all actions is worth 66.67, 83.33 and 100
    score, mode, _ = control_on_scale(own=0.1, scripted=0.2, strong=0.0)
    assert (score, mode) == (pytest.approx(50.0, abs=0.05), "scripted_to_known_strong")
    score, mode, _ = control_on_scale(own=0.2, scripted=None, strong=0.1)
    assert (score, mode) == (pytest.approx(80.0, abs=0.05), "known_strong_only")
    score, mode, _ = control_on_scale(own=0.1, scripted=0.2, strong=None)
    assert (score, mode) == (pytest.approx(50.0, abs=0.05), "scripted_only")
    score, mode, notes = control_on_scale(own=0.1, scripted=None, strong=None)
    assert (score, mode, len(notes)) == (83.33, "heuristic_thresholds", 1)


@pytest.mark.parametrize(("scripted", "strong"), [(0.1, 0.1), (0.0, 0.2), (0.0, None)])
def test_a_scale_without_length_is_left_out_with_a_note(scripted, strong):
    score, mode, notes = control_on_scale(own=0.1, scripted=scripted, strong=strong)
    assert (score, mode) == (83.33, "heuristic_thresholds")
    assert any(note.startswith("Axis control") for note in notes)


@given(own=shares, scripted=st.none() | shares, strong=st.none() | shares)
def test_compared_scores_stay_between_0_and_100(own, scripted, strong):
    score, _, _ = control_on_scale(own, scripted, strong)
    assert 0 <= score <= 100


def test_the_gate_asks_for_a_mission_of_every_axis_in_a_set_that_is_made_for_it():
    assert check_gate("cvc_evals", FULL).satisfied
    assert check_gate(
        "role_specific_evals", [DiagnoseCase(f"{role}_tutorial", 4) for role in ("scout", "miner", "aligner")]
    ).satisfied
    assert not check_gate("all", FULL).satisfied
    assert [result.axis for result in check_gate("cvc_evals", FULL[:2]).missing] == ["control"]


def test_the_pack_is_checked_point_by_point():
    good = [DiagnoseCase(f"mission {number}", cogs) for number, cogs in enumerate((4, 7, 8, 8))]
    assert check_pack("cvc_evals", good, steps=1000, episodes=3).valid
    other = check_pack("all", [DiagnoseCase("mission", 2)], steps=10, episodes=1)
    assert [check.check_id for check in other.checks if not check.passed] == [
        "pack.mission_set",
        "pack.cogs",
        "pack.case_count",
        "pack.steps",
        "pack.episodes",
    ]
