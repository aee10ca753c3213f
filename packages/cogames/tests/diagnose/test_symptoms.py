"""The dominant issue, symptoms and prescriptions."""

import pytest

from cogames.diagnose.assessment import BaselineRun, Evidence, assess
from cogames.diagnose.baselines import SCRIPTED
from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.correlation import correlate
from cogames.diagnose.metrics import CaseOutcomes
from cogames.diagnose.pack import AXIS_MISSIONS, check_gate
from cogames.diagnose.probes import STAGE1_PROBES, evaluate_probes
from mettagrid.runner.episode import Verdict

CASES = [DiagnoseCase(missions[0], 4) for missions in AXIS_MISSIONS.values()]
SEATS = {"alone": (0, 0, 0, 0), "beside": (0, 1, 0, 1)}


@pytest.fixture
def diagnosis(episode):
    """The assessment of a policy that does `alone` with all seats and `beside` with half of them."""

    def build(beside: dict | None = None, by_mission: dict | None = None, baseline: dict | None = None, **alone):
        def play(seats: str, part: str, settings: dict) -> list[CaseOutcomes]:
            return [
                CaseOutcomes(
                    case,
                    [
                        episode(
                            SEATS[seats],
                            replay_path=f"{part}/{case.file_name}-episode{number}.json.z",
                            **{**settings, **(by_mission or {}).get(case.mission, {})},
                        )
                        for number in range(2)
                    ],
                    ["cogs"],
                )
                for case in CASES
            ]

        return assess(
            Evidence(
                check_gate("cvc_evals", CASES),
                stage1=play("alone", "replays", alone),
                baselines=[] if baseline is None else [BaselineRun(SCRIPTED, "x", play("alone", "", baseline))],
                absolute=play("alone", "replays_stage2/absolute", alone),
                mirror=play("beside", "replays_stage2/mirror", alone if beside is None else {**alone, **beside}),
            )
        )

    return build


def test_a_policy_that_never_moves_has_a_speed_issue(diagnosis):
    found = diagnosis(moved=0, blocked=0, failed=0, stuck=100, rewards=0.0)
    assert found.dominant_issue == "speed"
    assert found.symptoms[0].symptom_id == "stage1.efficiency.risk"
    assert found.symptoms[0].severity == 1.0


def test_a_policy_that_misses_every_tenth_deadline_has_a_stability_issue(diagnosis):
    found = diagnosis(timeouts=10)
    assert found.dominant_issue == "stability"
    assert found.symptoms[0].symptom_id == "stage1.stability.risk"


def test_a_policy_that_misses_all_deadlines_stands_still_and_still_has_a_stability_issue(diagnosis):
    found = diagnosis(timeouts=100, moved=0, blocked=0, failed=0, stuck=100, rewards=0.0)
    assert found.dominant_issue == "stability"
    assert found.symptoms[0].symptom_id == "stage1.stability.risk"


def test_a_policy_that_breaks_has_a_stability_issue_and_the_note_says_how_it_broke(diagnosis):
    crash = Verdict(status="crashed", message="KeyError: 'heart'", step=99)
    found = diagnosis(verdicts=[crash, crash])
    assert found.dominant_issue == "stability"
    assert found.remarks == ["The policy did not play 18 of 18 episodes to the end.", "crashed: KeyError: 'heart'"]


def test_a_policy_whose_actions_fail_has_a_strategy_issue(diagnosis):
    found = diagnosis(moved=60, blocked=40, failed=40)
    assert found.dominant_issue == "strategy"
    assert found.symptoms[0].symptom_id == "stage1.control.risk"


def test_a_policy_that_plays_well_alone_and_badly_beside_its_copy_has_a_social_issue(diagnosis):
    found = diagnosis(beside={"rewards": 0.0, "stuck": 100})
    assert found.dominant_issue == "social_coordination"
    assert [symptom.symptom_id for symptom in found.symptoms] == ["stage2.social_coordination.risk"]
    assert found.delta is not None
    assert (found.delta.stage1_dominant_issue, found.delta.changed) == ("mixed", True)
    assert found.exemplars.most_diagnostic.startswith("replays_stage2/mirror/")


def test_a_policy_that_does_not_act_has_no_social_issue(diagnosis):
    assert diagnosis(beside={"rewards": 0.0, "stuck": 100}, timeouts=10).dominant_issue == "stability"


