"""Draw the seats of a round. The same settings, entrants and seed give the same round.

Every seat of every episode is filled, or the round is not played (`CannotSeat`). An entrant is credited once in an
episode: further seats of it are filler. Only `clone_fill` credits all seats of its one entrant.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from observatory.ladder.drawing import Draw
from observatory.ladder.plans import MAX_EPISODES, CannotSeat, Entrant, GameVariant, PlannedEpisode, PlannedSeat
from observatory.ladder.plans import episode_seed as seed_of
from observatory.leagues.ladder_settings import (
    BalancedRotation,
    CloneFill,
    Continuous,
    RandomFill,
    RoundRobin,
    ScalingRoster,
    Scheduler,
    SwissNeighbor,
    TeamN,
    TeamPair,
    VariableSeat,
)

__all__ = ["Table", "grade_alone", "seat_round"]


@dataclass(frozen=True)
class Table:
    """The game and the policies that fill seats."""

    variants: Sequence[GameVariant]
    """the default one first"""
    pool: int = 0
    """policies of the league that may fill seats"""
    neutral_seats: int = 0
    """seats of each episode that go to policies of the pool"""

    def variant(self, variant_id: str | None) -> GameVariant:
        for variant in self.variants:
            if variant.id == variant_id:
                return variant
        raise CannotSeat(f"The game has no variant {variant_id!r}")


def seat_round(
    scheduler: Scheduler, entrants: Sequence[Entrant], table: Table, *, seed: str, number: int
) -> list[PlannedEpisode]:
    """Return the episodes of round `number`; raise `CannotSeat` if it cannot be played."""
    if not entrants:
        raise CannotSeat("There is no champion yet")
    seating = _Seating(scheduler, entrants, table, seed, number)
    match scheduler:
        case SwissNeighbor():
            episodes = seating.until_floor(
                scheduler.min_episodes_per_entrant,
                lambda draw, size: draw.neighbours(size, scheduler.neighbor_window),
            )
        case RoundRobin():
            episodes = seating.round_robin(scheduler.min_episodes_per_entrant)
        case BalancedRotation() | RandomFill():
            spread = isinstance(scheduler, BalancedRotation)
            if scheduler.num_episodes is not None:
                episodes = seating.counted(scheduler.num_episodes, spread)
            else:
                floor = scheduler.min_episodes_per_entrant or 1
                episodes = seating.until_floor(floor, lambda draw, size: draw.rotation(size, spread=spread))
        case TeamPair():
            episodes = seating.team_pair(scheduler)
        case TeamN():
            episodes = seating.team_n(scheduler)
        case VariableSeat():
            episodes = seating.variable_seat(scheduler)
        case ScalingRoster():
            episodes = seating.scaling_roster(scheduler)
        case CloneFill():
            episodes = seating.clone_fill(scheduler)
    return list(episodes)


def grade_alone(
    settings: Continuous, entrants: Sequence[Entrant], table: Table, *, seed: str, fixed: Sequence[int] = ()
) -> list[PlannedEpisode]:
    """Return one episode for each entrant, alone or with `fixed` policies of the pool in the other seats."""
    variant = table.variants[0] if settings.variant_id is None else table.variant(settings.variant_id)
    seats = settings.seats_per_episode or variant.seats
    episodes = []
    for number, entrant in enumerate(range(len(entrants))):
        own = PlannedSeat(entrant=entrant, is_filler=False)
        others = [
            PlannedSeat(pool=fixed[place % len(fixed)]) if fixed else PlannedSeat(entrant=entrant, is_filler=False)
            for place in range(seats - 1)
        ]
        episodes.append(PlannedEpisode((own, *others), variant.id, seed_of(seed, number)))
    return episodes


@dataclass
class _Seating:
    """The round that is being drawn."""

    scheduler: Scheduler
    entrants: Sequence[Entrant]
    table: Table
    seed: str
    number: int
    chance: random.Random = field(init=False)
    draw: Draw = field(init=False)
    _used: Counter[tuple[int, int]] = field(default_factory=Counter)
    """how often an entrant had a seat"""
    _filled: int = 0
    """seats that policies of the pool have had"""

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        matchmaking = getattr(self.scheduler, "matchmaking", "random")
        temperature = getattr(self.scheduler, "matchmaking_temperature", None) if matchmaking != "random" else None
        self.draw = Draw(self.entrants, self.chance, temperature=temperature)

    # Strategies

    def until_floor(self, floor: int, group: Callable[[Draw, int], list[int]]) -> Iterator[PlannedEpisode]:
        """Play until every entrant has `floor` episodes."""
        for number in self._numbers(lambda: self.draw.fewest < floor):
            variant = self._variant(number)
            places = self._places(variant.seats)
            members = group(self.draw, min(places, len(self.entrants)))
            self.draw.add(members)
            yield self._apart(members, places, variant, number)

    def counted(self, episodes: int, spread: bool) -> Iterator[PlannedEpisode]:
        """Play a number of episodes."""
        for number in range(episodes):
            variant = self._variant(number)
            places = self._places(variant.seats)
            members = self.draw.rotation(min(places, len(self.entrants)), spread=spread)
            self.draw.add(members)
            yield self._apart(members, places, variant, number)

    def round_robin(self, floor: int) -> Iterator[PlannedEpisode]:
        """Play until every pair has met; repeat that until every entrant has `floor` episodes."""
        numbers = self._numbers(lambda: True)
        for number in numbers:
            variant = self._variant(number)
            places = self._places(variant.seats)
            size = min(places, len(self.entrants))
            members = self.draw.meeting(size) if size > 1 else None
            if members is None:  # all have met, or there is no seat for an opponent
                if number and self.draw.fewest >= floor:
                    return
                self.draw.forget_meetings()
                members = self.draw.meeting(size) if size > 1 else None
                members = members or self.draw.rotation(size, spread=False)
            self.draw.add(members)
            yield self._apart(members, places, variant, number)

    def team_pair(self, scheduler: TeamPair) -> Iterator[PlannedEpisode]:
        """Let each pair play both sides, with the same seed and variant."""
        pairs: list[list[int]] = []
        for _ in self._numbers(lambda: self.draw.fewest < scheduler.min_episodes_per_entrant, MAX_EPISODES // 2):
            pair = self.draw.rotation(min(2, len(self.entrants)), spread=True)
            self.draw.add(pair, episodes=2)
            pairs.append(pair)
        for swapped in (False, True):  # all first sides come first, so that every entrant is seated early
            for number, pair in enumerate(pairs):
                teams = self._teams(pair, 2)
                variant = self._variant(number)
                layout = _layout(scheduler.team_layout, variant.seats, 2)
                owners = teams[::-1] if swapped else teams
                yield self._together([owners[team] for team in layout], layout, variant, number)

    def team_n(self, scheduler: TeamN) -> Iterator[PlannedEpisode]:
        sides = _sides(scheduler)
        for number in range(scheduler.num_episodes):
            variant = self._variant(number)
            layout = _layout(scheduler.team_layout, variant.seats, scheduler.team_count)
            size = variant.seats if scheduler.distinct_teammates else scheduler.team_count
            members = self.draw.rotation(min(size, len(self.entrants)), spread=True)
            self.draw.add(members)
            owners = self._teams(members, size)
            self.chance.shuffle(owners)
            seated = owners if scheduler.distinct_teammates else [owners[team] for team in layout]
            yield self._together(seated, [sides[team] for team in layout], variant, number)

    def variable_seat(self, scheduler: VariableSeat) -> Iterator[PlannedEpisode]:
        """Draw the number of seats of each episode, no more than there are entrants where that is possible."""
        sizes = range(scheduler.seat_count_min, scheduler.seat_count_max + 1)
        fitting = [size for size in sizes if size <= len(self.entrants)] or [sizes[0]]
        given = scheduler.seat_count_weights or {}
        weights = [given.get(size, 0.0) if given else 1.0 for size in fitting]
        if not any(weights):
            weights = [1.0] * len(fitting)
        for number in self._numbers(lambda: self.draw.fewest < scheduler.min_episodes_per_entrant):
            seats = self.chance.choices(fitting, weights)[0]
            members = self.draw.rotation(min(seats, len(self.entrants)), spread=True)
            self.draw.add(members)
            yield self._apart(members, seats, self._variant(number, seats), number)

    def scaling_roster(self, scheduler: ScalingRoster) -> Iterator[PlannedEpisode]:
        """Play with the largest number of seats that the entrants fill, or with all such numbers in turn."""
        fitting = sorted({rung for rung in scheduler.seat_rungs if rung <= len(self.entrants)})
        rungs = fitting or [min(scheduler.seat_rungs)]
        turns = rungs if scheduler.rotate_seat_rungs else rungs[-1:]
        best = sorted(range(len(self.entrants)), key=lambda entrant: -self.entrants[entrant].standing)
        for number in range(scheduler.episodes_per_round):
            seats = turns[(self.number + number) % len(turns)]
            size = min(seats, len(self.entrants))
            is_fixed = scheduler.roster_overflow == "drop"
            members = best[:size] if is_fixed else self.draw.rotation(size, spread=True)
            self.draw.add(members)
            yield self._apart(members, seats, self._variant(number, seats), number)

    def clone_fill(self, scheduler: CloneFill) -> Iterator[PlannedEpisode]:
        """Let every entrant play alone, in all seats. All play the same seeds."""
        if scheduler.episodes_per_entrant * len(self.entrants) > MAX_EPISODES:
            raise CannotSeat(f"A round has at most {MAX_EPISODES:,} episodes; lower episodes_per_entrant")
        for number in range(scheduler.episodes_per_entrant):
            variant = self._variant(number, scheduler.seat_count)
            for entrant in range(len(self.entrants)):
                seat = PlannedSeat(entrant=entrant, is_filler=False)
                yield PlannedEpisode((seat,) * variant.seats, variant.id, seed_of(self.seed, number))

    # Parts

    def _numbers(self, wanted: Callable[[], bool], limit: int = MAX_EPISODES) -> Iterator[int]:
        for number in itertools.count():
            if not wanted():
                return
            if number == limit:
                raise CannotSeat(f"A round has at most {MAX_EPISODES:,} episodes; lower min_episodes_per_entrant")
            yield number

    def _variant(self, number: int, seats: int | None = None) -> GameVariant:
        """Return the variant of an episode; rounds begin at different places of a rotation."""
        by_count, rotation = self.scheduler.variant_rotation_by_seat_count or {}, self.scheduler.variant_rotation
        count = seats if seats is not None else self.table.variants[0].seats
        names = by_count.get(count) or rotation
        turn = (self.number + number) % len(names) if names else 0
        variant = self.table.variant(names[turn]) if names else self.table.variants[0]
        return variant if seats is None else GameVariant(variant.id, seats)

    def _places(self, seats: int) -> int:
        """Return the seats for entrants."""
        neutral = self.table.neutral_seats
        if neutral and neutral >= seats:
            raise CannotSeat(f"{neutral} neutral seats leave no seat for an entrant: the game has {seats}")
        if neutral and not self.table.pool:
            raise CannotSeat("The league has neutral seats and no policies for them")
        return seats - neutral

    def _teams(self, members: Sequence[int], size: int) -> list[PlannedSeat]:
        """Return the owners of teams: the entrants, and those that pad them."""
        return [PlannedSeat(entrant=member) for member in members] + self._padding(members, size - len(members))

    def _padding(self, members: Sequence[int], number: int) -> list[PlannedSeat]:
        """Fill the places for which there is no entrant."""
        if number <= 0:
            return []
        match self.scheduler.insufficient_players:
            case "multiple_seats":
                return [PlannedSeat(entrant=members[place % len(members)]) for place in range(number)]
            case "filler_policy":
                return [self._from_pool() for _ in range(number)]
        raise CannotSeat(f"{len(members) + number} entrants are needed, and there are {len(members)}")

    def _from_pool(self) -> PlannedSeat:
        if not self.table.pool:
            raise CannotSeat("There are too few entrants, and the league has no policies to fill seats with")
        self._filled += 1
        return PlannedSeat(pool=(self.number + self._filled - 1) % self.table.pool)

    def _apart(self, members: Sequence[int], places: int, variant: GameVariant, number: int) -> PlannedEpisode:
        """Seat entrants that play for themselves, each where it has sat least."""
        free = self.chance.sample(range(variant.seats), variant.seats)
        seats: dict[int, PlannedSeat] = {}
        for member in self.chance.sample(list(members), len(members)):
            place = min(free, key=lambda place: self._used[member, place])
            free.remove(place)
            self._used[member, place] += 1
            seats[place] = PlannedSeat(entrant=member)
        others = self._padding(members, places - len(members))
        others += [self._from_pool() for _ in range(len(free) - len(others))]
        seats |= dict(zip(free, others, strict=True))
        return self._episode([seats[place] for place in range(variant.seats)], variant, number)

    def _together(
        self, seats: Sequence[PlannedSeat], sides: Sequence[int], variant: GameVariant, number: int
    ) -> PlannedEpisode:
        sided = [
            PlannedSeat(entrant=seat.entrant, pool=seat.pool, side=side)
            for seat, side in zip(seats, sides, strict=True)
        ]
        return self._episode(sided, variant, number)

    def _episode(self, seats: Sequence[PlannedSeat], variant: GameVariant, number: int) -> PlannedEpisode:
        """Credit the first seat of each entrant."""
        credited: set[int] = set()
        counted = []
        for seat in seats:
            is_first = seat.entrant is not None and seat.entrant not in credited
            if seat.entrant is not None:
                credited.add(seat.entrant)
            counted.append(PlannedSeat(seat.entrant, seat.pool, not is_first, seat.side))
        return PlannedEpisode(tuple(counted), variant.id, seed_of(self.seed, number))


def _layout(layout: str, seats: int, teams: int) -> list[int]:
    """Return the team of each seat."""
    if seats % teams or seats < teams:
        raise CannotSeat(f"{seats} seats cannot be divided into {teams} teams")
    return [seat % teams if layout == "interleaved" else seat // (seats // teams) for seat in range(seats)]


def _sides(scheduler: TeamN) -> list[int]:
    """Return the side of each team: allied teams are on one."""
    sides = list(range(scheduler.team_count))
    for allied in scheduler.allied_teams or []:
        for team in allied:
            sides[team] = min(allied)
    return sides
