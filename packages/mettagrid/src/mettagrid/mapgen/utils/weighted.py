"""Choose by weight."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

_Item = TypeVar("_Item")


def weighted_choice(rng: np.random.Generator, items: Sequence[_Item], weights: Sequence[float], subject: str) -> _Item:
    """Return one of the items, drawn by weight; raises `ValueError` that names `subject` if none can be chosen."""
    if not items:
        raise ValueError(f"There is nothing to choose {subject} from; give at least one candidate.")
    if min(weights) < 0 or not 0 < sum(weights) < float("inf"):
        raise ValueError(f"The weights of {subject} are {list(weights)}; they must be 0 or more, and not all 0.")
    total = np.array(weights, dtype=float)
    return items[int(rng.choice(len(items), p=total / total.sum()))]
