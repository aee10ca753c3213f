"""Correlate metrics with the tournament objective, and recommend limits for probes from that.

A sample is a mission: its metrics, as means over its cases, and its objective.
"""

from collections.abc import Mapping, Sequence
from statistics import StatisticsError, correlation, median

from pydantic import BaseModel

from cogames.diagnose.metrics import OBJECTIVE, RATES, MissionMetrics, by_mission
from cogames.diagnose.numbers import mean
from cogames.diagnose.probes import Rule, Stage1Probe

STRONG = 0.6
MODERATE = 0.3

Samples = Sequence[tuple[Sequence[MissionMetrics], float]]


class MetricCorrelation(BaseModel):
    """Pearson's coefficient of one metric with the objective; None without two different samples."""

    metric: str
    correlation: float | None
    sample_count: int
    direction: str
    interpretation: str


class ProbeCalibration(BaseModel):
    """The limit that all missions with an objective at or above the median stay within."""

    probe_id: str
    mission: str
    metric: str
    operator: str
    current_threshold: float
    recommended_threshold: float | None
    delta: float | None
    sample_count: int
    notes: list[str]


class CorrelationReport(BaseModel):
    objective_metric: str
    sample_count: int
    correlations: list[MetricCorrelation]
    probe_calibrations: list[ProbeCalibration]
    tuned: bool
    notes: list[str]


def correlate(
    metrics: Sequence[MissionMetrics], objectives: Mapping[str, float], probes: Sequence[Stage1Probe]
) -> CorrelationReport:
    """Return the correlation report for stage 1 of one policy."""
    samples = [(entries, objectives[name]) for name, entries in by_mission(metrics).items() if name in objectives]
    correlations = [_correlation(name, samples) for name in RATES]
    calibrations = [_calibration(probe, rule, samples) for probe in probes for rule in probe.threshold_rules]
    tuned = any(calibration.delta for calibration in calibrations)
    notes = []
    if all(entry.correlation is None for entry in correlations):
        notes.append("No correlation: that needs at least two missions in which a metric and the objective vary.")
    if not tuned:
        notes.append("The data gives no reason to change the limits.")
    return CorrelationReport(
        objective_metric=OBJECTIVE,
        sample_count=len(samples),
        correlations=correlations,
        probe_calibrations=calibrations,
        tuned=tuned,
        notes=notes,
    )


def _values(name: str, samples: Samples) -> list[float]:
    return [mean([entry.value(name) for entry in entries]) for entries, _ in samples]


def _correlation(name: str, samples: Samples) -> MetricCorrelation:
    try:
        value = round(correlation(_values(name, samples), [objective for _, objective in samples]), 4)
    except (StatisticsError, ValueError):  # fewer than two samples, or all equal
        return MetricCorrelation(
            metric=name,
            correlation=None,
            sample_count=len(samples),
            direction="insufficient_data",
            interpretation="Not enough data: needs two missions that differ in both.",
        )
    strength = "strong" if abs(value) >= STRONG else "moderate" if abs(value) >= MODERATE else "weak"
    return MetricCorrelation(
        metric=name,
        correlation=value,
        sample_count=len(samples),
        direction="positive" if value > 0 else "negative" if value < 0 else "none",
        interpretation=f"A {strength} correlation: {'more' if value > 0 else 'fewer'} junctions where it is higher.",
    )


def _calibration(probe: Stage1Probe, rule: Rule, samples: Samples) -> ProbeCalibration:
    recommended = None
    notes = ["None of the played missions counts the objective."]
    if samples:
        middle = median([objective for _, objective in samples])
        good = [sample for sample in samples if sample[1] >= middle]
        values = _values(rule.metric, good)
        recommended = round(max(values) if rule.operator == "<=" else min(values), 4)
        notes = [f"All {len(good)} missions at or above the median objective stay within this limit."]
    return ProbeCalibration(
        probe_id=probe.probe_id,
        mission=probe.mission,
        metric=rule.metric,
        operator=rule.operator,
        current_threshold=rule.value,
        recommended_threshold=recommended,
        delta=None if recommended is None else round(recommended - rule.value, 4),
        sample_count=len(samples),
        notes=notes,
    )
