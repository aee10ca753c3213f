"""Rate a round: the standings before it, and what its episodes say, give the standings after it.

A table is the fold of `rate_round` over the settled rounds of a league. All sums are in the order of the plan, so the
same rounds give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from observatory.ladder.plackett_luce import Belief, updated
from observatory.ladder.plans import PlannedEpisode
from observatory.ladder.scoring import CountedEpisode, RoundScore, Side, meetings, outcome, round_scores, sides_of
from observatory.leagues.ladder_settings import Elo, OpenSkill, Ranking, Score
from softmax.stats import VariancePart, welch_interval

__all__ = [
    "SETTLED_ROUNDS",
    "RatedEntrant",
    "RatedRound",
    "Standing",
    "displayed",
    "interval",
    "label",
    "rate_round",
    "strength",
]

SETTLED_ROUNDS = 10
"""a rating is settling until its version has played this many rounds"""
HALF_LIFE_ROUNDS = 5.0
"""of a faded mean without `half_life_hours`"""
ELO_CENTRE = 1500.0
MAX_GAP = 100_000.0
"""between two players, in points of Elo; a larger one would overflow"""


@dataclass(frozen=True)
class Standing:
    """All that a ladder knows of a player. A new version of the player's policy inherits it."""

    algorithm: str
    rating: float
    """Elo, or `mu`; not used by the algorithm `score`"""
    sigma: float | None = None
    rounds: int = 0
    mean: float = 0.0
    """of the round scores"""
    squares: float = 0.0
    """sum of the squared deviations from the mean"""
    best: float | None = None
    worst: float | None = None
    latest: float | None = None
    faded: float = 0.0
    faded_weight: float = 0.0
    won: float = 0.0
    """sum over rounds of the share of meetings won"""
    won_rounds: int = 0
    version: str = ""
    version_rounds: int = 0
    failed_rounds: int = 0
    """rounds in a row in which this version was at fault"""
    division: str = ""
    last_round: int = 0
    """the number of its last round in that division"""
    hours: float = 0.0
    """when that was, since 1970"""

    def stored(self) -> dict[str, Any]:
        """Return a document that survives a database unchanged: it has no negative zero."""
        return {name: value + 0.0 if isinstance(value, float) else value for name, value in asdict(self).items()}

    @classmethod
    def initial(cls, ranking: Ranking) -> Standing:
        match ranking:
            case Elo():
                return cls("elo", ranking.initial_rating)
            case OpenSkill():
                return cls("openskill", ranking.mu, ranking.sigma)
            case Score():
                return cls("score", 0.0)


@dataclass(frozen=True)
class RatedRound:
    """A round of one entrant: the standing before and after it."""

    score: RoundScore
    before: Standing
    after: Standing


@dataclass(frozen=True, slots=True)
class RatedEntrant:
    player_id: str
    version: str


def rate_round(
    ranking: Ranking,
    entrants: Sequence[RatedEntrant],
    standings: Mapping[str, Standing],
    episodes: Sequence[tuple[PlannedEpisode, CountedEpisode]],
    *,
    division: str,
    number: int,
    hours: float,
) -> dict[int, RatedRound]:
    """Return the round of each entrant with an episode that counts, by its position.

    `hours` is when the round was opened. A standing of another algorithm does not count.
    """
    before = [_start(ranking, standings.get(entrant.player_id), entrant.version) for entrant in entrants]
    scores = round_scores(episodes, len(entrants))
    match ranking:
        case Elo():
            ratings = _elo(ranking, before, episodes)
        case OpenSkill():
            ratings = _openskill(ranking, before, episodes)
        case Score():
            ratings = [(standing.rating, standing.sigma) for standing in before]
    rated = {}
    for position, score in scores.items():
        start = before[position]
        rating, sigma = ratings[position]
        changed = _scored(ranking, start, score, hours)
        after = replace(
            changed,
            rating=rating,
            sigma=sigma,
            version_rounds=start.version_rounds + 1,
            failed_rounds=start.failed_rounds + 1 if score.forfeits else 0,
            division=division,
            last_round=number,
            hours=hours,
        )
        rated[position] = RatedRound(score, start, after)
    return rated


def _start(ranking: Ranking, standing: Standing | None, version: str) -> Standing:
    """Return the standing with which an entrant begins a round."""
    initial = Standing.initial(ranking)
    start = initial if standing is None or standing.algorithm != initial.algorithm else standing
    if start.version != version:
        start = replace(start, version=version, version_rounds=0, failed_rounds=0)
    return start


def _elo(
    ranking: Elo, before: Sequence[Standing], episodes: Sequence[tuple[PlannedEpisode, CountedEpisode]]
) -> list[tuple[float, float | None]]:
    """Move each rating once, by the mean surprise over all pairs of the round; all start from the ratings before it."""
    surprises: list[list[float]] = [[] for _ in before]
    for planned, counted in episodes:
        for first, second in meetings(sides_of(planned, counted)):
            result = outcome(first, second, ranking.margin_scale)
            for one in first.entrants:
                for other in second.entrants:
                    expected = _expected(before[one].rating, before[other].rating)
                    surprises[one].append(result - expected)
                    surprises[other].append(expected - result)
    moved: list[tuple[float, float | None]] = []
    for standing, found in zip(before, surprises, strict=True):
        is_new = standing.version_rounds < ranking.new_version_rounds
        factor = ranking.k_factor * (ranking.new_version_k_multiplier if is_new else 1.0)
        moved.append((standing.rating + (factor * math.fsum(found) / len(found) if found else 0.0), None))
    return moved


