"""Stage 2 notices what a policy loses beside its copy, and takes chance for chance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.metrics import CaseOutcomes, measure_social
from cogames.diagnose.social import DOMINANT_SEVERITY, SYMPTOM_SEVERITY, SocialCase, compare_modes

CASE = DiagnoseCase("eval_balanced_spread", 4)


@pytest.fixture(scope="session")
def social_case(episode):
    """One case: what each agent earns alone, and each copy beside the other; further changes apply to the mirror."""

    def build(alone: float, first: float, second: float, **beside: float) -> SocialCase:
        absolute = CaseOutcomes(CASE, [episode((0, 0, 0, 0), rewards=alone)])
        mirror = CaseOutcomes(CASE, [episode((0, 1, 0, 1), rewards=(first, second, first, second), **beside)])
        return SocialCase(measure_social(absolute), tuple(measure_social(mirror, copy) for copy in (0, 1)))

    return build


def test_a_policy_that_plays_alike_in_both_modes_has_no_social_problem(social_case):
    signal = compare_modes([social_case(1.0, 1.0, 1.0)] * 3, has_replays=True)
    assert (signal.severity, signal.confidence, signal.confirmed) == (0.0, 0.85, True)


def test_a_policy_that_earns_nothing_beside_its_copy_has_one(social_case):
    cases = [social_case(reward, 0.0, 0.0) for reward in (0.02, 0.5, 9.0)]
    signal = compare_modes(cases, has_replays=True)
    assert signal.statistics.reward_drop == 1.0
    assert signal.severity >= DOMINANT_SEVERITY
    assert signal.confidence == pytest.approx(0.95)
    assert "it earns less" in signal.summary


def test_the_size_of_rewards_does_not_matter(social_case):
    small = compare_modes([social_case(0.01, 0.006, 0.006)] * 3, has_replays=True)
    large = compare_modes([social_case(100.0, 60.0, 60.0)] * 3, has_replays=True)
    assert small.severity == large.severity > SYMPTOM_SEVERITY


def test_one_copy_that_earns_at_the_other_ones_expense_is_noticed(social_case):
    signal = compare_modes([social_case(1.0, 2.0, 0.0)] * 3, has_replays=True)
    assert signal.statistics.reward_drop == 0.0
    assert signal.statistics.reward_gap == 1.0
    assert signal.severity >= DOMINANT_SEVERITY


def test_differences_that_go_both_ways_are_chance(social_case):
    cases = [social_case(1.0, 0.5, 0.5), social_case(0.5, 1.0, 1.0), social_case(1.0, 0.9, 1.1)]
    assert compare_modes(cases, has_replays=True).severity < SYMPTOM_SEVERITY


def test_standing_still_beside_the_copy_counts_alone_where_nothing_is_earned(social_case):
    stuck = [social_case(0.0, 0.0, 0.0, stuck=100.0)] * 3
    assert compare_modes(stuck, has_replays=True).severity >= DOMINANT_SEVERITY
    earning = [social_case(1.0, 1.0, 1.0, stuck=100.0)] * 3
    assert SYMPTOM_SEVERITY <= compare_modes(earning, has_replays=True).severity < DOMINANT_SEVERITY


def test_missing_more_deadlines_beside_the_copy_is_a_symptom(social_case):
    signal = compare_modes([social_case(1.0, 1.0, 1.0, timeouts=5)] * 3, has_replays=True)
    assert signal.statistics.timeout_rise == 1.0
    assert SYMPTOM_SEVERITY <= signal.severity < DOMINANT_SEVERITY


def test_a_case_with_one_seat_has_no_copy_to_compare_with(episode):
    played = CaseOutcomes(DiagnoseCase("eval_balanced_spread", 1), [episode((0,))])
    signal = compare_modes([SocialCase(measure_social(played), (measure_social(played),))], has_replays=True)
    assert not signal.confirmed
    assert signal.severity == 0.0


def test_without_replays_a_signal_is_not_confirmed(social_case):
    signal = compare_modes([social_case(1.0, 1.0, 1.0)], has_replays=False)
    assert (signal.confirmed, signal.confidence) == (False, 0.65)


rewards = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(rewards, rewards, rewards, st.floats(0, 100), st.integers(0, 100)), max_size=6))
def test_severity_stays_between_0_and_1(social_case, entries):
    cases = [social_case(a, b, c, stuck=stuck, timeouts=timeouts) for a, b, c, stuck, timeouts in entries]
    signal = compare_modes(cases, has_replays=True)
    assert 0 <= signal.severity <= 1
    assert 0 <= signal.confidence <= 1
