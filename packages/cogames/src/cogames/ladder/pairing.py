"""Schedule duels: all pairs, or the pairs of a round of a Swiss tournament.

A Swiss round pairs entrants of similar scores who have not met. If there is an odd number, the lowest-ranked entrant
with the fewest byes so far sits out.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cogames.ladder.games import Pair

__all__ = ["SwissRound", "all_pairs", "swiss_round"]


@dataclass(frozen=True)
class SwissRound:
    """The pairs of a round, best first, and the entrant that sits out, if any."""

    pairs: tuple[Pair, ...]
    bye: int | None = None


def all_pairs(entrants: int) -> list[Pair]:
    return list(itertools.combinations(range(entrants), 2))


def swiss_round(points: Sequence[float], earlier: Sequence[SwissRound]) -> SwissRound:
    """Return the next round for the entrants' points so far.

    From the top, each entrant meets the nearest one below it such that the rest can still be paired without a
    repetition. Repetitions occur only if the round has no pairing without one; then each entrant prefers those it has
    met least often. Equal points keep the entrants' order.
    """
    met = Counter(pair for played in earlier for pair in played.pairs)
    byes = Counter(played.bye for played in earlier)
    ranked = sorted(range(len(points)), key=lambda entrant: (-points[entrant], entrant))
    bye = None
    if len(ranked) % 2:
        bye = min(reversed(ranked), key=lambda entrant: byes[entrant])  # the first of equals: the lowest-ranked
        ranked.remove(bye)
    most = next(limit for limit in itertools.count() if _is_pairable(ranked, met, limit))
    pairs = []
    while ranked:
        entrant, *others = ranked
        choices = [other for other in others if met[_pair(entrant, other)] <= most]
        choices.sort(key=lambda other: met[_pair(entrant, other)])  # stable: then by rank
        for other in choices:
            rest = [each for each in others if each != other]
            if _is_pairable(rest, met, most):
                pairs.append(_pair(entrant, other))
                ranked = rest
                break
    return SwissRound(tuple(pairs), bye)


def _pair(first: int, second: int) -> Pair:
    return (min(first, second), max(first, second))


def _is_pairable(entrants: Sequence[int], met: Mapping[Pair, int], limit: int) -> bool:
    """Return whether all can be paired with someone they have met at most `limit` times (Edmonds' matching)."""
    neighbours = [
        [j for j, other in enumerate(entrants) if j != i and met[_pair(entrant, other)] <= limit]
        for i, entrant in enumerate(entrants)
    ]
    partner: list[int] = [-1] * len(entrants)
    return all(partner[root] != -1 or _augment(root, neighbours, partner) for root in range(len(entrants)))


def _augment(root: int, neighbours: Sequence[Sequence[int]], partner: list[int]) -> bool:
    """Find an augmenting path from an unmatched vertex, contracting odd cycles, and flip it."""
    size = len(neighbours)
    parent = [-1] * size
    base = list(range(size))
    seen = [False] * size
    seen[root] = True
    queue = deque([root])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if base[vertex] == base[other] or partner[vertex] == other:
                continue
            if other == root or (partner[other] != -1 and parent[partner[other]] != -1):
                _contract(vertex, other, partner, parent, base, seen, queue)
            elif parent[other] == -1:
                parent[other] = vertex
                if partner[other] == -1:
                    _flip(other, partner, parent)
                    return True
                seen[partner[other]] = True
                queue.append(partner[other])
    return False


def _contract(
    vertex: int,
    other: int,
    partner: list[int],
    parent: list[int],
    base: list[int],
    seen: list[bool],
    queue: deque[int],
) -> None:
    """Give all vertices of an odd cycle the base at which its two halves meet."""
    meeting = _common_base(vertex, other, partner, parent, base)
    in_cycle = [False] * len(base)
    for end, child in ((vertex, other), (other, vertex)):
        while base[end] != meeting:
            in_cycle[base[end]] = in_cycle[base[partner[end]]] = True
            parent[end] = child
            child = partner[end]
            end = parent[child]
    for each in range(len(base)):
        if in_cycle[base[each]]:
            base[each] = meeting
            if not seen[each]:
                seen[each] = True
                queue.append(each)


def _common_base(first: int, second: int, partner: list[int], parent: list[int], base: list[int]) -> int:
    above = set()
    while True:
        first = base[first]
        above.add(first)
        if partner[first] == -1:
            break
        first = parent[partner[first]]
    while base[second] not in above:
        second = parent[partner[base[second]]]
    return base[second]


def _flip(vertex: int, partner: list[int], parent: list[int]) -> None:
    while vertex != -1:
        previous = parent[vertex]
        following = partner[previous]
        partner[vertex], partner[previous] = previous, vertex
        vertex = following
