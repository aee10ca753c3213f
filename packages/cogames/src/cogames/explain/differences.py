"""Compare the rates of policies in an episode, and say in which they differ much.

A rate is an amount per agent, or a share of the steps. These are observations of one episode: a sentence says what the
policies did, not why one of them won.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from softmax.wire import Difference, ExplainedPolicy

__all__ = ["find_differences"]

LISTED = 6
RATIO = 2.0
"""a difference is large from this ratio on"""
LEAST_SHARE = 0.1
"""and, for shares of the steps, from this difference on"""


@dataclass(frozen=True)
class _Rate:
    """A rate: `text` has the places {name}, {value}. Where `is_share`, the amount is divided by the steps."""

    measure: str
    verb: str
    unit: str
    amount: Callable[[ExplainedPolicy], int | None]
    is_share: bool = False
    least: float = 0.5
    """the smallest difference that is said"""


def _last(values: Sequence[int] | None) -> int | None:
    return None if values is None else (values[-1] if values else 0)


def _rates(held_name: str | None) -> list[_Rate]:
    return [
        _Rate("taken", "takes", f"{held_name} per agent", lambda policy: _last(policy.taken) if held_name else None),
        _Rate("hearts", "takes", "hearts per agent", lambda policy: _last(policy.hearts)),
        _Rate("deaths", "runs out of health", "times per agent", lambda policy: _last(policy.deaths)),
        _Rate("idle", "does nothing in", "of its steps", lambda policy: policy.counts.idle, is_share=True),
        _Rate("blocked", "is blocked in", "of its steps", lambda policy: policy.counts.blocked, is_share=True),
        _Rate("failed", "tries in vain in", "of its steps", lambda policy: policy.counts.failed, is_share=True),
        _Rate("missed", "misses", "deadlines per agent", lambda policy: policy.counts.missed),
        _Rate("cells", "visits", "cells per agent", lambda policy: policy.counts.cells, least=10.0),
    ]


def find_differences(policies: Sequence[ExplainedPolicy], held_name: str | None) -> list[Difference]:
    """Return the large differences, the largest first. Of two policies, the one with the higher rate comes first."""
    seated = [index for index, policy in enumerate(policies) if policy.agents]
    found: list[tuple[float, Difference]] = []
    if len(seated) < 2:
        return []
    for rate in _rates(held_name):
        amounts = {index: amount for index in seated if (amount := rate.amount(policies[index])) is not None}
        if len(amounts) < len(seated):
            continue
        for index in seated if len(seated) > 2 else [max(seated, key=lambda i: _value(rate, policies, amounts, [i]))]:
            others = [other for other in seated if other != index]
            value, other_value = _value(rate, policies, amounts, [index]), _value(rate, policies, amounts, others)
            size = _size(rate, value, other_value)
            if size is None:
                continue
            other_name = policies[others[0]].name if len(others) == 1 else "the other agents"
            text = (
                f"{policies[index].name} {rate.verb} {_number(rate, value)} {rate.unit}, "
                f"{other_name} {_number(rate, other_value)}"
            )
            difference = Difference(
                measure=rate.measure,
                policy=index,
                other=others[0] if len(others) == 1 else None,
                value=value,
                other_value=other_value,
                text=text,
            )
            found.append((size, difference))
    found.sort(key=lambda entry: (-entry[0], entry[1].text))
    return [difference for _, difference in found[:LISTED]]


def _value(rate: _Rate, policies: Sequence[ExplainedPolicy], amounts: dict[int, int], which: Sequence[int]) -> float:
    amount = sum(amounts[index] for index in which)
    of = sum(policies[index].counts.steps if rate.is_share else len(policies[index].agents) for index in which)
    return round(amount / of, 4) if of else 0.0


def _size(rate: _Rate, value: float, other: float) -> float | None:
    """Return how large a difference is, in ratios and up to 10; None if it is not worth a sentence."""
    low, high = sorted((value, other))
    if high - low < (LEAST_SHARE if rate.is_share else rate.least) or high < RATIO * low:
        return None
    return min(10.0, high / low) if low else 10.0


def _number(rate: _Rate, value: float) -> str:
    if rate.is_share:
        return f"{100 * value:.0f} %"
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}"
