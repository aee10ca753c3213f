"""The scored matches of a pool in memory: columns that grow, and for each policy the seats that it had.

A million matches of two policies take about 120 MB.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from observatory.scoring.exact import ExactSum
from observatory.scoring.intervals import sorted_groups
from observatory.scoring.match_log import LogColumns

__all__ = ["Map", "PolicySeats", "Results"]

Map = tuple[tuple[int, ...], int]
"""the split of the seats and the sample: matches with the same ones are played on the same map"""
_ALONE = -1
"""the company of a policy that plays alone; one other policy is its own number, more of them count down from -2"""
Numbers = NDArray[np.int64]


class _Column:
    """Numbers that are only added at the end."""

    def __init__(self, code: str) -> None:
        self._values = array(code)

    def __len__(self) -> int:
        return len(self._values)

    def extend(self, values: NDArray[np.generic]) -> None:
        self._values.frombytes(values.astype(self._values.typecode).tobytes())

    def take(self, places: Numbers) -> NDArray[Any]:
        # No name for the view, so that none is left when the column grows.
        return np.frombuffer(self._values, self._values.typecode)[places]


@dataclass(frozen=True, slots=True)
class PolicySeats:
    """The seats of a policy in scored matches, by the order in which these ended."""

    seat: Numbers
    match: Numbers
    order: Numbers
    at: Numbers
    """microseconds"""
    map: Numbers
    split: Numbers
    company: Numbers
    weight: NDArray[np.float64]
    """the share of the match's agents"""
    score: NDArray[np.float64]
    match_score: NDArray[np.float64]
    """the mean of all agents of the match"""


