"""The table of a pool as a fold over its matches. They may be added in any order: the table is the same."""

from __future__ import annotations

import math
import uuid
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from observatory.scoring.intervals import exact_sums, group_arrays, interval_of, sorted_groups, unequal_company
from observatory.scoring.match_log import LogColumns, LoggedMatch, moment
from observatory.scoring.results import PolicySeats, Results
from observatory.scoring.standings import Standing, summary
from observatory.scoring.vor import PoolTotals, Value, values_over_replacement
from softmax.stats import Interval, VariancePart

__all__ = ["LoggedMatch", "Meeting", "Place", "Played", "PoolFold", "Record"]

_BATCH = 10_000
"""matches that are added up together"""


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
class Played:
    """A policy's result in a scored match, with its mean score up to there; `number` counts them from 1."""

    number: int
    order: int
    at: datetime
    score: float
    mean: float


@dataclass(frozen=True, slots=True)
class Meeting:
    """A policy and another one in a scored match."""

    order: int
    opponent: uuid.UUID
    split: tuple[int, int]
    """agents of this policy and of the opponent; which of the two sits first counts as well"""
    sample: int
    num_agents: int
    score: float
    opponent_score: float


@dataclass(frozen=True, slots=True)
class _Summary:
    members: int
    mean: float
    stddev: float | None
    percentiles: dict[str, float] | None
    interval: Interval | None
    company: VariancePart
    trend: float | None
    maps: NDArray[np.int64]
    totals: NDArray[np.float64]
    """[maps, 4]: sums of weight times score and of weight, of the policy's own agents and of all in its matches"""


