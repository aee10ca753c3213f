"""The order in which policies get matches. It does not affect which matches are played in the end."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from observatory.commissioner.facts import Combination, Member, OpenMatch, PoolRecord

__all__ = ["FairShare", "GamesLeft"]


class FairShare:
    """The order of turns: versions with few matches first, then those whose author has the fewest in flight.

    An author with fifty versions has the same share as one with one. Among equals the version with fewest matches comes
    first, then the one that entered first.
    """

    def __init__(self, pool: PoolRecord, first_matches: int) -> None:
        self._first_matches = first_matches
        self._author = {member.policy: member.author for member in pool.members}
        self._place = {member.policy: place for place, member in enumerate(pool.members)}
        self.matches: Counter[uuid.UUID] = Counter(pool.tally.completed)
        """completed and in flight"""
        self._in_flight: Counter[str] = Counter()
        for match in pool.open:
            self.count(match)

    def count(self, match: OpenMatch) -> None:
        """A match was made."""
        self.matches.update(set(match.policies))
        charged = (match.picked,) if match.picked is not None else match.policies
        self._in_flight.update({self._author[policy] for policy in charged if policy in self._author})

    def is_new(self, policy: uuid.UUID) -> bool:
        """Return whether a version has so few matches that it comes first."""
        return self.matches[policy] < self._first_matches

    def turn(self, policy: uuid.UUID) -> tuple[bool, int, int, int]:
        """Smaller comes sooner."""
        in_flight = self._in_flight[self._author[policy]]
        return not self.is_new(policy), in_flight, self.matches[policy], self._place[policy]

    def next(self, policies: Iterable[uuid.UUID]) -> uuid.UUID:
        return min(policies, key=self.turn)

    def as_opponent(self, policy: uuid.UUID) -> tuple[int, int]:
        """Among opponents that were met equally often, the one with fewest matches."""
        return self.matches[policy], self._place[policy]


class GamesLeft:
    """The games of a pool that have no match, ended or in flight."""

    def __init__(self, pool: PoolRecord, samples: int) -> None:
        self._tally = pool.tally
        self._samples, self._cap = samples, pool.tally.cap
        self._open: dict[str, list[int]] = {}
        self._open_of: dict[uuid.UUID, dict[str, tuple[uuid.UUID, ...]]] = {}
        for match in pool.open:
            self.count(match)

    def count(self, match: OpenMatch) -> None:
        """A match was made."""
        self._open.setdefault(match.combination, []).append(match.sample)
        for policy in match.policies:
            self._open_of.setdefault(policy, {})[match.combination] = match.policies

    def match_count(self, key: str) -> int:
        """Return the number of matches of a combination so far, failed ones included: the number of the next one."""
        return self._match_count(self._tally.combinations.get(key), key)

    def next_sample(self, key: str) -> int | None:
        """Return the next game of a combination, new ones before failed ones; None when there is none."""
        combination, in_flight = self._tally.combinations.get(key), self._open.get(key, ())
        if combination is None or not (combination.done or combination.failures):
            left = [sample for sample in range(self._samples) if sample not in in_flight]
            return left[0] if left else None
        left = [s for s in range(self._samples) if s not in in_flight and not combination.is_settled(s, self._cap)]
        return min(left, key=lambda sample: (sum(combination.failed(sample)), sample), default=None)

    def is_in_flight(self, key: str) -> bool:
        return key in self._open

    def given_up(self, key: str) -> list[int]:
        """Return the games that have used up their failed attempts."""
        combination = self._tally.combinations.get(key)
        return [] if combination is None else [s for s in range(self._samples) if combination.is_given_up(s, self._cap)]

    def of(self, policy: uuid.UUID) -> Mapping[str, tuple[uuid.UUID, ...]]:
        """Return the combinations of a policy that have a match, with their policies."""
        ended = {combination.key: combination.policies for combination in self._tally.of_policy.get(policy, ())}
        return ended | self._open_of.get(policy, {})

    def _match_count(self, combination: Combination | None, key: str) -> int:
        return (0 if combination is None else combination.matches) + len(self._open.get(key, ()))


def in_turn(pool: PoolRecord, members: Sequence[Member]) -> list[Member]:
    """Sort members by their author's matches in flight, fewest first, counting those earlier in the list."""
    in_flight = Counter(match.policies[0] for match in pool.open)
    load: Counter[str] = Counter()
    for member in pool.members:
        load[member.author] += in_flight[member.policy]
    waiting: dict[str, list[Member]] = {}
    for member in members:
        waiting.setdefault(member.author, []).append(member)
    places = {member.policy: place for place, member in enumerate(pool.members)}
    turns = [
        (load[author] + turn, places[member.policy], member)
        for author, members_of_author in waiting.items()
        for turn, member in enumerate(members_of_author)
    ]
    return [member for _, _, member in sorted(turns, key=lambda entry: entry[:2])]
