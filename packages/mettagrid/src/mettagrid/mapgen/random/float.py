"""Random numbers in configurations.

Written as a number, as `["uniform", low, high]`, or as `["lognormal", low, high]` or `["lognormal", low, high, max]`,
where 90 % of the numbers are between `low` and `high`.
"""

import math
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, SerializeAsAny, model_serializer

__all__ = [
    "BaseFloatDistribution",
    "FloatConstantDistribution",
    "FloatDistribution",
    "FloatLognormalDistribution",
    "FloatUniformDistribution",
]

_NORMAL_95 = 1.6448536269514722  # 95 % of a standard normal distribution is below this


class BaseFloatDistribution(BaseModel):
    """Base of the distributions: `sample(rng)` draws a number."""

    def sample(self, rng: np.random.Generator) -> float:
        raise NotImplementedError


class FloatConstantDistribution(BaseFloatDistribution):
    """Always the same number."""

    value: float

    def sample(self, rng: np.random.Generator) -> float:
        return self.value

    @model_serializer
    def _short(self) -> float:
        return self.value


class FloatUniformDistribution(BaseFloatDistribution):
    """A uniform number between `low` and `high`."""

    low: float
    high: float

    def sample(self, rng: np.random.Generator) -> float:
        return float(rng.uniform(self.low, self.high))

    @model_serializer
    def _short(self) -> list[Any]:
        return ["uniform", self.low, self.high]


class FloatLognormalDistribution(BaseFloatDistribution):
    """Mostly small numbers, sometimes large ones: 5 % are below `low` and 5 % above `high`; none is above `max`."""

    low: float
    high: float
    max: float | None = None

    def sample(self, rng: np.random.Generator) -> float:
        _check(self)
        if self.low == self.high:
            raise ValueError(f"Low value must be less than high value; both are {self.low}. Write the number alone.")
        low, high = math.log(self.low), math.log(self.high)
        number = float(rng.lognormal((low + high) / 2, (high - low) / (2 * _NORMAL_95)))
        return number if self.max is None else min(number, self.max)

    @model_serializer
    def _short(self) -> list[Any]:
        return ["lognormal", self.low, self.high] + ([] if self.max is None else [self.max])


def _to_float_distribution(value: Any) -> Any:
    if isinstance(value, BaseFloatDistribution):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return FloatConstantDistribution(value=value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
        name, *numbers = value
        if name == "uniform" and len(numbers) == 2:
            return _checked(FloatUniformDistribution(low=numbers[0], high=numbers[1]))
        if name == "lognormal" and 2 <= len(numbers) <= 3:
            maximum = numbers[2] if len(numbers) == 3 else None
            return _checked(FloatLognormalDistribution(low=numbers[0], high=numbers[1], max=maximum))
    if isinstance(value, dict) and value.keys() == {"value"}:
        return FloatConstantDistribution.model_validate(value)
    if isinstance(value, dict) and value.keys() == {"low", "high"}:
        return _checked(FloatUniformDistribution.model_validate(value))
    if isinstance(value, dict) and value.keys() == {"low", "high", "max"}:
        return _checked(FloatLognormalDistribution.model_validate(value))
    raise TypeError(
        "A number, ['uniform', low, high], ['lognormal', low, high] or ['lognormal', low, high, max] is needed here, "
        f"not {value!r}."
    )


_Ranged = FloatUniformDistribution | FloatLognormalDistribution


def _checked(distribution: _Ranged) -> _Ranged:
    _check(distribution)
    return distribution


def _check(distribution: _Ranged) -> None:
    low, high = distribution.low, distribution.high
    if low > high:
        raise ValueError(f"Low value must be less than high value; the range from {low} to {high} is empty.")
    if isinstance(distribution, FloatLognormalDistribution) and low <= 0:
        raise ValueError(f"Low value must be above 0 in a lognormal range; this one goes from {low} to {high}.")


# Saved in the short form, which is the one that can be read back everywhere.
FloatDistribution = Annotated[SerializeAsAny[BaseFloatDistribution], BeforeValidator(_to_float_distribution)]
"""Field type: a distribution, written as a number or as a list that starts with `uniform` or `lognormal`."""