class PoolFold:
    """The matches of one pool so far. Not safe to use from several threads at a time while matches are added."""

    def __init__(self) -> None:
        self._new: list[LoggedMatch] = []
        self._last_order, self._last_at = 0, 0
        self._matches = self._completed = 0
        self._numbers: dict[uuid.UUID, int] = {}
        self._policies: list[uuid.UUID] = []
        self._records: dict[uuid.UUID, Record] = {}
        self._charged: dict[uuid.UUID, list[int]] = {}
        self._results = Results()
        self._summaries: dict[int, _Summary] = {}
        self._by_map = _ByMap()

    def add(self, match: LoggedMatch) -> None:
        self._new.append(match)
        if len(self._new) >= _BATCH:
            self.settle()

    def settle(self) -> None:
        """Count the matches that were added one by one. Everything that is asked of a fold does it, too."""
        if self._new:
            new, self._new = self._new, []
            self.extend(LogColumns.of(new))

    def extend(self, log: LogColumns) -> None:
        """Add all matches of a log."""
        self.settle()
        if not len(log.order):
            return
        last = int(log.order.argmax())
        if log.order[last] > self._last_order:
            self._last_order, self._last_at = int(log.order[last]), int(log.at[last])
        self._matches += len(log.order)
        self._completed += int((~log.failed).sum())
        numbers = np.array([self._number(policy) for policy in log.policies], np.int64)[log.policy]
        self._record(log, numbers)
        self._results.extend(log, numbers)
        for number in np.unique(numbers).tolist():
            self._summaries.pop(number, None)

    @property
    def last_order(self) -> int:
        """Of the matches added, the one that was completed last."""
        self.settle()
        return self._last_order

    @property
    def last_at(self) -> datetime | None:
        self.settle()
        return moment(self._last_at) if self._last_order else None

    @property
    def matches(self) -> int:
        """How many were added; only those that are fully scored count in the table."""
        self.settle()
        return self._matches

    @property
    def completed(self) -> int:
        self.settle()
        return self._completed

    @property
    def maps(self) -> int:
        """Different maps played."""
        self.settle()
        return len(self._results.maps)

    @property
    def records(self) -> dict[uuid.UUID, Record]:
        self.settle()
        return self._records

    def charged(self, policy: uuid.UUID, limit: int) -> list[int]:
        """Return the last failed matches for which a policy is at fault, by their order, the last one first."""
        self.settle()
        return sorted(self._charged.get(policy, ()), reverse=True)[:limit]

    def last_scored(self, policy: uuid.UUID, limit: int) -> list[int]:
        """Return the last scored matches of a policy, by their order, the last one first."""
        number = self._played(policy)
        return [] if number is None else self._results.last_orders(number, limit)

    def standings(self) -> list[Standing]:
        """Return the rows of the table, best first; see `standings.weighted_standings`."""
        self.settle()
        return [standing for standing, _ in self._ranked(len(self._results.policies()))]

    def places(self, members: int) -> list[Place]:
        """Return the table with intervals, in a pool of so many members."""
        self.settle()
        ranked = self._ranked(max(members, len(self._results.policies())))
        values = self._values([row for _, row in ranked], [standing.policy_version_id for standing, _ in ranked])
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
        """Return the uncertainty of a policy's score over its matches, at most at `max_points`, the last included."""
        number = self._played(policy)
        if number is None:
            return {}
        own = self._results.of_policy(number)
        count = len(own.order)
        companies = self._companies(number, max(members, len(self._results.policies())))
        intervals = {}
        for length in sorted({round(count * (n + 1) / max_points) for n in range(max_points)} - {0}):
            part = slice(length)
            groups = group_arrays(own.split[part], own.map[part], own.company[part], own.weight[part], own.score[part])
            interval = interval_of(groups, companies, unequal_company(groups, companies))
            if interval is not None:
                intervals[length] = interval
        return intervals

    def played(self, policy: uuid.UUID, limit: int) -> list[Played]:
        """Return the last scored results of a policy, in order."""
        number = self._played(policy)
        if number is None:
            return []
        own = self._results.of_policy(number)
        totals, weights = np.cumsum(own.weight * own.score), np.cumsum(own.weight)
        means = np.divide(totals, weights, out=np.zeros(len(weights)), where=weights > 0)
        columns = (np.arange(1, len(means) + 1), own.order, own.at, own.score, means)
        return [
            Played(count, order, moment(at), score, mean)
            for count, order, at, score, mean in zip(*(column[-limit:].tolist() for column in columns), strict=True)
        ]

    def meetings(self, policy: uuid.UUID) -> list[Meeting]:
        """Return every other policy in every scored match of a policy, in order."""
        number = self._played(policy)
        if number is None:
            return []
        own = self._results.of_policy(number)
        index, seat = self._results.others(own)
        _, own_agents, own_scores = self._results.seats(own.seat[index])
        opponents, agents, scores = self._results.seats(seat)
        samples = np.array([sample for _, sample in self._results.maps])[own.map[index]]
        signs = np.where(own.seat[index] < seat, 1, -1)
        columns = (own.order[index], opponents, signs, own_agents, agents, samples, own_scores, scores)
        return [
            Meeting(order, self._policies[other], (sign * mine, theirs), sample, mine, score, their_score)
            for order, other, sign, mine, theirs, sample, score, their_score in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]

    def _number(self, policy: uuid.UUID) -> int:
        number = self._numbers.setdefault(policy, len(self._policies))
        if number == len(self._policies):
            self._policies.append(policy)
        return number

    def _played(self, policy: uuid.UUID) -> int | None:
        """Return the number of a policy that has a scored match."""
        self.settle()
        number = self._numbers.get(policy)
        return number if number is not None and self._results.count(number) else None

    def _record(self, log: LogColumns, numbers: NDArray[np.int64]) -> None:
        match = np.repeat(np.arange(len(log.order)), log.seats)
        first = np.cumsum(log.seats, dtype=np.int64) - log.seats
        has_culprit = log.failed & (log.culprit >= 0) & (log.culprit < log.seats)
        culprit = np.full(len(log.order), -1, np.int64)
        culprit[has_culprit] = numbers[(first + log.culprit)[has_culprit]]
        for order, number in zip(log.order[has_culprit].tolist(), culprit[has_culprit].tolist(), strict=True):
            self._charged.setdefault(self._policies[number], []).append(order)
        # A policy may have several seats in a match, and has one record of it.
        pairs = np.unique(match * len(self._policies) + numbers)
        match, policy = np.divmod(pairs, len(self._policies))
        failed, is_charged = log.failed[match], culprit[match] == policy
        size = len(self._policies)
        counts = [np.bincount(policy[chosen], minlength=size) for chosen in (~failed, failed, is_charged)]
        by_policy = np.lexsort((log.order[match], policy))
        is_last = np.concatenate([policy[by_policy][1:] != policy[by_policy][:-1], [True]])[: len(policy)]
        for pair in by_policy[is_last].tolist():
            number, row = int(policy[pair]), int(match[pair])
            record = self._records.setdefault(self._policies[number], Record())
            record.completed += int(counts[0][number])
            record.failed += int(counts[1][number])
            record.charged += int(counts[2][number])
            if log.order[row] >= record.last_order:
                record.last_order, record.last_at = int(log.order[row]), moment(int(log.at[row]))
                record.last_failed = bool(is_charged[pair])

    def _ranked(self, members: int) -> list[tuple[Standing, _Summary]]:
        rows = [(self._policies[number], number, self._summary(number, members)) for number in self._results.policies()]
        rows.sort(key=lambda row: (-row[2].mean, row[0].int))
        return [
            (Standing(rank, policy, row.mean, row.stddev, row.percentiles, self._results.count(number)), row)
            for rank, (policy, number, row) in enumerate(rows, 1)
        ]

    def _summary(self, number: int, members: int) -> _Summary:
        cached = self._summaries.get(number)
        if cached is not None and cached.members == members:
            return cached
        own = self._results.of_policy(number)
        mean, stddev, percentiles = summary(own.score, own.weight)
        companies = self._companies(number, members)
        groups = group_arrays(own.split, own.map, own.company, own.weight, own.score)
        company = unequal_company(groups, companies)
        maps, totals = _totals(own)
        result = _Summary(
            members=members,
            mean=mean,
            stddev=stddev,
            percentiles=percentiles,
            interval=interval_of(groups, companies, company),
            company=company[0] if company else VariancePart(0.0, 1.0),
            trend=_trend(own, mean),
            maps=maps,
            totals=totals,
        )
        self._summaries[number] = result
        return result

    def _companies(self, number: int, members: int) -> int:
        """Return in how many companies a policy can play: the choices of as many others as in its matches."""
        return max(1, math.comb(max(0, members - 1), self._results.most_others(number)))

    def _values(self, rows: Sequence[_Summary], policies: Sequence[uuid.UUID]) -> list[Value | None]:
        if not rows:
            return []
        maps = sorted(self._results.maps, key=repr)
        splits = sorted({split for split, _ in maps})
        numbers = [self._results.maps[map_] for map_ in maps]
        arrays = self._by_map.rows(numbers, policies, rows)
        company = np.array([(row.company.variance, row.company.degrees) for row in rows])
        own_scores, own_weights, present_scores, present_weights = np.moveaxis(arrays, 2, 0)
        totals = PoolTotals(
            strata=[splits.index(split) for split, _ in maps],
            own_scores=own_scores,
            own_weights=own_weights,
            present_scores=present_scores,
            present_weights=present_weights,
            all_scores=np.array([float(self._results.map_totals[number][0]) for number in numbers]),
            all_weights=np.array([float(self._results.map_totals[number][1]) for number in numbers]),
            company_variance=company[:, 0],
            company_degrees=company[:, 1],
        )
        return values_over_replacement(totals)


