"""Compare scores with other policies: a scripted one marks the low end of the scale, a strong one the high end."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from cogames.diagnose.metrics import MissionMetrics, by_mission
from cogames.diagnose.numbers import clamp01
from cogames.diagnose.scores import AxisScore

SCRIPTED = "scripted_baseline"
STRONG = "known_strong"

_REF = {SCRIPTED: "scripted", STRONG: "known_strong"}

NO_BASELINES = "There is no policy to compare with; scores are measured against fixed limits."


class Baseline(BaseModel):
    """A policy to compare with."""

    role: str
    policy: str
    axis_scores: list[AxisScore]


class BaselineContext(BaseModel):
    """The policies that scores were compared with."""

    normalization_mode: str
    normalization_notes: list[str]
    baselines: list[Baseline]


def normalize(scores: Sequence[AxisScore], baselines: Sequence[Baseline]) -> tuple[list[AxisScore], BaselineContext]:
    """Return the scores on the scale of the baselines, 0 to 100; note and skip a scale without length."""
    tables = {baseline.role: {score.axis: score.raw_score for score in baseline.axis_scores} for baseline in baselines}
    notes: list[str] = [] if baselines else [NO_BASELINES]
    normalized = []
    for score in scores:
        raws = {role: table[score.axis] for role, table in tables.items() if score.axis in table}
        value, mode = _on_scale(score, raws, notes)
        changes = {
            "normalized_score": round(value, 2),
            "baseline_refs": [f"{_REF[role]}:{score.axis}={raw:.2f}" for role, raw in raws.items()],
            "baseline_coverage_count": len(raws),
            "normalization_mode": mode,
        }
        normalized.append(score.model_copy(update=changes))
    context = BaselineContext(
        normalization_mode=_mode(tables, "heuristic_only"),
        normalization_notes=notes,
        baselines=list(baselines),
    )
    return normalized, context


def baseline_file(baselines: Mapping[str, tuple[Baseline, Sequence[MissionMetrics]]]) -> dict[str, object]:
    """Return the part of `stage1_baselines.json` about the policies themselves."""
    document: dict[str, object] = dict.fromkeys((SCRIPTED, STRONG))
    for role, (baseline, metrics) in baselines.items():
        document[role] = {
            "policy": baseline.policy,
            "missions": by_mission(metrics),
            "axis_scores": baseline.axis_scores,
        }
    return document


def _mode(roles: Mapping[str, object], neither: str) -> str:
    if SCRIPTED in roles and STRONG in roles:
        return "scripted_to_known_strong"
    if STRONG in roles:
        return "known_strong_only"
    return "scripted_only" if SCRIPTED in roles else neither


def _on_scale(score: AxisScore, raws: Mapping[str, float], notes: list[str]) -> tuple[float, str]:
    mode = _mode(raws, score.normalization_mode)
    if not raws:
        return score.raw_score, mode
    low, high = raws.get(SCRIPTED, 0.0), raws.get(STRONG, 100.0)
    if high <= low:
        notes.append(f"Axis {score.axis}: not compared, because the scale would run from {low:.2f} to {high:.2f}.")
        return score.raw_score, score.normalization_mode
    return 100.0 * clamp01((score.raw_score - low) / (high - low)), mode