def _expected(first: float, second: float) -> float:
    """Return the expected result of the first player."""
    return 1 / (1 + 10 ** (min(max(second - first, -MAX_GAP), MAX_GAP) / 400))


def _openskill(
    ranking: OpenSkill, before: Sequence[Standing], episodes: Sequence[tuple[PlannedEpisode, CountedEpisode]]
) -> list[tuple[float, float | None]]:
    """Update all beliefs after each episode, in the order of the plan."""
    beta = ranking.sigma / 2 if ranking.beta is None else ranking.beta
    noise = beta**2 + (ranking.role_advantage_sigma or 0.0) ** 2
    beliefs = [_belief(ranking, standing) for standing in before]
    for planned, counted in episodes:
        sides = sides_of(planned, counted)
        if len(sides) < 2:
            continue
        ranks = _ranks(sides)
        result = None
        if ranking.margin_scale is not None and len(sides) == 2:
            result = outcome(sides[0], sides[1], ranking.margin_scale)
        groups = [[beliefs[entrant] for entrant in side.entrants] for side in sides]
        after = updated(groups, ranks, noise=noise, result=result)
        for side, members in zip(sides, after, strict=True):
            for entrant, belief in zip(side.entrants, members, strict=True):
                beliefs[entrant] = belief
    return [(belief.mu, belief.sigma) for belief in beliefs]


def _belief(ranking: OpenSkill, standing: Standing) -> Belief:
    """Return what is known before a round: less of a new version, and a little less with every round."""
    sigma = ranking.sigma if standing.sigma is None else standing.sigma
    if standing.version_rounds == 0 and standing.rounds and ranking.new_version_sigma is not None:
        sigma = max(sigma, ranking.new_version_sigma)
    return Belief(standing.rating, math.sqrt(sigma**2 + (ranking.tau or 0.0) ** 2))


def _ranks(sides: Sequence[Side]) -> list[int]:
    """Return the rank of each side, from 1; a forfeit is last, and the others have drawn then."""
    values = [-math.inf if side.score is None else side.score for side in sides]
    return [1 + sum(other > value for other in values) for value in values]


def _scored(ranking: Ranking, start: Standing, score: RoundScore, hours: float) -> Standing:
    """Add the score of a round to the means and extremes."""
    value = score.score
    if isinstance(ranking, Elo) and ranking.round_scoring_rule == "ewma" and start.latest is not None:
        value = (start.latest + value) / 2
    rounds = start.rounds + 1
    mean = start.mean + (value - start.mean) / rounds
    if isinstance(ranking, Score) and ranking.half_life_hours is not None:
        decay = 0.5 ** (max(hours - start.hours, 0.0) / ranking.half_life_hours) if start.rounds else 0.0
    else:
        decay = 0.5 ** (1 / HALF_LIFE_ROUNDS)
    return replace(
        start,
        rounds=rounds,
        mean=mean,
        squares=start.squares + (value - start.mean) * (value - mean),
        best=value if start.best is None else max(start.best, value),
        worst=value if start.worst is None else min(start.worst, value),
        latest=value,
        faded=start.faded * decay + value,
        faded_weight=start.faded_weight * decay + 1,
        won=start.won + (score.won or 0.0),
        won_rounds=start.won_rounds + (score.won is not None),
    )


def displayed(ranking: Ranking, standing: Standing) -> float:
    """Return the number that ranks players."""
    match ranking:
        case Elo():
            return standing.rating
        case OpenSkill():
            return standing.rating - 3 * (ranking.sigma if standing.sigma is None else standing.sigma)
        case Score():
            return _aggregated(ranking, standing)


def _aggregated(ranking: Score, standing: Standing) -> float:
    if not standing.rounds:
        return ranking.initial_standing or 0.0
    match ranking.standing_aggregation:
        case "ewma":
            return standing.faded / standing.faded_weight
        case "max":
            return standing.best or 0.0
        case "min":
            return standing.worst or 0.0
        case "latest":
            return standing.latest or 0.0
        case "rated":
            return standing.won / standing.won_rounds if standing.won_rounds else 0.0
    return standing.mean


def label(ranking: Ranking) -> str:
    """Return the name of the number that ranks players."""
    match ranking:
        case Elo():
            return "Elo"
        case OpenSkill():
            return "MMR"
        case Score():
            return {"mean": "Mean score", "rated": "Win %"}.get(ranking.standing_aggregation, "Score")


def strength(ranking: Ranking, standing: Standing) -> float:
    """Return the strength of a player on the scale of Elo, for matchmaking."""
    match ranking:
        case Elo():
            return standing.rating
        case OpenSkill():
            beta = ranking.sigma / 2 if ranking.beta is None else ranking.beta
            return ELO_CENTRE + (standing.rating - ranking.mu) * 400 / (2 * beta)
        case Score():
            return ELO_CENTRE


def interval(standing: Standing) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean round score; None for fewer than two rounds or equal scores."""
    if standing.rounds < 2:
        return None
    variance = standing.squares / (standing.rounds - 1) / standing.rounds
    found = welch_interval(standing.mean, [VariancePart(variance, standing.rounds - 1)])
    return None if found is None else (found.low, found.high)
