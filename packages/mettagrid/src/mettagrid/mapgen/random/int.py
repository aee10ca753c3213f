"""Random whole numbers in configurations.

Written as a number, or as `["uniform", low, high]` with both ends included.
"""

from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, SerializeAsAny, model_serializer

MaybeSeed = int | np.random.Generator | None
"""A seed, a generator, or None for a random seed: the input of `numpy.random.default_rng`."""

__all__ = ["BaseIntDistribution", "IntConstantDistribution", "IntDistribution", "IntUniformDistribution", "MaybeSeed"]


class BaseIntDistribution(BaseModel):
    """Base of the distributions: `sample(rng)` draws a number."""

    def sample(self, rng: np.random.Generator) -> int:
        raise NotImplementedError


class IntConstantDistribution(BaseIntDistribution):
    """Always the same number."""

    value: int

    def sample(self, rng: np.random.Generator) -> int:
        return self.value

    @model_serializer
    def _short(self) -> int:
        return self.value


class IntUniformDistribution(BaseIntDistribution):
    """A uniform whole number from `low` to `high`, both included."""

    low: int
    high: int

    def sample(self, rng: np.random.Generator) -> int:
        return int(rng.integers(self.low, self.high, endpoint=True))

    @model_serializer
    def _short(self) -> list[Any]:
        return ["uniform", self.low, self.high]


def _to_int_distribution(value: Any) -> Any:
    if isinstance(value, BaseIntDistribution):
        return value
    if isinstance(value, int):
        return IntConstantDistribution(value=int(value))
    if isinstance(value, (list, tuple)) and len(value) == 3 and value[0] == "uniform":
        return _uniform(value[1], value[2])
    if isinstance(value, dict) and value.keys() == {"value"}:
        return IntConstantDistribution.model_validate(value)
    if isinstance(value, dict) and value.keys() == {"low", "high"}:
        return _uniform(value["low"], value["high"])
    raise TypeError(f"A whole number or ['uniform', low, high] is needed here, not {value!r}.")


def _uniform(low: Any, high: Any) -> IntUniformDistribution:
    distribution = IntUniformDistribution(low=low, high=high)
    if distribution.low > distribution.high:
        raise ValueError(f"Low value must be less than high value; the range from {low} to {high} is empty.")
    return distribution


# Saved in the short form, which is the one that can be read back everywhere.
IntDistribution = Annotated[SerializeAsAny[BaseIntDistribution], BeforeValidator(_to_int_distribution)]
"""Field type: a distribution, written as a number or `["uniform", low, high]`."""
