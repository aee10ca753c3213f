"""Choose the games whose replays tell most about a ladder."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cogames.ladder.duels import Duel
from cogames.ladder.games import Game, partners_of_duel
from cogames.ladder.plan import Ladder
from cogames.ladder.records import GameRecord
from cogames.ladder.results import LadderResults

__all__ = ["TellingGame", "choose_games"]


@dataclass(frozen=True)
class TellingGame:
    """A game to watch, and why."""

    game: Game
    title: str


def choose_games(
    ladder: Ladder, results: LadderResults, duels: Sequence[Duel], records: Mapping[Game, GameRecord], count: int
) -> list[TellingGame]:
    """Return up to `count` games, each once: of the top pairing, upsets, failures, a rout and a close duel."""
    chosen: dict[Game, str] = {}
    for title, duel in _telling_duels(ladder, results, duels):
        for game in _games_to_watch(ladder, duel, records):
            if len(chosen) < count:
                chosen.setdefault(game, title)
    return [TellingGame(game, title) for game, title in chosen.items()]


def _telling_duels(ladder: Ladder, results: LadderResults, duels: Sequence[Duel]) -> Iterator[tuple[str, Duel]]:
    """Yield duels with their titles, the most telling first. Equal candidates: the first in order."""
    place = {entrant.name: number for number, entrant in enumerate(ladder.entrants)}
    ratings = {place[standing.name]: standing.rating.rating for standing in results.standings}
    best, second = (place[standing.name] for standing in results.standings[:2])
    ordered = sorted(duels, key=lambda duel: duel.key)
    margins = _margins(ordered)

    def winner(duel: Duel) -> int | None:
        return None if duel.result == 0.5 else duel.key.pair[0 if duel.result else 1]

    def gap(duel: Duel) -> float:
        """Return how much higher the loser is rated."""
        won = winner(duel)
        loser = sum(duel.key.pair) - won if won is not None else 0
        return 0.0 if won is None else ratings[loser] - ratings[won]

    played = [duel for duel in ordered if duel.reason == "score" and duel.difference]
    top = [duel for duel in played if set(duel.key.pair) == {best, second} and winner(duel) == best]
    if top:
        yield "The first against the second", max(top, key=lambda duel: margins[id(duel)])
    failed = [duel for duel in ordered if duel.reason == "failure"]
    if failed:
        yield "A failure", failed[0]
    upsets = [duel for duel in played if gap(duel) > 0]
    if upsets:
        yield "The greatest upset", max(upsets, key=gap)
    if played:
        yield "The closest duel", min(played, key=lambda duel: margins[id(duel)])
        yield "The clearest duel", max(played, key=lambda duel: margins[id(duel)])


def _margins(duels: Sequence[Duel]) -> dict[int, float]:
    """Return the difference of scores of each duel (by id) in standard deviations of the mission."""
    scores: dict[int, list[float]] = {}
    for duel in duels:
        scores.setdefault(duel.key.mission, []).extend(duel.scores)
    spread = {mission: statistics.pstdev(values) for mission, values in scores.items()}
    return {id(duel): abs(duel.difference) / (spread[duel.key.mission] or 1.0) for duel in duels}


def _games_to_watch(ladder: Ladder, duel: Duel, records: Mapping[Game, GameRecord]) -> list[Game]:
    """Return both games of a `solo` duel, the clearer of a `teams` duel, those with the decisive partner if `mixed`."""
    key, meeting = duel.key, ladder.missions[duel.key.mission].meeting
    failed = [game for game in duel.games if any(side.failed for side in records[game].sides)]
    if failed:
        return failed[:1]
    if meeting == "solo":
        return list(duel.games if duel.result >= 0.5 else duel.games[::-1])  # the winner's first
    if meeting == "teams":
        return [max(duel.games, key=lambda game: abs(_difference(records[game], key.pair)))]
    first, second = (dict(partners_of_duel(key, entrant, len(ladder.entrants))) for entrant in key.pair)

    def margin(partner: int) -> float:
        return abs(
            records[first[partner][0]].side(key.pair[0]).score - records[second[partner][0]].side(key.pair[1]).score
        )

    partner = max(first, key=margin)
    return list(dict.fromkeys([first[partner][0], second[partner][0]]))


def _difference(record: GameRecord, pair: tuple[int, int]) -> float:
    return record.side(pair[0]).score - record.side(pair[1]).score
