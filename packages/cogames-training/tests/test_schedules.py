"""Step sizes, the teacher's part, and the scheduler."""

from __future__ import annotations

import json
import math

import pytest

from cogames_training.args import SettingError, TrainArgs
from cogames_training.schedules import (
    Gate,
    Rule,
    Scheduler,
    learning_rate,
    read_gates,
    read_rules,
    teacher_proportions,
    teacher_weight,
)


def at(scheduler: Scheduler, agent_step: int, epoch: int = 0, **metrics: float) -> dict[str, float]:
    return scheduler.update(epoch=epoch, agent_step=agent_step, metrics=metrics)


def test_a_cosine_falls_from_the_full_step_size_to_the_last_part() -> None:
    args = TrainArgs(learning_rate=2.0, schedule="cosine", min_lr_ratio=0.1)
    rates = [learning_rate(args, progress=progress) for progress in (0, 0.5, 1, 2)]
    assert rates == pytest.approx([2.0, 2 * (0.1 + 0.9 * 0.5), 0.2, 0.2])


def test_linear_and_constant_step_sizes() -> None:
    assert learning_rate(TrainArgs(learning_rate=1, schedule="linear"), progress=0.25) == pytest.approx(0.75)
    assert learning_rate(TrainArgs(learning_rate=1, schedule="constant", min_lr_ratio=0.5), progress=1) == 1


def test_the_step_size_rises_during_the_warm_up() -> None:
    args = TrainArgs(learning_rate=1, schedule="constant", warmup_steps=4)
    assert [learning_rate(args, progress=0, gradient_step=step) for step in (0, 1, 3, 10)] == [0.25, 0.5, 1, 1]


def test_both_slices_shrink_to_nothing_over_the_teachers_steps() -> None:
    args = TrainArgs(teacher="miner", teacher_steps=1000, teacher_led_proportion=0.5, student_led_proportion=0.3)
    assert teacher_proportions(args, 0) == (0.5, 0.3)
    assert teacher_proportions(args, 500) == pytest.approx((0.25, 0.15))
    assert teacher_proportions(args, 1000) == (0, 0)
    assert [teacher_weight(args, step) for step in (0, 999, 1000)] == [1, 1, 0]


def test_kickstarting_fades_over_the_second_half_and_a_supervisor_stays() -> None:
    kickstarter = TrainArgs(teacher="x", teacher_mode="kickstarter", teacher_steps=1000)
    assert [teacher_weight(kickstarter, step) for step in (0, 500, 750, 1000)] == [1, 1, 0.5, 0]
    supervisor = TrainArgs(teacher="x", teacher_mode="supervisor", teacher_steps=10, teacher_led_proportion=0.5)
    assert teacher_weight(supervisor, 1_000_000) == 1
    assert teacher_proportions(supervisor, 1_000_000) == (0.5, 0)


def test_without_a_teacher_there_are_no_slices() -> None:
    assert teacher_proportions(TrainArgs(), 0) == (0, 0)
    assert teacher_weight(TrainArgs(), 0) == 0


def test_a_rule_applies_inside_its_window_and_leaves_its_last_value() -> None:
    scheduler = Scheduler([Rule("ent_coef", 1.0, 0.0, start_agent_step=100, end_agent_step=200)])
    assert at(scheduler, 99) == {}
    assert at(scheduler, 150) == {"ent_coef": 0.5}
    assert at(scheduler, 10_000) == {"ent_coef": 0.0}  # the end was jumped over
    assert scheduler.state()["ended"] == [True]


def test_a_later_rule_starts_where_the_first_has_ended() -> None:
    rules = [Rule("ent_coef", 1.0, 0.5, end_epoch=10), Rule("ent_coef", 0.5, 0.1, start_epoch=10, end_epoch=20)]
    scheduler = Scheduler(rules)
    values = [at(scheduler, 0, epoch=epoch)["ent_coef"] for epoch in (0, 5, 10, 15, 30)]
    assert values == pytest.approx([1, 0.75, 0.5, 0.3, 0.1])


def test_a_cosine_rule_starts_and_ends_slowly() -> None:
    scheduler = Scheduler([Rule("ent_coef", 0.0, 1.0, style="cosine", end_agent_step=100)])
    assert at(scheduler, 25)["ent_coef"] == pytest.approx(0.5 * (1 - math.cos(math.pi / 4)))


