"""The table of a pool as a fold over its matches. They may be added in any order: the table is the same."""

from __future__ import annotations

import math
import uuid
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from observatory.scoring.exact import ExactSum
from observatory.scoring.intervals import Sample, score_interval, unequal_company
from observatory.scoring.standings import Seat, Standing, summary
from observatory.scoring.vor import PoolTotals, Value, values_over_replacement
from softmax.stats import Interval, VariancePart

__all__ = ["LoggedMatch", "Place", "PoolFold", "Record"]


@dataclass(frozen=True, slots=True)
class LoggedMatch:
    """A match that has ended. `order` says when, `sample` which of the maps of its split it was on."""

    order: int
    at: datetime
    sample: int
    seats: tuple[Seat, ...]
    failed: bool = False
    culprit: int | None = None
    """the policy at fault for a failure: a position in `seats`"""

    @property
    def is_scored(self) -> bool:
        return not self.failed and bool(self.seats) and all(seat.score is not None for seat in self.seats)


@dataclass(frozen=True, slots=True)
class Place:
    """A policy's place in the table, with its uncertainty."""

    standing: Standing
    interval: Interval | None
    rank_low: int | None
    rank_high: int | None
    value: Value | None
    trend: float | None


@dataclass(slots=True)
class Record:
    """The matches of a policy in a pool, by how they ended."""

    completed: int = 0
    failed: int = 0
    charged: int = 0
    """failed matches for which the policy is at fault"""
    last_order: int = 0
    last_at: datetime | None = None
    last_failed: bool = False
    """whether the policy is at fault for a failure of its last match"""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A seat of a policy; `match_score` is the mean of all agents of the match."""

    order: int
    sample: Sample
    match_score: float


@dataclass(slots=True)
class _PolicyResults:
    """The entries of a policy; the summary is recomputed after an entry was added."""

    entries: list[_Entry] = field(default_factory=list)
    last_order: int = 0
    summary: _Summary | None = None


@dataclass(frozen=True, slots=True)
class _Summary:
    members: int
    mean: float
    stddev: float | None
    percentiles: dict[str, float] | None
    interval: Interval | None
    company: VariancePart
    trend: float | None
    totals: dict[Hashable, tuple[float, float, float, float]]
    """by map: sums of weight times score and of weight, of the policy's own agents and of all in its matches"""


