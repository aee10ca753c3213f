"""Choose the entrants of one episode after another. Entrants with the fewest episodes come first."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

from observatory.ladder.plans import Entrant

__all__ = ["Draw"]


class Draw:
    """Draws groups of different entrants; counts their episodes and meetings.

    While an entrant has no episode, every group takes as many such entrants as it has places for. So `n` entrants are
    seated within ceil(n / size) groups.
    """

    def __init__(self, entrants: Sequence[Entrant], chance: random.Random, *, temperature: float | None = None) -> None:
        self._entrants, self._chance = entrants, chance
        self._temperature = temperature
        """in points of Elo; None draws opponents regardless of their strength"""
        self.counts = [0] * len(entrants)
        self._met: Counter[tuple[int, int]] = Counter()
        shuffled = self._shuffled()
        self._order = sorted(shuffled, key=lambda entrant: -entrants[entrant].standing)
        self._places = {entrant: place for place, entrant in enumerate(self._order)}

    @property
    def fewest(self) -> int:
        """Return the episodes of the entrant that has the fewest."""
        return min(self.counts)

    def add(self, group: Sequence[int], episodes: int = 1) -> None:
        """Count a group that plays."""
        for entrant in group:
            self.counts[entrant] += episodes
        self._met.update((first, second) for first in group for second in group if first != second)

    def rotation(self, size: int, *, spread: bool) -> list[int]:
        """Return those with the fewest episodes, then those who have waited longest.

        With `spread`, equal candidates that have met the others least come first.
        """
        group = [self._next([], spread)]
        while len(group) < size:
            group.append(self._next(group, spread))
        return group

    def neighbours(self, size: int, window: int) -> list[int]:
        """Return an entrant with the fewest episodes, and opponents near it in the standings."""
        fewest = self.fewest
        anchor = next(entrant for entrant in self._order if self.counts[entrant] == fewest)
        reach = max(window, 1) * (size - 1)
        near = [entrant for entrant in self._order if entrant != anchor and self._distance(anchor, entrant) <= reach]
        if len(near) < size - 1:
            near = [entrant for entrant in self._order if entrant != anchor]

        def preference(entrant: int) -> tuple[bool, int, int, int, float]:
            seated, distance = self.counts[entrant] > 0, self._distance(anchor, entrant)
            return seated, self._met[anchor, entrant], self.counts[entrant], distance, self._chance.random()

        return [anchor, *sorted(near, key=preference)[: size - 1]]

    def meeting(self, size: int) -> list[int] | None:
        """Return a group with pairs that have not met yet; None when all have met. Everyone meets everyone this way."""
        open_pairs = [sum(not self._met[entrant, other] for other in self._order) - 1 for entrant in self._order]
        waiting = [entrant for entrant, pairs in zip(self._order, open_pairs, strict=True) if pairs > 0]
        if not waiting:
            return None
        group = [min(waiting, key=lambda entrant: (self.counts[entrant], self._chance.random()))]
        while len(group) < size:

            def preference(entrant: int) -> tuple[bool, int, int, float]:
                unmet = sum(not self._met[entrant, member] for member in group)
                return self.counts[entrant] > 0, -unmet, self.counts[entrant], self._chance.random()

            group.append(min((entrant for entrant in self._order if entrant not in group), key=preference))
        return group

    def forget_meetings(self) -> None:
        self._met.clear()

    def _next(self, group: Sequence[int], spread: bool) -> int:
        candidates = [entrant for entrant in self._shuffled() if entrant not in group]

        def preference(entrant: int) -> tuple[int, int, int]:
            met = sum(self._met[entrant, member] for member in group) if spread else 0
            return self.counts[entrant], -self._entrants[entrant].waited, met

        best = min(map(preference, candidates))
        equal = [entrant for entrant in candidates if preference(entrant) == best]
        if self._temperature is None or not group:
            return equal[0]
        return self._chance.choices(equal, [self._weight(entrant, group) for entrant in equal])[0]

    def _weight(self, entrant: int, group: Sequence[int]) -> float:
        assert self._temperature is not None
        mean = math.fsum(self._entrants[member].strength for member in group) / len(group)
        gap = abs(self._entrants[entrant].strength - mean) / self._temperature
        return math.exp(-min(gap, 600.0))  # never zero: a weight of zero for all could not be drawn from

    def _distance(self, first: int, second: int) -> int:
        return abs(self._places[first] - self._places[second])

    def _shuffled(self) -> list[int]:
        return self._chance.sample(range(len(self._entrants)), len(self._entrants))
