"""Sum up the duels of a ladder: ratings, standings, the matrix, and what decided each pairing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from cogames.ladder.decisive import DecisiveStat, decisive_stats, spreads
from cogames.ladder.duels import Duel
from cogames.ladder.games import Game, Pair
from cogames.ladder.pairing import SwissRound
from cogames.ladder.plan import Ladder
from cogames.ladder.records import GameRecord
from cogames.ladder.results import DuelRow, Failure, LadderResults, Pairing, PairingOnMission, Standing
from softmax.stats import Duel as RatedDuel
from softmax.stats import Estimate, Rating, estimate_mean, rate

__all__ = ["make_results"]


def make_results(
    ladder: Ladder, duels: Sequence[Duel], records: Mapping[Game, GameRecord], rounds: Sequence[SwissRound] = ()
) -> LadderResults:
    """Rate all policies and describe every pairing."""
    duels = sorted(duels, key=lambda duel: duel.key)
    names = [entrant.name for entrant in ladder.entrants]
    ratings = rate(len(names), [_rated(ladder, duel) for duel in duels])
    points = [math.fsum(_own(duel, entrant) for duel in _of(duels, entrant)) for entrant in range(len(names))]
    order = sorted(range(len(names)), key=lambda entrant: (-ratings[entrant].rating, -points[entrant], entrant))
    by_pair: dict[Pair, list[Duel]] = {}
    for duel in duels:
        by_pair.setdefault(duel.key.pair, []).append(duel)
    spread = spreads(duels)
    return LadderResults(
        plan=ladder.document(),
        games=len(records),
        standings=[
            _standing(ladder, rank, entrant, ratings[entrant], _of(duels, entrant), records)
            for rank, entrant in enumerate(order, 1)
        ],
        matrix=[[_share(by_pair, row, column) for column in order] for row in order],
        pairings=[
            _pairing(ladder, (first, second), viewed, decisive_stats(viewed, spread))
            for first, second in itertools.combinations(order, 2)
            if (viewed := _viewed(by_pair, first, second))
        ],
        failures=_failures(ladder, records),
        rounds=[
            {
                "round": number,
                "pairs": [[names[first], names[second]] for first, second in played.pairs],
                "bye": None if played.bye is None else names[played.bye],
            }
            for number, played in enumerate(rounds, 1)
        ],
        duels=[_row(ladder, duel) for duel in duels],
    )


def _rated(ladder: Ladder, duel: Duel) -> RatedDuel:
    key = duel.key
    return RatedDuel(*key.pair, duel.result, group=key.mission + len(ladder.missions) * key.number)


def _of(duels: Sequence[Duel], entrant: int) -> list[Duel]:
    return [duel for duel in duels if entrant in duel.key.pair]


def _own(duel: Duel, entrant: int) -> float:
    return duel.result if duel.key.pair[0] == entrant else 1 - duel.result


def _standing(
    ladder: Ladder,
    rank: int,
    entrant: int,
    rating: Rating,
    duels: Sequence[Duel],
    records: Mapping[Game, GameRecord],
) -> Standing:
    results = [_own(duel, entrant) for duel in duels]
    sides = [record.side(entrant) for game, record in sorted(records.items()) if entrant in game.entrants]
    scores: dict[str, Estimate] = {}
    for number, mission in enumerate(ladder.missions):
        by_map: dict[int, list[float]] = {}
        for duel in duels:
            if duel.key.mission == number:
                by_map.setdefault(duel.key.number, []).append(duel.scores[duel.key.pair.index(entrant)])
        scores[mission.name] = estimate_mean([math.fsum(by_map[k]) / len(by_map[k]) for k in sorted(by_map)])
    return Standing(
        rank=rank,
        name=ladder.entrants[entrant].name,
        policy=ladder.entrants[entrant].policy,
        rating=rating,
        points=math.fsum(results),
        duels=len(results),
        wins=results.count(1.0),
        draws=results.count(0.5),
        losses=results.count(0.0),
        failures=sum(side.failed for side in sides),
        timeouts=sum(side.timeouts for side in sides),
        scores=scores,
    )


def _viewed(by_pair: Mapping[Pair, Sequence[Duel]], first: int, second: int) -> list[Duel]:
    """Return the duels of two policies from the view of the first."""
    duels = by_pair.get((min(first, second), max(first, second)), ())
    return [duel if duel.key.pair[0] == first else duel.flipped() for duel in duels]


def _share(by_pair: Mapping[Pair, Sequence[Duel]], row: int, column: int) -> float | None:
    duels = by_pair.get((min(row, column), max(row, column)))
    return None if not duels else math.fsum(_own(duel, row) for duel in duels) / len(duels)


def _pairing(ladder: Ladder, pair: Pair, duels: Sequence[Duel], decided_by: list[DecisiveStat]) -> Pairing:
    results = [duel.result for duel in duels]
    on_missions = []
    for number, mission in enumerate(ladder.missions):
        part = [duel for duel in duels if duel.key.mission == number]
        if part:
            outcomes = [duel.result for duel in part]
            on_missions.append(
                PairingOnMission(
                    mission=mission.name,
                    wins=outcomes.count(1.0),
                    draws=outcomes.count(0.5),
                    losses=outcomes.count(0.0),
                    difference=estimate_mean([duel.difference for duel in part]),
                )
            )
    return Pairing(
        first=ladder.entrants[pair[0]].name,
        second=ladder.entrants[pair[1]].name,
        points=math.fsum(results),
        duels=len(results),
        wins=results.count(1.0),
        draws=results.count(0.5),
        losses=results.count(0.0),
        failures=[sum(duel.failed[place] for duel in duels) for place in (0, 1)],
        decided=_decided(duels, decided_by),
        decided_by=decided_by,
        missions=on_missions,
    )


def _decided(duels: Sequence[Duel], decided_by: Sequence[DecisiveStat]) -> str:
    points = math.fsum(duel.result for duel in duels)
    if 2 * points == len(duels):
        return "drawn"
    winner = 0 if 2 * points > len(duels) else 1
    won = [duel for duel in duels if duel.result == 1 - winner]
    if 2 * sum(duel.reason == "failure" for duel in won) >= max(len(won), 1):
        return "failures"
    return decided_by[0].label if decided_by else "score"


def _row(ladder: Ladder, duel: Duel) -> DuelRow:
    key = duel.key
    return DuelRow(
        first=ladder.entrants[key.pair[0]].name,
        second=ladder.entrants[key.pair[1]].name,
        mission=ladder.missions[key.mission].name,
        map=key.number,
        seed=ladder.episode_seed(key.mission, key.number),
        first_score=duel.scores[0],
        second_score=duel.scores[1],
        result=duel.result,
        reason=duel.reason,
        games=[game.key for game in duel.games],
    )


def _failures(ladder: Ladder, records: Mapping[Game, GameRecord]) -> list[Failure]:
    failures = []
    for entrant, described in enumerate(ladder.entrants):
        sides = [record.side(entrant) for game, record in sorted(records.items()) if entrant in game.entrants]
        failed = [side for side in sides if side.failed]
        if failed:
            first = failed[0]
            failures.append(
                Failure(
                    name=described.name,
                    games=len(failed),
                    of_games=len(sides),
                    status=first.status,
                    message=first.message,
                    step=first.step,
                )
            )
    return failures
