"""Rewards of agents."""

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.config._rules import AnyGameValue as _GameValueField
from mettagrid.config.game_value import (
    AnyGameValue,
    ConstValue,
    InventoryValue,
    MaxGameValue,
    MinGameValue,
    QueryCountValue,
    QueryInventoryValue,
    RatioGameValue,
    StatValue,
    SumGameValue,
    val,
    weighted_sum,
)

__all__ = [
    "AgentReward",
    "AnyGameValue",
    "ConstValue",
    "InventoryValue",
    "MaxGameValue",
    "MinGameValue",
    "QueryCountValue",
    "QueryInventoryValue",
    "RatioGameValue",
    "StatValue",
    "SumGameValue",
    "inventoryReward",
    "reward",
    "val",
    "weighted_sum",
]


class AgentReward(Config):
    """One reward: paid as the change of the value since the last step, or with `per_tick` as the value itself."""

    reward: _GameValueField = Field(default_factory=lambda: val(0.0))
    per_tick: bool = False

    @classmethod
    def default_for_key(cls, key: str) -> "AgentReward":
        """Return a reward of one point per item called `key`."""
        return inventoryReward(key)

    @property
    def weight(self) -> float:
        """The first weight of a reward created by `reward(...)` without a lower bound."""
        value = self.reward
        if isinstance(value, MinGameValue):
            value = value.values[0]
        assert isinstance(value, SumGameValue) and value.weights, (
            f"The reward is a {type(value).__name__}; only a weighted sum has a weight."
        )
        return value.weights[0]

    @property
    def max(self) -> float | None:
        """The upper bound of a reward created by `reward(...)`, or `None`."""
        if not isinstance(self.reward, MinGameValue):
            return None
        bound = self.reward.values[-1]
        assert len(self.reward.values) > 1 and isinstance(bound, ConstValue), (
            "The reward is a minimum without a constant as its last value, so it has no upper bound."
        )
        return bound.value


def reward(
    value: AnyGameValue | list[AnyGameValue],
    *,
    weight: float = 1.0,
    log: bool = False,
    min: float | None = None,  # the published name
    max: float | None = None,  # the published name
    per_tick: bool = False,
) -> AgentReward:
    """Pay `weight` points for each of one value or several, in total not below `min` and not above `max`."""
    values = value if isinstance(value, list) else [value]
    total = weighted_sum([(weight, item) for item in values], log=log, min=min, max=max)
    return AgentReward(reward=total, per_tick=per_tick)


def inventoryReward(
    item: str,
    *,
    weight: float = 1.0,
    max: float | None = None,  # the published name
    per_tick: bool = False,
) -> AgentReward:
    """Pay `weight` points for each `item` held."""
    return reward(InventoryValue(item=item), weight=weight, max=max, per_tick=per_tick)
