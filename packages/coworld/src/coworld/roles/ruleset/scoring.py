"""Turn episodes into round scores, and rounds into tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Literal
from uuid import UUID

from coworld.commissioner.protocol import EpisodeResult
from coworld.roles.ruleset.skill import Skill, replay

__all__ = ["PlayedRound", "ewma_scores", "mmr_order", "mmr_skills", "round_scores"]

SETTLED_GAMES = 5
"""a player with fewer rounds is listed after the others"""


def round_scores(
    kind: Literal["mean", "rank", "win"], results: Iterable[EpisodeResult], entrants: Sequence[UUID]
) -> dict[UUID, list[float]]:
    """Return the ranked scores of each entrant's episodes; an entrant's round score is their mean, or 0 without any.

    `mean` skips a score of exactly 0 in an episode in which another policy scored below 0: then 0 means absence.
    """
    found: dict[UUID, list[float]] = {entrant: [] for entrant in entrants}
    for result in results:
        scores = {score.policy_version_id: score.score for score in result.scores}
        for policy, score in scores.items():
            if policy not in found:
                continue
            others = [other for name, other in scores.items() if name != policy]
            better = sum(other > score for other in others)
            match kind:
                case "mean":
                    if score != 0 or not any(other < 0 for other in others):
                        found[policy].append(score)
                case "rank":
                    found[policy].append(float(len(scores) - better))
                case "win":
                    found[policy].append(0.0 if better else 1.0)
    return found


@dataclass(frozen=True)
class PlayedRound:
    """The results of a completed round, by player: (rank, score) of the best policy version of each."""

    completed_at: datetime
    results: Mapping[str, tuple[int, float]]


def ewma_scores(rounds: Sequence[PlayedRound], half_life_hours: float) -> dict[str, float]:
    """Return the mean score of each player, in which older rounds count less."""
    latest = max((played.completed_at for played in rounds), default=None)
    weights: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for played in rounds:
        assert latest is not None
        hours = (latest - played.completed_at).total_seconds() / 3600
        for player, (_, score) in played.results.items():
            weights[player].append((0.5 ** (hours / half_life_hours), score))
    return {player: _weighted(pairs) for player, pairs in weights.items()}


def _weighted(pairs: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in pairs)
    if total <= 0:  # all of them are too old for a number to hold their weight
        return fmean(score for _, score in pairs)
    return sum(weight * score for weight, score in pairs) / total


def mmr_skills(rounds: Sequence[PlayedRound]) -> dict[str, Skill]:
    """Return the skill of each player after rounds, which come oldest first."""
    return replay({player: rank for player, (rank, _) in played.results.items()} for played in rounds)


def mmr_order(skills: Mapping[str, Skill]) -> list[str]:
    """Return players by shown skill; those with few rounds come last."""
    return sorted(skills, key=lambda player: (skills[player].games < SETTLED_GAMES, -skills[player].shown, player))
