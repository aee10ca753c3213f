"""Pair the entrants of a round: a fixed list of episodes.

With two seats, each pair of entrants plays in both seat orders, on every variant in turn. With more seats, or too many
entrants for that, the entrants are shuffled repeatedly and seated in groups, so that the numbers of episodes per
entrant differ by at most one. The list depends on the entrants, the variants and the seed alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

MAX_EPISODES = 240
"""of one division in one round"""


class Pairing(NamedTuple):
    """One episode: a variant, and the entrant of each seat."""

    variant: int
    seats: tuple[int, ...]
    """indices of entrants"""
    seed: int


def pair(entrants: int, seats: Sequence[int], *, seed: int, repeats: int = 1) -> list[Pairing]:
    """Return the episodes for `entrants` entrants on variants with these numbers of seats, each `repeats` times.

    Fewer entrants than seats fill the rest of the table by sitting down again.
    """
    if entrants < 1 or not seats:
        return []
    pairings: list[Pairing] = []
    for repeat in range(repeats):
        for variant, size in enumerate(seats):
            draw = random.Random(f"{seed}/{repeat}/{variant}")
            if size == 2 and entrants > 1 and entrants * (entrants - 1) * len(seats) * repeats <= MAX_EPISODES:
                tables: list[tuple[int, ...]] = [*permutations(range(entrants), 2)]
            else:
                tables = _groups(entrants, size, draw)
            pairings += [Pairing(variant, table, draw.randrange(2**31)) for table in tables]
    return pairings[:MAX_EPISODES]


def _groups(entrants: int, size: int, draw: random.Random) -> list[tuple[int, ...]]:
    if entrants <= size:
        order = list(range(entrants))
        draw.shuffle(order)
        # Rotate the seats, so that no entrant always has the same seat.
        return [tuple(order[(seat + turn) % entrants] for seat in range(size)) for turn in range(min(size, entrants))]
    tables = []
    for _ in range(size):
        order = list(range(entrants))
        draw.shuffle(order)
        for start in range(0, entrants, size):
            table = order[start : start + size]
            others = [entrant for entrant in order if entrant not in table]
            tables.append(tuple(table + others[: size - len(table)]))
    return tables
