"""The `coworld.stats.v1` document: measurements of every seat of episodes, each with the definition of its metric.

Numbers are strict: no strings, no NaN. What could not be measured says so and why; it is never a zero.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, StringConstraints, model_validator

from coworld.schema.base import SCHEMA_VERSION, BrokenRule, DocumentModel

__all__ = [
    "COWORLD_STATS_SCHEMA_URI",
    "STATS_VERSION",
    "EpisodeStats",
    "MeasuredValue",
    "MetricDefinition",
    "MissingValue",
    "NoOpportunities",
    "SeatStats",
    "StatsBlock",
    "StatsFailure",
    "StatsProvenance",
]

STATS_VERSION = "coworld.stats.v1"
COWORLD_STATS_SCHEMA_URI = "https://softmax.com/api/observatory/v2/reporters/schemas/coworld.stats.v1.json"

Word = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Model(DocumentModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class StatsProvenance(_Model):
    """The measured replay and the tool that measured it."""

    episode_id: Word
    game_id: Word
    game_build_id: Word | None
    replay_sha256: Sha256
    extractor_id: Word
    extractor_version: Word
    context: dict[str, JsonValue] = Field(default_factory=dict)


class MetricDefinition(_Model):
    """The definition of a metric. The same id and version mean the same everywhere."""

    id: Word
    version: Annotated[int, Field(ge=1)]
    name: Word
    category: Literal["direct", "opportunity_dependent", "outcome"]
    unit: Word
    kind: Literal["count", "rate", "value"]
    description: Word
    eligibility: Word
    denominator: Word | None = Field(description="What a rate is out of; null for counts and values.")
    aggregation: Word
    interpretation: Word

    @model_validator(mode="after")
    def validate_denominator(self) -> Self:
        """Check that rates, and only rates, have a denominator."""
        if (self.kind == "rate") != (self.denominator is not None):
            fix = "say what it is out of" if self.kind == "rate" else "write null"
            raise BrokenRule(
                f"a {self.kind} {'has' if self.kind == 'rate' else 'has no'} denominator", fix, "denominator"
            )
        return self


class MeasuredValue(_Model):
    """A number."""

    metric_id: Word
    status: Literal["measured"]
    value: float
    count: Annotated[int, Field(ge=0)] | None = None
    denominator: Annotated[int, Field(gt=0)] | None = None


class MissingValue(_Model):
    """A number that is not in the replay (`missing`) or that this game does not have (`unsupported`)."""

    metric_id: Word
    status: Literal["missing", "unsupported"]
    reason: Word


class NoOpportunities(_Model):
    """A rate with a denominator of zero."""

    metric_id: Word
    status: Literal["no_opportunities"]
    count: Annotated[int, Field(ge=0, le=0)] = 0
    denominator: Annotated[int, Field(ge=0, le=0)] = 0


Measurement = Annotated[MeasuredValue | MissingValue | NoOpportunities, Field(discriminator="status")]


class SeatStats(_Model):
    """All measurements of one seat."""

    seat_id: Word
    policy_id: Word | None
    policy_sha256: Sha256 | None
    measurements: Annotated[list[Measurement], Field(min_length=1)]


class EpisodeStats(_Model):
    """One episode: its metrics, and every seat's measurement of each."""

    provenance: StatsProvenance
    metrics: Annotated[list[MetricDefinition], Field(min_length=1)]
    seats: Annotated[list[SeatStats], Field(min_length=1)]

    @model_validator(mode="after")
    def validate_measurements(self) -> Self:
        """Check that ids are unique, every seat reports every metric once, and numbers fit their metric's kind."""
        metrics = {metric.id: metric for metric in self.metrics}
        if len(metrics) != len(self.metrics):
            raise BrokenRule("a metric id is used twice", "give each metric of an episode its own id", "metrics")
        if len({seat.seat_id for seat in self.seats}) != len(self.seats):
            raise BrokenRule("a seat id is used twice", "give each seat its own id", "seats")
        for index, seat in enumerate(self.seats):
            if sorted(measurement.metric_id for measurement in seat.measurements) != sorted(metrics):
                message = f"seat {seat.seat_id!r} does not report every metric exactly once"
                fix = "say `missing` with a reason for what is not known"
                raise BrokenRule(message, fix, "seats", index, "measurements")
            for place, measurement in enumerate(seat.measurements):
                problem = _mismatch(metrics[measurement.metric_id], measurement)
                if problem:
                    fix = f"{measurement.metric_id} is a {metrics[measurement.metric_id].kind}"
                    raise BrokenRule(problem, fix, "seats", index, "measurements", place)
        return self


def _mismatch(metric: MetricDefinition, measurement: MeasuredValue | MissingValue | NoOpportunities) -> str | None:
    """Return why a measurement does not fit this metric."""
    if isinstance(measurement, MissingValue):
        return None
    if isinstance(measurement, NoOpportunities):
        return None if metric.kind == "rate" else "only a rate can have had no opportunities"
    value, count, denominator = measurement.value, measurement.count, measurement.denominator
    if metric.kind == "value":
        return None if count is None and denominator is None else "a value has neither count nor denominator"
    if metric.kind == "count":
        if denominator is not None:
            return "a count has no denominator"
        return None if count is not None and value == count else "the value of a count is its `count`"
    if count is None or denominator is None:
        return "a rate needs `count` and `denominator`"
    if count > denominator:
        return "a rate cannot count more than it is out of"
    if not math.isclose(value, count / denominator, rel_tol=1e-9, abs_tol=1e-12):
        return "the value of a rate is count / denominator"
    return None


class StatsFailure(_Model):
    """An episode that could not be measured."""

    provenance: StatsProvenance
    reason: Word


class StatsBlock(_Model):
    """A whole document."""

    model_config = ConfigDict(json_schema_extra={"$schema": SCHEMA_VERSION, "$id": COWORLD_STATS_SCHEMA_URI})

    schema_version: Literal["coworld.stats.v1"]
    episodes: list[EpisodeStats]
    failures: list[StatsFailure]

    @model_validator(mode="after")
    def validate_episodes(self) -> Self:
        """Check that the block is not empty, every episode occurs once, and definitions agree."""
        entries: list[EpisodeStats | StatsFailure] = [*self.episodes, *self.failures]
        ids = [entry.provenance.episode_id for entry in entries]
        if not ids:
            raise BrokenRule("there is no episode and no failure", "measure something")
        for index, name in enumerate(ids):
            if name in ids[:index]:
                raise BrokenRule(f"episode {name!r} comes twice", "write each episode once, measured or failed")
        known: dict[tuple[str, int], MetricDefinition] = {}
        for index, episode in enumerate(self.episodes):
            for metric in episode.metrics:
                if known.setdefault((metric.id, metric.version), metric) != metric:
                    message = f"{metric.id} v{metric.version} is defined in two ways"
                    raise BrokenRule(message, "raise `version` when a metric changes", "episodes", index, "metrics")
        return self
