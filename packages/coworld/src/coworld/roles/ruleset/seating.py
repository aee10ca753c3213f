"""Draw the seats of the episodes of a stage: pure functions of the entrants, the seats and a seed.

A seat is the position of an entrant in the list. Entrants come in their seed order.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from coworld.roles.ruleset.config import Schedule, Seating

__all__ = ["episode_count", "seat_tables", "self_play_tables"]

Table = tuple[int, ...]
"""the entrant of each seat"""


def episode_count(entrants: int, seats: int, schedule: Schedule) -> int:
    """Return the number of episodes of a stage: enough for everyone to sit as often as required."""
    wanted = entrants * (schedule.min_episodes_per_entrant or 1)
    return max(schedule.episodes, math.ceil(wanted / seats))


def self_play_tables(entrants: int, seats: int, schedule: Schedule) -> list[Table]:
    """Return episodes of each entrant with copies of itself."""
    times = schedule.min_episodes_per_entrant or schedule.episodes
    return [(entrant,) * seats for entrant in range(entrants) for _ in range(times)]


def seat_tables(
    seating: Seating,
    entrants: int,
    seats: int,
    episodes: int,
    *,
    team_count: int = 4,
    seed: str = "",
    order: Sequence[int] | None = None,
) -> list[Table]:
    """Return the tables of a stage. `order` ranks the entrants, best first, for seatings by strength.

    `mmr_neighbors` and `leaderboard_neighbors` need an order; without one they take the entrants as they come.
    """
    if entrants < 1 or seats < 1:
        return []
    ranked = list(order) if order is not None else list(range(entrants))
    match seating:
        case "baseline_window":
            seat = _baseline(entrants, seats)
        case "rolling_window":
            seat = _rolling(list(range(entrants)))
        case "shuffled_window":
            shuffled = list(range(entrants))
            random.Random(seed).shuffle(shuffled)
            seat = _rolling(shuffled)
        case "mmr_neighbors":
            seat = _neighbours(ranked, seats)
        case "team_blocks":
            seat = _blocks(entrants, seats, min(team_count, seats))
        case "leaderboard_neighbors":
            return _pairs(ranked, seats, episodes)
    return [tuple(seat(job, place) for place in range(seats)) for job in range(episodes)]


def _baseline(entrants: int, seats: int) -> Callable[[int, int], int]:
    """Windows one after the other; with few entrants the window moves by one."""
    step = 1 if entrants <= seats else seats
    return lambda job, place: (job * step + place) % entrants


def _rolling(order: Sequence[int]) -> Callable[[int, int], int]:
    return lambda job, place: order[(job + place) % len(order)]


def _neighbours(ranked: Sequence[int], seats: int) -> Callable[[int, int], int]:
    """Windows that do not wrap, so that the best never meet the worst."""
    starts = max(1, len(ranked) - seats + 1)
    return lambda job, place: ranked[(job % starts + place) % len(ranked)]


def _blocks(entrants: int, seats: int, teams: int) -> Callable[[int, int], int]:
    """Teams of copies in contiguous blocks; each episode turns the teams by one block."""

    def seat(job: int, place: int) -> int:
        block = place * teams // seats
        return (job * teams + (block + job) % teams) % entrants

    return seat


def _pairs(ranked: Sequence[int], seats: int, episodes: int) -> list[Table]:
    """Each entrant with the nearest below and above, in turn; more than two seats repeat the pair."""
    count = len(ranked)
    if count == 1:
        return [(ranked[0],) * seats] * episodes
    pairs = [(ranked[place], ranked[place + 1]) for place in range(count - 1)]
    pairs += [(low, high) for high, low in pairs]
    return [tuple(pairs[job % len(pairs)][place % 2] for place in range(seats)) for job in range(episodes)]
