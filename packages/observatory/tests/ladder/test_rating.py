"""Scores, ratings and moves of rounds, from numbers computed by hand or by the package `openskill` 6.2."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from observatory.ladder.moves import Level, moves
from observatory.ladder.plackett_luce import Belief, updated
from observatory.ladder.plans import Entrant, GameVariant, PlannedEpisode
from observatory.ladder.rating import (
    RatedEntrant,
    RatedRound,
    Standing,
    displayed,
    interval,
    label,
    rate_round,
    strength,
)
from observatory.ladder.scoring import CountedEpisode, EpisodeResult, count_episode
from observatory.ladder.seating import Table, seat_round
from observatory.leagues.ladder_settings import Elo, Ladder, LadderDivision, OpenSkill, Score

some_examples = hypothesis_settings(max_examples=40, deadline=None)
Rated = Mapping[int, RatedRound]


def plan(strategy: str, number: int, seats: int = 2, **fields: Any) -> list[PlannedEpisode]:
    ladder = Ladder.model_validate({"scheduler": {"strategy": strategy, **fields}})
    players = [Entrant(f"p{place}") for place in range(number)]
    return seat_round(ladder.scheduler, players, Table([GameVariant(None, seats)], pool=1), seed="1", number=1)


def played(planned: PlannedEpisode, scores: Mapping[int, float]) -> tuple[PlannedEpisode, CountedEpisode]:
    """Play an episode in which an entrant has this score in every seat."""
    found = tuple(scores.get(seat.entrant, 0.0) if seat.entrant is not None else 99.0 for seat in planned.seats)
    counted = count_episode(planned, EpisodeResult(found))
    assert counted is not None
    return planned, counted


def rate(
    ranking: Any,
    episodes: Sequence[tuple[PlannedEpisode, CountedEpisode]],
    players: int,
    standings: Mapping[str, Standing] | None = None,
    **fields: Any,
) -> Rated:
    versions = fields.pop("versions", ["v"] * players)
    entrants = [RatedEntrant(f"p{place}", version) for place, version in enumerate(versions)]
    options = {"division": "d", "number": 1, "hours": 0.0, **fields}
    return rate_round(ranking, entrants, standings or {}, episodes, **options)


@pytest.mark.parametrize(
    ("sides", "ranks", "expected"),
    [
        (
            [[(25, 25 / 3)], [(25, 25 / 3)]],
            [1, 2],
            [[(27.63523138347365, 8.065506316323548)], [(22.36476861652635, 8.065506316323548)]],
        ),
        (
            [[(30, 4)], [(20, 6)]],
            [2, 1],
            [[(28.71943969509025, 3.9698011978302223)], [(22.881260686046932, 5.845711934619008)]],
        ),
        (
            [[(25, 8)], [(28, 3)]],
            [1, 1],
            [[(25.44251385506637, 7.5381587673976655)], [(27.937771489131293, 2.99111738645031)]],
        ),
        (
            [[(25, 8)], [(28, 3)], [(21, 5)], [(33, 2)]],
            [3, 1, 3, 2],
            [
                [(22.25325403881721, 7.423041399911661)],
                [(28.508641948964158, 2.996526821732067)],
                [(20.460796292725203, 4.924696949433848)],
                [(33.031881127309376, 1.9982687065917462)],
            ],
        ),
        (
            [[(25, 8), (24, 2)], [(28, 3), (20, 7)], [(31, 5)]],
            [2, 1, 3],
            [
                [(23.962476202237752, 7.687923700028688), (23.935154762639858, 1.9952131884226592)],
                [(28.36574707799553, 2.9913286104643926), (21.991289646864548, 6.88912230853165)],
                [(30.389318627957742, 4.9693248506910805)],
            ],
        ),
    ],
)
def test_beliefs_are_those_of_the_published_package(
    sides: Any, ranks: list[int], expected: list[list[tuple[float, float]]]
) -> None:
    after = updated([[Belief(*member) for member in side] for side in sides], ranks, noise=(25 / 6) ** 2)
    for side, numbers in zip(after, expected, strict=True):
        for member, (mu, sigma) in zip(side, numbers, strict=True):
            assert (member.mu, member.sigma) == pytest.approx((mu, sigma), rel=1e-13)


def test_elo_moves_by_the_mean_surprise_from_ratings_before_the_round() -> None:
    ranking = Elo(algorithm="elo")
    episodes = [played(episode, {0: 3.0, 1: 1.0}) for episode in plan("round_robin", 2, min_episodes_per_entrant=3)]
    rated = rate(ranking, episodes, 2)
    assert [rated[place].after.rating for place in (0, 1)] == [1516.0, 1484.0]  # once, not three times
    strong = {"p0": Standing("elo", 1700.0), "p1": Standing("elo", 1500.0)}
    upset = rate(ranking, [played(episodes[0][0], {0: 1.0, 1: 1.0})], 2, strong)
    expected = 1 / (1 + 10 ** (-200 / 400))
    assert upset[0].after.rating == pytest.approx(1700 + 32 * (0.5 - expected))
    margin = Elo(algorithm="elo", margin_scale=4.0)
    assert rate(margin, [episodes[0]], 2)[0].after.rating == pytest.approx(1500 + 32 * 0.25)
    new = Elo(algorithm="elo", new_version_k_multiplier=2.0, new_version_rounds=1)
    again = rate(new, [episodes[0]], 2, {"p0": rated[0].after, "p1": rated[1].after}, versions=["v", "w"])
    assert again[1].after.version_rounds == 1 and again[0].after.version_rounds == 2
    assert again[1].before.rating - again[1].after.rating == pytest.approx(
        2 * (again[0].after.rating - again[0].before.rating)
    )


def test_neutral_seats_and_clones_change_no_rating() -> None:
    [episode] = plan("clone_fill", 1, seats=3)
    rated = rate(Elo(algorithm="elo"), [played(episode, {0: 5.0})], 1)
    assert rated[0].after.rating == 1500.0 and rated[0].score.score == 5.0 and rated[0].score.won is None
    episode = plan("random_fill", 1, num_episodes=1, insufficient_players="filler_policy")[0]
    assert rate(Elo(algorithm="elo"), [played(episode, {0: 5.0})], 1)[0].after.rating == 1500.0


def test_clones_are_summed_or_averaged() -> None:
    [episode] = plan("clone_fill", 1, seats=3)
    result = EpisodeResult((1.0, 2.0, 6.0))
    assert count_episode(episode, result) == CountedEpisode(((0, 3.0),))
    assert count_episode(episode, result, clones="sum") == CountedEpisode(((0, 9.0),))


def test_a_policy_at_fault_forfeits_and_others_do_not_meet() -> None:
    planned = plan("round_robin", 3, seats=3)[0]
    seat = next(place for place, found in enumerate(planned.seats) if found.entrant == 1)
    counted = count_episode(planned, EpisodeResult(blamed_seat=seat))
    assert counted == CountedEpisode(forfeit=1)
    episodes = [(planned, counted), played(planned, {0: -4.0, 1: 2.0, 2: -4.0})]
    rated = rate(Elo(algorithm="elo"), episodes, 3)
    assert rated[1].score.score == -1.0  # its two, and the lowest score of the round
    assert (rated[1].score.forfeits, rated[1].after.failed_rounds) == (1, 1)
    assert rated[0].score.episodes == 1 and rated[0].after.failed_rounds == 0
    assert rated[1].after.rating == 1500.0 and rated[0].after.rating == pytest.approx(1500 + 32 * (0 / 3))
    for ranking in (OpenSkill(algorithm="openskill"), Elo(algorithm="elo")):
        alone = rate(ranking, episodes[:1], 3)
        assert list(alone) == [1] and displayed(ranking, alone[1].after) < displayed(ranking, Standing.initial(ranking))
    assert count_episode(planned, EpisodeResult()) is None


def test_openskill_shows_a_careful_rating_and_widens_for_new_versions() -> None:
    ranking = OpenSkill(algorithm="openskill", tau=1.0, new_version_sigma=6.0)
    planned = plan("round_robin", 2)[0]
    first = rate(ranking, [played(planned, {0: 1.0})], 2)
    start = math.hypot(25 / 3, 1.0)
    expected = updated([[Belief(25, start)], [Belief(25, start)]], [1, 2], noise=(25 / 6) ** 2)
    assert first[0].after.rating == pytest.approx(expected[0][0].mu)
    assert displayed(ranking, first[0].after) == pytest.approx(expected[0][0].mu - 3 * expected[0][0].sigma)
    assert label(ranking) == "MMR" and strength(ranking, Standing.initial(ranking)) == 1500.0
    sure = Standing("openskill", 30.0, 2.0, rounds=3, version="v", version_rounds=3)
    same = rate(ranking, [played(planned, {0: 1.0})], 2, {"p0": sure})
    other = rate(ranking, [played(planned, {0: 1.0})], 2, {"p0": sure}, versions=["w", "v"])
    assert same[0].after.sigma is not None and other[0].after.sigma is not None
    assert same[0].after.sigma < 3 < other[0].after.sigma
    half = OpenSkill(algorithm="openskill", margin_scale=2.0)
    assert rate(half, [played(planned, {0: 0.0, 1: 0.0})], 2)[0].after.rating == 25.0


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [("mean", 3.0), ("max", 6.0), ("min", 1.0), ("latest", 2.0), ("rated", 2 / 3)],
)
def test_standings_aggregate_round_scores(aggregation: str, expected: float) -> None:
    ranking = Score.model_validate({"algorithm": "score", "standing_aggregation": aggregation})
    standings = _rounds(ranking, [1.0, 6.0, 2.0], against=1.5)
    assert displayed(ranking, standings["p0"]) == pytest.approx(expected)
    assert interval(standings["p0"]) == pytest.approx(
        (
            3.0 - 4.302652729749464 * statistics.stdev([1, 6, 2]) / math.sqrt(3),
            3.0 + 4.302652729749464 * statistics.stdev([1, 6, 2]) / math.sqrt(3),
        )
    )


def test_a_faded_mean_follows_time_or_rounds() -> None:
    by_time = Score(algorithm="score", standing_aggregation="ewma", half_life_hours=2.0)
    standings = _rounds(by_time, [4.0, 8.0], hours=2.0)
    assert displayed(by_time, standings["p0"]) == pytest.approx((4 * 0.5 + 8) / 1.5)
    by_round = Score(algorithm="score", standing_aggregation="ewma")
    decay = 0.5 ** (1 / 5)
    assert displayed(by_round, _rounds(by_round, [4.0, 8.0])["p0"]) == pytest.approx((4 * decay + 8) / (decay + 1))
    assert displayed(Score(algorithm="score", initial_standing=7.0), Standing("score", 0.0)) == 7.0
    smooth = Elo(algorithm="elo", round_scoring_rule="ewma")
    assert _rounds(smooth, [4.0, 8.0])["p0"].latest == 6.0


def _rounds(ranking: Any, scores: Sequence[float], *, against: float = 0.0, hours: float = 1.0) -> dict[str, Standing]:
    planned = plan("round_robin", 2)[0]
    standings: dict[str, Standing] = {}
    for number, score in enumerate(scores):
        episodes = [played(planned, {0: score, 1: against})]
        rated = rate(ranking, episodes, 2, standings, number=number, hours=1000 + hours * number)
        standings |= {f"p{place}": one.after for place, one in rated.items()}
    return standings


@pytest.mark.parametrize("ranking", [Elo(algorithm="elo"), OpenSkill(algorithm="openskill"), Score(algorithm="score")])
def test_extreme_scores_and_ratings_stay_finite(ranking: Any) -> None:
    planned = plan("round_robin", 2)[0]
    far = {"p0": Standing(ranking.algorithm, 1e6, 0.1), "p1": Standing(ranking.algorithm, -1e6, 0.1)}
    for scores in ({0: 1.7e308, 1: -1.7e308}, {0: -1.7e308, 1: 1.7e308}):
        rated = rate(ranking, [played(planned, scores)] * 3, 2, far)
        far = {f"p{place}": one.after for place, one in rated.items()}
        assert all(
            math.isfinite(value) for one in far.values() for value in one.stored().values() if isinstance(value, float)
        )


def test_another_algorithm_starts_anew() -> None:
    planned = plan("round_robin", 2)[0]
    rated = rate(OpenSkill(algorithm="openskill"), [played(planned, {0: 1.0})], 2, {"p0": Standing("elo", 1900.0)})
    assert rated[0].before.rating == 25.0


@some_examples
@given(st.integers(0, 1000), st.sampled_from(["elo", "openskill", "score"]), st.integers(2, 6))
def test_the_same_log_gives_the_same_bits_and_survives_storage(seed: int, algorithm: str, number: int) -> None:
    ranking = Ladder.model_validate({"ranking": {"algorithm": algorithm}}).ranking
    chance = random.Random(seed)
    log = [
        [
            played(episode, {place: chance.choice([-0.0, 1.5, chance.random()]) for place in range(number)})
            for episode in plan("random_fill", number, seats=3, num_episodes=4)
        ]
        for _ in range(3)
    ]
    tables = []
    for _ in range(2):
        standings: dict[str, Standing] = {}
        for round_number, episodes in enumerate(log):
            rated = rate(ranking, episodes, number, standings, number=round_number)
            standings |= {f"p{place}": Standing(**one.after.stored()) for place, one in rated.items()}
        tables.append({player: repr(standing.stored()) for player, standing in standings.items()})
    assert tables[0] == tables[1] and "-0.0" not in repr(tables)


def test_players_move_up_down_and_out() -> None:
    ranking = Elo(algorithm="elo")
    levels = [Level("bronze", 1), Level("silver", 2), Level("gold", 5)]
    rules = LadderDivision(division_id="silver", minimum_rating=1400, maximum_rating=1600)
    standings = [
        ("up", Standing("elo", 1601.0)),
        ("down", Standing("elo", 1399.0)),
        ("stays", Standing("elo", 1600.0)),
        ("out", Standing("elo", 1700.0, failed_rounds=3)),
        ("warned", Standing("elo", 1500.0, failed_rounds=2)),
    ]
    found = {move.player_id: (move.kind, move.to) for move in moves(ranking, rules, "silver", levels, standings)}
    assert found == {"up": ("promoted", "gold"), "down": ("relegated", "bronze"), "out": ("disqualified", None)}
    assert not [move for move in moves(ranking, rules, "gold", levels, standings[:1]) if move.kind == "promoted"]
    by_standing = LadderDivision(division_id="silver", minimum_standing=2.0, maximum_rating=0.0)
    score = Score(algorithm="score")
    poor = [("poor", Standing("score", 0.0, rounds=1, mean=1.0))]
    assert [move.to for move in moves(score, by_standing, "silver", levels, poor)] == ["bronze"]