def test_a_sawtooth_starts_again_after_each_cycle() -> None:
    scheduler = Scheduler([Rule("ent_coef", 0.0, 1.0, style="sawtooth", end_epoch=8, cycle_length=4)])
    values = [at(scheduler, 0, epoch=epoch)["ent_coef"] for epoch in range(10)]
    assert values == [0, 0.25, 0.5, 0.75, 0, 0.25, 0.5, 0.75, 1, 1]


def test_a_metric_moves_a_value_between_its_ends() -> None:
    rule = Rule("ent_coef", 0.02, 0.0, mode="metric", metric_key="reward", min=0, max=10, ema_beta=0.5)
    scheduler = Scheduler([rule])
    assert at(scheduler, 0) == {}
    assert at(scheduler, 1, reward=0.0)["ent_coef"] == pytest.approx(0.02)
    assert at(scheduler, 2, reward=10.0)["ent_coef"] == pytest.approx(0.01)
    assert at(scheduler, 3, reward=math.nan)["ent_coef"] == pytest.approx(0.01)
    assert at(scheduler, 4, reward=1000.0)["ent_coef"] == 0


def test_a_scheduler_continues_from_its_state() -> None:
    rules = [
        Rule("ent_coef", 0.0, 1.0, mode="metric", metric_key="r", min=0, max=1, ema_beta=0.9),
        Rule("clip_coef", 0.3, 0.1, end_agent_step=20),
    ]
    first = Scheduler(rules)
    at(first, 5, r=0.3)
    second = Scheduler(rules)
    second.load_state(json.loads(json.dumps(first.state())))
    assert second.values == first.values
    for step in (10, 30, 40):
        assert at(first, step, r=0.8) == at(second, step, r=0.8)
    with pytest.raises(SettingError, match="2 rules, not 0"):
        Scheduler().load_state(first.state())


def test_one_open_gate_is_enough() -> None:
    scheduler = Scheduler(
        gates=[Gate("ppo_actor", begin_step=100, end_step=200), Gate("ppo_actor", begin_epoch=5, end_epoch=6)]
    )
    active = [
        scheduler.is_active("ppo_actor", "train", epoch=epoch, agent_step=step)
        for epoch, step in ((0, 0), (0, 100), (0, 200), (5, 0), (6, 0))
    ]
    assert active == [False, True, False, True, False]
    assert scheduler.is_active("ppo_actor", "rollout", epoch=0, agent_step=0)
    assert scheduler.is_active("ppo_critic", "train", epoch=0, agent_step=0)


def test_a_gate_opens_in_some_epochs_of_each_cycle() -> None:
    scheduler = Scheduler(gates=[Gate("ppo_actor", cycle_length=3, active_in_cycle=[1, 3])])
    active = [scheduler.is_active("ppo_actor", "train", epoch=epoch, agent_step=0) for epoch in range(6)]
    assert active == [True, False, True, True, False, True]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"field": "horizon", "start_value": 1, "end_value": 2, "end_epoch": 1}, "cannot change during a run"),
        ({"field": "ent_coef", "start_value": 1, "end_value": 2}, "needs end_agent_step or end_epoch"),
        ({"field": "ent_coef", "start_value": 1, "end_value": 2, "end_epoch": 1, "end_agent_step": 1}, "not both"),
        ({"field": "ent_coef", "start_value": 1, "end_value": 2, "start_epoch": 5, "end_epoch": 5}, "after it starts"),
        ({"field": "ent_coef", "start_value": 1, "end_value": 2, "mode": "metric"}, "needs metric_key"),
        (
            {"field": "ent_coef", "start_value": 1, "end_value": 2, "mode": "metric", "metric_key": "r", "min": 2},
            "needs min and max",
        ),
        ({"field": "ent_coef", "start_value": 1, "end_value": 2, "colour": "red"}, "is not a key of a rule"),
        ({"field": "ent_coef"}, "start_value"),
    ],
)
def test_rules_that_cannot_work_are_refused(rule: dict[str, object], says: str) -> None:
    with pytest.raises(SettingError, match=says):
        read_rules([rule])


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        ({"loss": "cmpo"}, "is not a loss of this trainer"),
        ({"loss": "ppo_actor", "cycle_length": 3}, "both cycle_length and active_in_cycle"),
        ({"loss": "ppo_actor", "cycle_length": 3, "active_in_cycle": [4]}, "from 1 to cycle_length"),
    ],
)
def test_gates_that_cannot_work_are_refused(gate: dict[str, object], says: str) -> None:
    with pytest.raises(SettingError, match=says):
        read_gates([gate])
