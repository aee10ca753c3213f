"""Schedules of events, rewards."""

import pytest
from pydantic import ValidationError

from mettagrid.config.event_config import EventConfig, once, periodic
from mettagrid.config.game_value import ConstValue, SumGameValue, inv, max_value, stat, val
from mettagrid.config.query import query
from mettagrid.config.reward_config import AgentReward, inventoryReward, reward


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ((10, 5, 30), [10, 15, 20, 25, 30]),
        ((10, 5, 5), []),
        ((10, 5, 10, 2), [10]),
        ((-5, 5, 10), [-5, 0, 5, 10]),
        ((0, 10, 100, 2), [0, 10, 19, 27, 35, 42, 49, 55, 61, 66, 71, 75, 79, 83, 86, 89, 92, 95, 97, 99]),
        ((0, 2, 100, 50), [0, 2, 5, 9, 15, 24, 38, 58, 88]),
    ],
)
def test_periodic_schedules(arguments: tuple, steps: list[int]) -> None:
    assert periodic(*arguments) == steps


def test_a_schedule_without_end_stops_at_a_hundred_thousand() -> None:
    assert len(periodic(0, 10)) == 10001
    assert periodic(5, 3, end_period=1000)[-1] == 99746


@pytest.mark.parametrize("arguments", [(0, 0), (0, -1), (0, 5, 20, 0), (0, 5, 20, -3)])
def test_periods_must_be_positive(arguments: tuple) -> None:
    with pytest.raises(ValueError, match="it must be at least 1"):
        periodic(*arguments)


def test_once() -> None:
    assert once(3) == [3]


def test_an_event_is_a_handler_with_targets_and_times() -> None:
    event = EventConfig(target_query="t", timesteps=once(1))
    assert event.model_dump() == {
        "name": "",
        "filters": [],
        "mutations": [],
        "target_query": "t",
        "timesteps": [1],
        "priority": 0,
        "max_targets": None,
        "fallback": None,
    }
    assert EventConfig(target_query={"query_type": "query", "source": "t"}).target_query == query("t")
    for wrong in ({}, {"target_query": "t", "max_targets": 0}, {"target_query": {"source": "t"}}):
        with pytest.raises(ValidationError):
            EventConfig(**wrong)


def test_rewards_weigh_every_value() -> None:
    assert AgentReward().reward == ConstValue(value=0.0)
    assert reward([inv("x"), stat("y")], weight=2).reward == SumGameValue(values=[inv("x"), stat("y")], weights=[2, 2])
    assert AgentReward.default_for_key("heart") == inventoryReward("heart") == reward(inv("heart"))


def test_weight_and_bound_can_be_read_back() -> None:
    capped = inventoryReward("heart", weight=0.5, max=5, per_tick=True)
    assert (capped.weight, capped.max, capped.per_tick) == (0.5, 5.0, True)
    assert reward(inv("heart")).max is None
    for other in (AgentReward(), AgentReward(reward=max_value([inv("x"), val(3)]))):
        with pytest.raises(AssertionError):
            _ = other.weight