class _ByMap:
    """What policies have on each map, in one array; only the rows of those that have played since are filled again."""

    def __init__(self) -> None:
        self._maps: list[int] = []
        self._columns = np.zeros(0, np.int64)
        self._rows: dict[uuid.UUID, int] = {}
        self._filled: list[_Summary | None] = []
        self._array = np.zeros((0, 0, 4))

    def rows(
        self, maps: list[int], policies: Sequence[uuid.UUID], summaries: Sequence[_Summary]
    ) -> NDArray[np.float64]:
        """Return (policy, map, four sums), in the given orders."""
        if maps != self._maps or any(policy not in self._rows for policy in policies):
            self._maps, self._columns = maps, np.argsort(maps)
            self._rows = {policy: row for row, policy in enumerate(policies)}
            self._filled = [None] * len(policies)
            self._array = np.zeros((len(policies), len(maps), 4))
        for policy, entry in zip(policies, summaries, strict=True):
            row = self._rows[policy]
            if self._filled[row] is not entry:
                self._array[row] = 0.0
                self._array[row, self._columns[entry.maps]] = entry.totals
                self._filled[row] = entry
        return self._array[[self._rows[policy] for policy in policies]]


def _trend(own: PolicySeats, mean: float) -> float | None:
    """Return by how much the last match of a policy has changed its mean score."""
    before = own.order != own.order[-1]
    weight = math.fsum(own.weight[before].tolist())
    return mean - math.fsum((own.score * own.weight)[before].tolist()) / weight if weight else None


def _totals(own: PolicySeats) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the maps of a policy, and its sums on each of them."""
    by_map, starts = sorted_groups(own.map)
    matches = np.unique(own.match, return_index=True)[1]
    of_match, match_starts = sorted_groups(own.map[matches])
    sums = [
        exact_sums((own.score * own.weight)[by_map], starts),
        exact_sums(own.weight[by_map], starts),
        exact_sums(own.match_score[matches][of_match], match_starts),
        np.diff(match_starts, append=len(matches)).astype(float),
    ]
    return own.map[by_map][starts], np.stack(sums, axis=1)
