"""Skill from the results of rounds: the Plackett-Luce model of Weng and Lin (2011), one player on each side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["MU", "Skill", "after_round", "replay"]

MU, SIGMA = 25.0, 25.0 / 3
BETA_SQUARED = (SIGMA / 2) ** 2
MIN_SHRINKING = 1e-4
"""a round never reduces a variance below this share"""


@dataclass(frozen=True)
class Skill:
    """Estimate of a player's strength after some rounds."""

    mu: float = MU
    sigma: float = SIGMA
    games: int = 0

    @property
    def shown(self) -> float:
        """The number that tables show: a strength that the player very likely has."""
        return self.mu - 3 * self.sigma


def after_round(skills: Mapping[str, Skill], ranks: Mapping[str, int]) -> dict[str, Skill]:
    """Return the skills after a round; the lowest rank is the best, and equal ranks are a draw."""
    players = list(ranks)
    if len(players) < 2:
        return dict(skills)
    before = {player: skills.get(player, Skill()) for player in players}
    scale = math.sqrt(math.fsum(skill.sigma**2 + BETA_SQUARED for skill in before.values()))
    strength = {player: math.exp(before[player].mu / scale) for player in players}
    rest, ties = dict[str, float](), dict[str, int]()
    for player in players:
        rest[player] = math.fsum(strength[other] for other in players if ranks[other] >= ranks[player])
        ties[player] = sum(ranks[other] == ranks[player] for other in players)
    changed = dict(skills)
    for player in players:
        omega = delta = 0.0
        for other in players:
            if ranks[other] > ranks[player]:
                continue
            share = strength[player] / rest[other]
            omega += ((other == player) - share) / ties[other]
            delta += share * (1 - share) / ties[other]
        skill = before[player]
        variance = skill.sigma**2
        gamma = skill.sigma / scale
        shrinking = max(1 - gamma * variance / scale**2 * delta, MIN_SHRINKING)
        mu = skill.mu + variance / scale * omega
        changed[player] = Skill(mu, skill.sigma * math.sqrt(shrinking), skill.games + 1)
    return changed


def replay(rounds: Iterable[Mapping[str, int]]) -> dict[str, Skill]:
    """Return the skills after rounds, oldest first; a round is the rank of each player."""
    skills: dict[str, Skill] = {}
    for ranks in rounds:
        skills = after_round(skills, ranks)
    return skills