class Results:
    """All scored matches of a pool. Policies are numbers, which the caller gives."""

    def __init__(self) -> None:
        self.maps: dict[Map, int] = {}
        self.map_totals: list[tuple[ExactSum, int]] = []
        """of each map: the sum of the scores of its matches, and how many they are"""
        self._splits: dict[tuple[int, ...], int] = {}
        self._companies: dict[tuple[int, ...], int] = {}
        self._order, self._at, self._match_score = _Column("q"), _Column("q"), _Column("d")
        self._map, self._split, self._first, self._count = _Column("i"), _Column("i"), _Column("q"), _Column("h")
        self._policy, self._company, self._match = _Column("i"), _Column("i"), _Column("i")
        self._agents, self._weight, self._score = _Column("i"), _Column("d"), _Column("d")
        self._seats: dict[int, array[int]] = {}
        self._most_others: dict[int, int] = {}

    def policies(self) -> list[int]:
        """Return the policies with a scored match."""
        return list(self._seats)

    def count(self, policy: int) -> int:
        """Return how many seats a policy had."""
        return len(self._seats.get(policy, ()))

    def most_others(self, policy: int) -> int:
        """Return the most other policies that a policy had in a match."""
        return self._most_others[policy]

    def extend(self, log: LogColumns, numbers: Numbers) -> None:
        """Add the matches of a log that are scored; `numbers` are the policies of its seats."""
        match_of_seat = np.repeat(np.arange(len(log.order)), log.seats)
        unscored = np.bincount(match_of_seat, np.isnan(log.score), minlength=len(log.order)) > 0
        scored = ~log.failed & (log.seats > 0) & ~unscored
        if not scored.any():
            return
        chosen = scored[match_of_seat]
        seats = _Seats(log.seats[scored], numbers[chosen], log.agents[chosen].astype(np.int64), log.score[chosen])
        maps, splits, match_scores = self._numbered_maps(seats, log.sample[scored])
        self._add_to_maps(maps, match_scores)
        match_number, seat_number = len(self._order), len(self._policy)
        self._order.extend(log.order[scored])
        self._at.extend(log.at[scored])
        self._match_score.extend(match_scores)
        self._map.extend(maps)
        self._split.extend(splits)
        self._first.extend(seats.first + seat_number)
        self._count.extend(seats.counts)
        self._policy.extend(seats.policy)
        self._company.extend(self._numbered_companies(seats))
        self._match.extend(seats.match + match_number)
        self._agents.extend(seats.agents)
        self._weight.extend(seats.weight)
        self._score.extend(seats.score)
        by_policy, starts = sorted_groups(seats.policy)
        others = np.maximum.reduceat((seats.counts - 1)[seats.match][by_policy], starts).tolist()
        for group, most in zip(np.split(by_policy, starts[1:]), others, strict=True):
            policy = int(seats.policy[group[0]])
            self._most_others[policy] = max(most, self._most_others.get(policy, 0))
            self._seats.setdefault(policy, array("q")).frombytes((group + seat_number).astype(np.int64).tobytes())

    def of_policy(self, policy: int) -> PolicySeats:
        seat = np.array(self._seats[policy], np.int64)
        match = self._match.take(seat)
        order = self._order.take(match)
        sorting = np.argsort(order, kind="stable")
        seat, match = seat[sorting], match[sorting]
        return PolicySeats(
            seat=seat,
            match=match,
            order=order[sorting],
            at=self._at.take(match),
            map=self._map.take(match),
            split=self._split.take(match),
            company=self._company.take(seat),
            weight=self._weight.take(seat),
            score=self._score.take(seat),
            match_score=self._match_score.take(match),
        )

    def last_orders(self, policy: int, limit: int) -> list[int]:
        """Return the last scored matches of a policy by their order, the last one first."""
        orders = self._order.take(self._match.take(np.array(self._seats[policy], np.int64)))
        return np.unique(orders)[::-1][:limit].tolist()

    def others(self, own: PolicySeats) -> tuple[Numbers, Numbers]:
        """Return all other seats of a policy's matches: (index into `own`, seat)."""
        counts, first = self._count.take(own.match).astype(np.int64), self._first.take(own.match)
        index = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
        seat = first[index] + within
        is_other = seat != own.seat[index]
        return index[is_other], seat[is_other]

    def seats(self, seat: Numbers) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Return policy, agents and score of seats."""
        return self._policy.take(seat), self._agents.take(seat), self._score.take(seat)

    def _numbered_maps(self, seats: _Seats, samples: NDArray[np.int32]) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Return the map, the split and the score of each match."""
        maps, splits = np.zeros(len(samples), np.int64), np.zeros(len(samples), np.int64)
        match_scores = np.zeros(len(samples))
        for rows, places in seats.by_count():
            parts = (seats.score * seats.weight)[places]
            if parts.shape[1] <= 2:
                match_scores[rows] = parts.sum(1) + 0.0  # rounded once, as below
            else:
                match_scores[rows] = [math.fsum(part) for part in parts.tolist()]
            agents = seats.agents[places]
            for split_rows in _equal_rows(agents):
                split = tuple(agents[split_rows[0]].tolist())
                number = self._splits.setdefault(split, len(self._splits))
                of_split = rows[split_rows]
                splits[of_split] = number
                by_sample, starts = sorted_groups(samples[of_split].astype(np.int64))
                for group in np.split(of_split[by_sample], starts[1:]):
                    maps[group] = self._number_of_map((split, int(samples[group[0]])))
        return maps, splits, match_scores

    def _number_of_map(self, map_: Map) -> int:
        number = self.maps.setdefault(map_, len(self.maps))
        if number == len(self.map_totals):
            self.map_totals.append((ExactSum(), 0))
        return number

    def _add_to_maps(self, maps: Numbers, match_scores: NDArray[np.float64]) -> None:
        by_map, starts = sorted_groups(maps)
        for group in np.split(by_map, starts[1:]):
            number = int(maps[group[0]])
            total, count = self.map_totals[number]
            total.add(*match_scores[group].tolist())
            self.map_totals[number] = total, count + len(group)

    def _numbered_companies(self, seats: _Seats) -> Numbers:
        companies = np.full(len(seats.policy), _ALONE, np.int64)
        for _, places in seats.by_count():
            size = places.shape[1]
            policies = seats.policy[places]
            for place in range(size) if size > 1 else ():
                others = np.sort(np.delete(policies, place, axis=1), axis=1)
                if size == 2:
                    companies[places[:, place]] = others[:, 0]
                    continue
                for rows in _equal_rows(others):
                    company = tuple(others[rows[0]].tolist())
                    companies[places[rows, place]] = self._companies.setdefault(company, -2 - len(self._companies))
        return companies


class _Seats:
    """The seats of some scored matches, one match after the other."""

    def __init__(self, counts: NDArray[np.int16], policy: Numbers, agents: Numbers, score: NDArray[np.float64]) -> None:
        self.counts = counts.astype(np.int64)
        self.policy, self.agents, self.score = policy, agents, score
        self.first = np.cumsum(self.counts) - self.counts
        self.match = np.repeat(np.arange(len(counts)), self.counts)
        totals = np.bincount(self.match, agents)[self.match]
        self.weight = np.divide(agents, totals, out=np.zeros(len(agents)), where=totals > 0)

    def by_count(self) -> list[tuple[Numbers, Numbers]]:
        """For each number of seats: the matches with it, and their seats as a table with a row for each match."""
        found = []
        for count in np.unique(self.counts).tolist():
            rows = np.flatnonzero(self.counts == count)
            found.append((rows, self.first[rows][:, None] + np.arange(count)))
        return found


def _equal_rows(table: Numbers) -> Sequence[Numbers]:
    """Return the indexes of equal rows of a table, together."""
    keys = np.zeros(len(table), np.int64)
    for column in table.T:
        keys = np.unique(keys * (int(column.max()) + 1) + column, return_inverse=True)[1]
    by_key, starts = sorted_groups(keys)
    return np.split(by_key, starts[1:])
