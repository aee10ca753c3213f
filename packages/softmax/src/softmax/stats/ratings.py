"""Ratings from pairwise results: the Bradley-Terry model on the scale of Elo.

    duels = [Duel(0, 1, 1.0, group=0), Duel(0, 1, 0.5, group=1), Duel(1, 2, 1.0, group=1)]
    for rating in rate(3, duels):
        print(rating.rating, rating.low, rating.high)

A difference of 400 points means odds of ten to one. The mean of all players is 1500. A draw counts as half a win and
half a loss. Each player also has one drawn duel against an imaginary player of strength 1500, so that ratings stay
finite when a player wins every duel. The result does not depend on the order of the duels or of the players.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from softmax.stats.intervals import LEVEL
from softmax.stats.student import t_quantile

__all__ = ["MEAN_RATING", "Duel", "Rating", "expected_result", "rate"]

MEAN_RATING = 1500.0
POINTS = 400 / math.log(10)
"""points per unit of the model's strength, which is the logarithm of the odds"""

PRIOR_DUELS = 1.0
MAX_STEPS = 100
TOLERANCE = 1e-12

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class Duel:
    """A result between two players: 1 if `first` won, 0 if `second` won, 0.5 for a draw.

    Duels of one `group` share their luck, for example because all were played on the same map.
    """

    first: int
    second: int
    result: float
    group: int = 0


class Rating(BaseModel):
    """A player's rating with its confidence interval; without bounds for fewer than two groups of duels."""

    rating: float
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    duels: int
    level: float = LEVEL


def expected_result(first: float, second: float) -> float:
    """Return the expected result of a player rated `first` against one rated `second`."""
    return _logistic((first - second) / POINTS)


def rate(players: int, duels: Sequence[Duel], *, level: float = LEVEL) -> list[Rating]:
    """Return the rating of each player.

    The standard error is the larger of two: that of the model, which treats duels as independent, and the one from the
    spread between groups, which does not. Intervals use Student's t with one degree of freedom less than there are
    groups. Raises `ValueError` for a result outside 0 to 1, an unknown player or a player against itself.
    """
    _check(players, duels)
    wins = _wins(players, duels)
    strengths, information = _fit(players, wins)
    mean = math.fsum(strengths) / players if players else 0.0
    errors = _errors(players, duels, strengths, information)
    groups = len({duel.group for duel in duels})
    counts = [sum(player in (duel.first, duel.second) for duel in duels) for player in range(players)]
    ratings = []
    for player in range(players):
        rating = Rating(rating=MEAN_RATING + POINTS * (strengths[player] - mean), duels=counts[player], level=level)
        if groups > 1 and counts[player]:
            error = POINTS * errors[player]
            half = t_quantile(groups - 1, 0.5 + level / 2) * error
            bounds = {"low": rating.rating - half, "high": rating.rating + half, "standard_error": error}
            rating = rating.model_copy(update=bounds)
        ratings.append(rating)
    return ratings


def _check(players: int, duels: Sequence[Duel]) -> None:
    for duel in duels:
        if not 0 <= duel.result <= 1:
            raise ValueError(f"The result of a duel is {duel.result}; expected 0 to 1")
        if duel.first == duel.second or not {duel.first, duel.second} <= set(range(players)):
            raise ValueError(f"A duel is between {duel.first} and {duel.second}; expected two of {players} players")


def _wins(players: int, duels: Sequence[Duel]) -> Matrix:
    """Return how often each player has beaten each other one."""
    parts: list[list[list[float]]] = [[[] for _ in range(players)] for _ in range(players)]
    for duel in duels:
        parts[duel.first][duel.second].append(duel.result)
        parts[duel.second][duel.first].append(1 - duel.result)
    return [[math.fsum(cell) for cell in row] for row in parts]  # fsum: exact in any order


def _fit(players: int, wins: Matrix) -> tuple[list[float], Matrix]:
    """Return the strengths of greatest posterior probability, and the information matrix there (Newton's method)."""
    strengths = [0.0] * players
    information: Matrix = []
    for _ in range(MAX_STEPS):
        gradient, information = _derivatives(strengths, wins)
        step = _solve(_cholesky(information), gradient)
        longest = max((abs(value) for value in step), default=0.0)
        scale = min(1.0, 1.0 / longest) if longest else 1.0  # long steps may overshoot
        strengths = [value + scale * change for value, change in zip(strengths, step, strict=True)]
        if longest < TOLERANCE:
            break
    return strengths, _derivatives(strengths, wins)[1]


def _derivatives(strengths: list[float], wins: Matrix) -> tuple[list[float], Matrix]:
    """Return the gradient of the log posterior, and minus its second derivatives."""
    players = len(strengths)
    gradient = []
    information = [[0.0] * players for _ in range(players)]
    for i in range(players):
        expected = _logistic(strengths[i])
        terms = [PRIOR_DUELS * (0.5 - expected)]
        diagonal = [PRIOR_DUELS * expected * (1 - expected)]
        for j in range(players):
            played = wins[i][j] + wins[j][i]
            if i == j or not played:
                continue
            expected = _logistic(strengths[i] - strengths[j])
            terms.append(wins[i][j] - played * expected)
            weight = played * expected * (1 - expected)
            diagonal.append(weight)
            information[i][j] = -weight
        gradient.append(math.fsum(terms))
        information[i][i] = math.fsum(diagonal)
    return gradient, information


def _errors(players: int, duels: Sequence[Duel], strengths: list[float], information: Matrix) -> list[float]:
    """Return the standard error of each strength minus the mean strength."""
    residuals: dict[int, list[list[float]]] = {}
    for duel in duels:
        surprise = duel.result - _logistic(strengths[duel.first] - strengths[duel.second])
        parts = residuals.setdefault(duel.group, [[] for _ in range(players)])
        parts[duel.first].append(surprise)
        parts[duel.second].append(-surprise)
    groups = [[math.fsum(part) for part in residuals[group]] for group in sorted(residuals)]
    correction = len(groups) / (len(groups) - 1) if len(groups) > 1 else 1.0
    factor = _cholesky(information)
    errors = []
    for player in range(players):
        contrast = [(i == player) - 1 / players for i in range(players)]
        weights = _solve(factor, contrast)
        of_model = _dot(contrast, weights)
        of_groups = correction * math.fsum(_dot(group, weights) ** 2 for group in groups)
        errors.append(math.sqrt(max(of_model, of_groups)))
    return errors


def _cholesky(matrix: Matrix) -> Matrix:
    """Return the lower triangular factor of a symmetric positive definite matrix."""
    size = len(matrix)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i][j] - _dot(lower[i][:j], lower[j][:j])
            lower[i][j] = math.sqrt(rest) if i == j else rest / lower[j][j]
    return lower


def _solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """Solve `lower * lower^T * x = right`."""
    size = len(lower)
    forward: list[float] = []
    for i in range(size):
        forward.append((right[i] - _dot(lower[i][:i], forward)) / lower[i][i])
    solution = [0.0] * size
    for i in reversed(range(size)):
        above = [lower[j][i] for j in range(i + 1, size)]
        solution[i] = (forward[i] - _dot(above, solution[i + 1 :])) / lower[i][i]
    return solution


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))
