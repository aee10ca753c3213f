"""Draw teams by score, and a subset of combinations when there are too many. The same seed gives the same draw."""

from __future__ import annotations

import itertools
import math
import random
import uuid
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

__all__ = ["combinations_to_play", "draw_teams"]

EPSILON = 0.001
"""added to every weight, so that a policy with no reward can be drawn"""
MAX_COMBINATIONS = 50_000
"""more of them are never all played: it would take too long"""
_TRIES = 64

Item = TypeVar("Item")


def draw_teams(
    scores: Mapping[uuid.UUID, float], *, team_size: int, num_teams: int, min_per_policy: int, seed: int
) -> list[tuple[uuid.UUID, ...]]:
    """Draw teams with weights by score: max(score, 0) plus `EPSILON`.

    First every policy gets its guaranteed seats, in random order and in the teams with most room; then the other seats
    are drawn. A policy is in a team once, unless there are fewer policies than seats. Guarantees that do not fit into
    the teams are lowered for all alike.
    """
    chance = random.Random(seed)
    policies = sorted(scores, key=lambda policy: policy.int)
    weights = {policy: max(scores[policy], 0.0) + EPSILON for policy in policies}
    teams: list[list[uuid.UUID]] = [[] for _ in range(num_teams)]
    for policy in _shuffled(policies, chance):
        for team in _smallest_teams(
            teams, min(min_per_policy, num_teams, num_teams * team_size // len(policies)), chance
        ):
            team.append(policy)
    for team in teams:
        while len(team) < team_size:
            others = [policy for policy in policies if policy not in team] or policies
            team.append(_weighted(others, weights, chance))
    return [tuple(_shuffled(team, chance)) for team in teams]


@lru_cache(maxsize=16)
def combinations_to_play(
    policies: tuple[uuid.UUID, ...], size: int, max_per_policy: int | None, seed: int
) -> tuple[tuple[uuid.UUID, ...], ...]:
    """Return the combinations of this size that play: all, or a balanced subset if a policy would be in too many.

    The subset comes from a ring of policies in random order and from patterns of distances, each applied at every place
    of the ring, so that each policy is in equally many. A later policy changes only combinations near its place.
    """
    members = tuple(sorted(policies, key=lambda policy: policy.int))
    count = len(members)
    if math.comb(count, size) > MAX_COMBINATIONS:
        affordable = MAX_COMBINATIONS * size // count
        max_per_policy = affordable if max_per_policy is None else min(max_per_policy, affordable)
    if max_per_policy is None or size < 2 or math.comb(count - 1, size - 1) <= max_per_policy:
        return tuple(itertools.combinations(members, size))
    ring = sorted(members, key=lambda policy: (random.Random(f"{seed}/{policy}").random(), policy.int))
    patterns = max(1, max_per_policy // size)
    chosen: set[tuple[uuid.UUID, ...]] = set()
    used = 0
    for attempt in range(patterns * _TRIES):
        distances = _distances(size, count, patterns, random.Random(f"{seed}/pattern/{attempt}"))
        circle = {
            tuple(sorted((ring[(start + step) % count] for step in distances), key=lambda policy: policy.int))
            for start in range(count)
        }
        if len(circle) == count and not circle & chosen:
            chosen |= circle
            used += 1
            if used == patterns:
                break
    return tuple(sorted(chosen, key=lambda combination: [policy.int for policy in combination]))


def _distances(size: int, count: int, patterns: int, chance: random.Random) -> tuple[int, ...]:
    """Return the places of a pattern, from 0; close together, so that little changes when a policy joins the ring."""
    reach = min(count - 1, 2 * (size + patterns))
    return (0, *_shuffled(range(1, reach + 1), chance)[: size - 1])


def _shuffled(items: Sequence[Item], chance: random.Random) -> list[Item]:
    """Shuffle with `random()` only, which gives the same numbers in every version of Python."""
    places = sorted((chance.random(), place) for place in range(len(items)))
    return [items[place] for _, place in places]


def _smallest_teams(teams: list[list[uuid.UUID]], count: int, chance: random.Random) -> list[list[uuid.UUID]]:
    order = sorted(range(len(teams)), key=lambda place: (len(teams[place]), chance.random()))
    return [teams[place] for place in order[:count]]


def _weighted(policies: Sequence[uuid.UUID], weights: Mapping[uuid.UUID, float], chance: random.Random) -> uuid.UUID:
    point = chance.random() * math.fsum(weights[policy] for policy in policies)
    for policy in policies:
        point -= weights[policy]
        if point < 0:
            return policy
    return policies[-1]