class PoolFold:
    """The matches of one pool so far."""

    def __init__(self) -> None:
        self.last_order = 0
        """of the matches added, the one that was completed last"""
        self.last_at: datetime | None = None
        self.matches = 0
        """added; only those that are fully scored count in the table"""
        self.completed = 0
        self.records: dict[uuid.UUID, Record] = {}
        self._policies: dict[uuid.UUID, _PolicyResults] = {}
        self._maps: dict[Hashable, tuple[ExactSum, list[int]]] = {}
        """of each map: the sum of the scores of its matches, and how many they are"""
        self._by_map = _ByMap()

    @property
    def maps(self) -> int:
        """Different maps played."""
        return len(self._maps)

    def add(self, match: LoggedMatch) -> None:
        self.matches += 1
        if match.order > self.last_order:
            self.last_order, self.last_at = match.order, match.at
        self.completed += not match.failed
        self._record(match)
        if not match.is_scored:
            return
        agents = sum(seat.num_agents for seat in match.seats)
        split = tuple(seat.num_agents for seat in match.seats)
        weights = [number / agents if agents else 0.0 for number in split]
        scores = [seat.score or 0.0 for seat in match.seats]
        match_score = math.fsum(score * weight for score, weight in zip(scores, weights, strict=True))
        total, count = self._maps.setdefault((split, match.sample), (ExactSum(), [0]))
        total.add(match_score)
        count[0] += 1
        ids = [seat.policy_version_id for seat in match.seats]
        for place, policy_id in enumerate(ids):
            company = (
                tuple(sorted(ids[:place] + ids[place + 1 :])) if len(ids) > 2 else (*ids[:place], *ids[place + 1 :])
            )
            policy = self._policies.setdefault(policy_id, _PolicyResults())
            sample = Sample(split, match.sample, company, weights[place], scores[place])
            policy.entries.append(_Entry(match.order, sample, match_score))
            policy.last_order = max(policy.last_order, match.order)
            policy.summary = None

    def _record(self, match: LoggedMatch) -> None:
        culprit = None if match.culprit is None else match.seats[match.culprit].policy_version_id
        for policy in {seat.policy_version_id for seat in match.seats}:
            record = self.records.setdefault(policy, Record())
            is_charged = match.failed and policy == culprit
            record.completed += not match.failed
            record.failed += match.failed
            record.charged += is_charged
            if match.order >= record.last_order:
                record.last_order, record.last_at, record.last_failed = match.order, match.at, is_charged

    def standings(self) -> list[Standing]:
        """Return the rows of the table, best first; see `standings.weighted_standings`."""
        return [standing for standing, _ in self._ranked(len(self._policies))]

    def places(self, members: int) -> list[Place]:
        """Return the table with intervals, in a pool of so many members."""
        ranked = self._ranked(max(members, len(self._policies)))
        values = self._values([standing.policy_version_id for standing, _ in ranked])
        lows = sorted(row.interval.low if row.interval else -math.inf for _, row in ranked)
        highs = sorted(row.interval.high if row.interval else math.inf for _, row in ranked)
        places = []
        for (standing, row), value in zip(ranked, values, strict=True):
            low = high = None
            if row.interval is not None:
                # Certainly better: the interval begins above ours. Certainly worse: it ends below.
                low = 1 + len(lows) - bisect_right(lows, row.interval.high)
                high = len(highs) - bisect_left(highs, row.interval.low)
            places.append(Place(standing, row.interval, low, high, value, row.trend))
        return places

    def history(self, policy: uuid.UUID, members: int, max_points: int) -> dict[int, Interval]:
        """Return the uncertainty of a policy's score over its matches, at most at `most` points, the last included."""
        results = self._policies.get(policy)
        if results is None:
            return {}
        samples = [entry.sample for entry in sorted(results.entries, key=lambda entry: entry.order)]
        companies = _companies(samples, max(members, len(self._policies)))
        counts = {round(len(samples) * (n + 1) / max_points) for n in range(max_points)} - {0}
        intervals = {count: score_interval(samples[:count], companies) for count in sorted(counts)}
        return {count: interval for count, interval in intervals.items() if interval is not None}

    def _ranked(self, members: int) -> list[tuple[Standing, _Summary]]:
        rows = [(policy, self._summary(policy, results, members)) for policy, results in self._policies.items()]
        rows.sort(key=lambda row: (-row[1].mean, row[0].int))
        return [
            (
                Standing(rank, policy, row.mean, row.stddev, row.percentiles, len(self._policies[policy].entries)),
                row,
            )
            for rank, (policy, row) in enumerate(rows, 1)
        ]

    def _summary(self, policy: uuid.UUID, results: _PolicyResults, members: int) -> _Summary:
        cached = results.summary
        if cached is not None and cached.members == members:
            return cached
        samples = [entry.sample for entry in results.entries]
        mean, stddev, percentiles = summary([(sample.score, sample.weight) for sample in samples])
        companies = _companies(samples, members)
        before = [(e.sample.score, e.sample.weight) for e in results.entries if e.order != results.last_order]
        weight = math.fsum(part for _, part in before)
        trend = mean - math.fsum(score * part for score, part in before) / weight if weight else None
        total = math.fsum(sample.weight for sample in samples)
        company = unequal_company(samples, total, companies) if total else []
        results.summary = _Summary(
            members=members,
            mean=mean,
            stddev=stddev,
            percentiles=percentiles,
            interval=score_interval(samples, companies),
            company=company[0] if company else VariancePart(0.0, 1.0),
            trend=trend,
            totals=_totals(results.entries),
        )
        return results.summary

    def _company(self, policy: uuid.UUID) -> VariancePart:
        summary = self._policies[policy].summary
        assert summary is not None
        return summary.company

    def _values(self, policies: Sequence[uuid.UUID]) -> list[Value | None]:
        if not policies:
            return []
        import numpy as np

        maps = sorted(self._maps, key=repr)
        splits = sorted({map_[0] for map_ in maps})  # type: ignore[index]
        arrays = self._by_map.rows(maps, [(policy, self._policies[policy].summary) for policy in policies])
        company = np.array([(row.variance, row.degrees) for row in map(self._company, policies)])
        own_scores, own_weights, present_scores, present_weights = np.moveaxis(arrays, 2, 0)
        totals = PoolTotals(
            strata=[splits.index(map_[0]) for map_ in maps],  # type: ignore[index]
            own_scores=own_scores,
            own_weights=own_weights,
            present_scores=present_scores,
            present_weights=present_weights,
            all_scores=np.array([float(self._maps[map_][0]) for map_ in maps]),
            all_weights=np.array([float(self._maps[map_][1][0]) for map_ in maps]),
            company_variance=company[:, 0],
            company_degrees=company[:, 1],
        )
        return values_over_replacement(totals)


class _ByMap:
    """What policies have on each map, in one array; only the rows of those that have played since are filled again."""

    def __init__(self) -> None:
        self._maps: list[Hashable] = []
        self._columns: dict[Hashable, int] = {}
        self._rows: dict[uuid.UUID, int] = {}
        self._filled: list[_Summary | None] = []
        self._array: Any = None

    def rows(self, maps: list[Hashable], policies: Sequence[tuple[uuid.UUID, _Summary | None]]) -> Any:
        """Return (policy, map, four sums), in the given orders."""
        import numpy as np

        if maps != self._maps or any(policy not in self._rows for policy, _ in policies):
            self._maps, self._columns = maps, {map_: column for column, map_ in enumerate(maps)}
            self._rows = {policy: row for row, (policy, _) in enumerate(policies)}
            self._filled = [None] * len(policies)
            self._array = np.zeros((len(policies), len(maps), 4))
        for policy, entry in policies:
            row = self._rows[policy]
            if entry is not None and self._filled[row] is not entry:
                self._array[row] = 0.0
                self._array[row, [self._columns[map_] for map_ in entry.totals]] = list(entry.totals.values())
                self._filled[row] = entry
        return self._array[[self._rows[policy] for policy, _ in policies]]


def _totals(entries: Sequence[_Entry]) -> dict[Hashable, tuple[float, float, float, float]]:
    by_map: dict[Hashable, list[_Entry]] = {}
    for entry in entries:
        by_map.setdefault((entry.sample.stratum, entry.sample.map), []).append(entry)
    totals = {}
    for map_, of_map in by_map.items():
        matches = {entry.order: entry.match_score for entry in of_map}
        totals[map_] = (
            math.fsum(entry.sample.score * entry.sample.weight for entry in of_map),
            math.fsum(entry.sample.weight for entry in of_map),
            math.fsum(matches.values()),
            float(len(matches)),
        )
    return totals


def _companies(samples: Sequence[Sample], members: int) -> int:
    """Return in how many companies a policy of a pool can play: the choices of as many others as in its matches."""
    others = max((len(sample.company) for sample in samples), default=0)  # type: ignore[arg-type]
    return max(1, math.comb(max(0, members - 1), others))