def test_two_scores_that_are_close_make_a_mixed_issue(diagnosis):
    found = diagnosis(rewards=0.0)
    assert {score.axis: score.normalized_score for score in found.scores}["stability"] == 66.67
    assert found.dominant_issue == "mixed"


def test_below_its_baseline_on_every_axis_a_policy_is_judged_by_its_own_scores(diagnosis):
    found = diagnosis(baseline={"timeouts": 1}, moved=0, blocked=0, failed=0, stuck=100, rewards=0.0)
    assert [score.normalized_score for score in found.scores] == [0.0, 0.0, 0.0]
    assert found.dominant_issue == "speed"


def test_a_healthy_policy_has_no_symptoms(diagnosis):
    found = diagnosis()
    assert found.symptoms == []
    assert found.is_confirmed


def test_confidence_grows_with_evidence(diagnosis):
    (symptom,) = [s for s in diagnosis(stuck=100, moved=5, blocked=5).symptoms if s.axis == "efficiency"]
    # 0.35, two metrics of 0.05, 0.2 for replays, 0.2 for confirmed, less 0.08 without baselines
    assert symptom.confidence == pytest.approx(0.77)


def test_the_replays_to_watch_are_the_best_the_worst_and_one_of_the_weakest_axis(diagnosis):
    found = diagnosis(
        by_mission={
            "eval_balanced_spread": {"rewards": 9.0},
            "eval_collect_resources": {"stuck": 100, "moved": 1, "blocked": 9, "rewards": 3.0},
            "eval_divide_and_conquer": {"rewards": 0.5},
        }
    )
    assert found.dominant_issue == "speed"
    assert found.exemplars.best == "replays/eval_balanced_spread-cogs4-episode0.json.z"
    assert found.exemplars.worst == "replays/eval_divide_and_conquer-cogs4-episode0.json.z"
    assert found.exemplars.most_diagnostic == "replays/eval_collect_resources-cogs4-episode0.json.z"


def test_probes_compare_the_metrics_of_their_missions_with_their_limits(diagnosis):
    passed = {probe.probe_id: probe.passed for probe in diagnosis(stuck=31, failed=20).probe_evaluations}
    assert passed == {
        "stage1.food_under_pressure": True,
        "stage1.heart_lever_diversion": False,
        "stage1.junction_light_shift": True,
    }
    assert not any(probe.passed for probe in evaluate_probes([], STAGE1_PROBES))


def test_the_objective_counts_what_the_team_of_the_policy_holds(diagnosis):
    found = diagnosis(beside={"held": 20.0}, held=60.0)
    assert found.objective_context == {
        "aligned_junction_held_stage1": 60.0,
        "aligned_junction_held_stage2_absolute": 60.0,
        "aligned_junction_held_stage2_mirror": 20.0,
    }


def correlations(diagnosis, stuck_and_held: list[tuple[float, float]]):
    table = {case.mission: {"stuck": s, "held": h} for case, (s, h) in zip(CASES, stuck_and_held, strict=True)}
    return diagnosis(by_mission=table).correlation


def test_a_metric_that_falls_as_the_objective_rises_is_strongly_related(diagnosis):
    report = correlations(diagnosis, [(10, 300), (20, 200), (30, 100)])
    (stuck,) = [entry for entry in report.correlations if entry.metric == "mean_stuck_steps"]
    assert (stuck.correlation, stuck.direction, stuck.sample_count) == (-1.0, "negative", 3)
    assert "strong" in stuck.interpretation
    (constant,) = [entry for entry in report.correlations if entry.metric == "timeout_rate"]
    assert (constant.correlation, constant.direction) == (None, "insufficient_data")


def test_recommended_limits_are_those_that_the_better_half_keeps(diagnosis):
    report = correlations(diagnosis, [(12, 300), (20, 200), (90, 100)])
    (stuck,) = [entry for entry in report.probe_calibrations if entry.metric == "mean_stuck_steps"]
    assert (stuck.current_threshold, stuck.recommended_threshold, stuck.delta) == (30.0, 20.0, -10.0)
    assert report.tuned


def test_without_an_objective_nothing_is_recommended(diagnosis):
    report = correlate(diagnosis().metrics, {}, STAGE1_PROBES)
    assert report.sample_count == 0
    assert not report.tuned
    assert all(entry.recommended_threshold is None for entry in report.probe_calibrations)
