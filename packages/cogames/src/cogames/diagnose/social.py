"""Stage 2: does a policy play worse beside a copy of itself than alone?

Alone, one policy has all seats (`absolute`); beside its copy, each has half of them (`mirror`). Four comparisons, each
over the cases with a seat for both, relative to the value alone, and reduced by their standard error so that chance
does not look like a difference:

- reward lost beside the copy, of the reward alone: half of it is the limit
- reward that one copy has more than the other: half of it is the limit
- fraction of steps without an action: 0.03 more is the limit
- longest time standing still, as a fraction of the episode: 0.1 more is the limit

The lost reward (the larger of the first two) weighs 0.65 of the severity, the visible behaviour (the larger of the
others) 0.35. Cases without any reward have only the visible behaviour, which then weighs 0.65.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from cogames.diagnose.metrics import SocialMetrics
from cogames.diagnose.numbers import clamp01, mean, relative_difference, surely

REWARD_LIMIT = 0.5
GAP_LIMIT = 0.5
TIMEOUT_LIMIT = 0.03
STUCK_LIMIT = 0.1

LOSS_WEIGHT = 0.65
SIGHT_WEIGHT = 0.35

SYMPTOM_SEVERITY = 0.3
DOMINANT_SEVERITY = 0.55


@dataclass(frozen=True)
class SocialCase:
    """One case in both modes; `copies` are the two policies of the mirror, or one where there was no seat for two."""

    alone: SocialMetrics
    copies: tuple[SocialMetrics, ...]


class SocialStatistics(BaseModel):
    """The comparisons, 0 to 1 of their limits, and the cases they rest on: those of rewards on `rewarded_cases`."""

    cases: int
    rewarded_cases: int
    reward_drop: float
    reward_gap: float
    timeout_rise: float
    stuck_rise: float


class SocialSignal(BaseModel):
    """The result of stage 2. Confirmed if both modes were measured in at least one case and have replays."""

    confirmed: bool
    severity: float
    confidence: float
    summary: str
    evidence_refs: list[str]
    statistics: SocialStatistics


def compare_modes(cases: Sequence[SocialCase], *, has_replays: bool) -> SocialSignal:
    """Compare the policy alone with the policy beside its copy."""
    shared = [case for case in cases if len(case.copies) == 2]
    statistics = _compare(shared)
    severity = _severity(statistics)
    confidence = 0.4 + 0.25 * bool(shared) + 0.2 * has_replays + 0.1 * (severity >= 0.4)
    return SocialSignal(
        confirmed=bool(shared) and has_replays,
        severity=round(severity, 2),
        confidence=round(confidence, 2),
        summary=_summary(shared, statistics, severity),
        evidence_refs=_refs(shared),
        statistics=statistics,
    )


def _compare(cases: Sequence[SocialCase]) -> SocialStatistics:
    rewarded = [case for case in cases if any(map(_reward, (case.alone, *case.copies)))]
    drops = [relative_difference(_reward(case.alone), _mean_of(case, "policy_reward_mean")) for case in rewarded]
    gaps = [relative_difference(_reward(case.copies[0]), _reward(case.copies[1])) for case in rewarded]
    timeouts = [_mean_of(case, "timeout_rate") - case.alone.timeout_rate for case in cases]
    stuck = [
        _mean_of(case, "mean_stuck_steps") / _steps(case.copies[0]) - case.alone.mean_stuck_steps / _steps(case.alone)
        for case in cases
    ]
    return SocialStatistics(
        cases=len(cases),
        rewarded_cases=len(rewarded),
        reward_drop=round(clamp01(surely(drops) / REWARD_LIMIT), 4),
        reward_gap=round(clamp01(abs(surely(gaps)) / GAP_LIMIT), 4),
        timeout_rise=round(clamp01(surely(timeouts) / TIMEOUT_LIMIT), 4),
        stuck_rise=round(clamp01(surely(stuck) / STUCK_LIMIT), 4),
    )


def _severity(statistics: SocialStatistics) -> float:
    rewarded = statistics.rewarded_cases / max(statistics.cases, 1)
    loss = max(statistics.reward_drop, statistics.reward_gap)
    sight = max(statistics.timeout_rise, statistics.stuck_rise)
    return rewarded * (LOSS_WEIGHT * loss + SIGHT_WEIGHT * sight) + (1.0 - rewarded) * LOSS_WEIGHT * sight


def _summary(cases: Sequence[SocialCase], statistics: SocialStatistics, severity: float) -> str:
    if not cases:
        return "No case had seats for the policy and its copy."
    if severity < SYMPTOM_SEVERITY:
        return "The policy plays about as well beside its copy as alone."
    seen = {
        "it earns less": statistics.reward_drop,
        "one copy earns at the other's expense": statistics.reward_gap,
        "it misses more deadlines": statistics.timeout_rise,
        "its cogs stand still for longer": statistics.stuck_rise,
    }
    reasons = [text for text, value in sorted(seen.items(), key=lambda item: -item[1]) if value >= SYMPTOM_SEVERITY]
    return f"Beside its copy the policy plays worse than alone: {', '.join(reasons)}."


def _refs(cases: Sequence[SocialCase]) -> list[str]:
    if not cases:
        return []
    gap = mean([_reward(case.copies[0]) - _reward(case.copies[1]) for case in cases])
    refs = [
        f"absolute:policy_reward_mean={mean([_reward(case.alone) for case in cases]):.4f}",
        f"mirror:policy_reward_mean={mean([_mean_of(case, 'policy_reward_mean') for case in cases]):.4f}",
        f"mirror:policy_reward_gap={abs(gap):.4f}",
    ]
    for name in ("timeout_rate", "mean_stuck_steps"):
        refs.append(f"absolute:{name}={mean([case.alone.value(name) for case in cases]):.4f}")
        refs.append(f"mirror:{name}={mean([_mean_of(case, name) for case in cases]):.4f}")
    return refs


def _reward(metrics: SocialMetrics) -> float:
    return metrics.policy_reward_mean


def _mean_of(case: SocialCase, name: str) -> float:
    """Return the mean of a metric over all seats of the mirror: copies count by their seats."""
    weights = [copy.statistics.agent_steps for copy in case.copies]
    total = sum(weights)
    if not total:
        return 0.0
    return sum(copy.value(name) * weight for copy, weight in zip(case.copies, weights, strict=True)) / total


def _steps(metrics: SocialMetrics) -> float:
    return max(metrics.statistics.steps, 1.0)
