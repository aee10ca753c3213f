"""Explain the state of a season, and of every policy in it, in sentences."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass, field

from observatory.commissioner import freeplay, team
from observatory.commissioner.decisions import Decisions
from observatory.commissioner.facts import PoolRecord, SeasonFacts
from observatory.commissioner.order import GamesLeft
from observatory.seasons.config import FreeplayConfig, TeamConfig
from observatory.seasons.creation import COMPETITION, QUALIFYING

__all__ = ["Reasons", "decide", "reasons"]


@dataclass(frozen=True)
class Reasons:
    """Why the season schedules no more matches, and what each of its active policies waits for."""

    season: str
    policies: dict[uuid.UUID, str] = field(default_factory=dict)


def decide(facts: SeasonFacts) -> Decisions:
    """Return the next decisions of a season of any type."""
    return team.decide(facts) if isinstance(facts.config, TeamConfig) else freeplay.decide(facts)


def reasons(facts: SeasonFacts) -> Reasons:
    """Return the sentences for a season and its policies."""
    why = decide(facts).why
    config = facts.config
    if isinstance(config, FreeplayConfig):
        return Reasons(why, {**_qualifying(facts, config), **_competing(facts, config)})
    sentences: dict[uuid.UUID, str] = {}
    for pool in facts.pools.values():
        in_flight = _matches_in_flight(pool)
        for member in pool.active:
            sentences[member.policy] = _sentence(
                pool.name, pool.tally.completed[member.policy], in_flight[member.policy]
            )
    return Reasons(why, sentences)


def _qualifying(facts: SeasonFacts, config: FreeplayConfig) -> dict[uuid.UUID, str]:
    pool = facts.pools[QUALIFYING]
    games = GamesLeft(pool, config.qualifying_matches)
    sentences = {}
    for member in pool.active:
        key = str(member.policy)
        played, _ = freeplay.qualifying_score(pool, member.policy)
        where = f"{played} of {config.qualifying_matches} qualifying matches played"
        failures = pool.tally.charged[member.policy]
        if failures:
            where += f", {failures} failed (the limit is {config.max_failures})"
        if games.is_in_flight(key):
            sentences[member.policy] = f"{where}; the next one is queued or running"
        elif games.next_sample(key) is None and played < config.qualifying_matches:
            sentences[member.policy] = f"{where}; held: the next one could not be played {config.max_failures} times"
        else:
            sentences[member.policy] = f"{where}; waits for a free place in the queue"
    return sentences


def _competing(facts: SeasonFacts, config: FreeplayConfig) -> dict[uuid.UUID, str]:
    pool = facts.pools[COMPETITION]
    active = pool.active
    in_flight = _matches_in_flight(pool)
    games = len(dict.fromkeys(config.splits)) * config.repetitions
    left = freeplay.games_left(pool, [member.policy for member in active], games)
    sentences = {}
    for member in active:
        sentence = _sentence(pool.name, pool.tally.completed[member.policy], in_flight[member.policy])
        if len(active) < 2:
            sentence += "; waits for an opponent"
        elif left[member.policy] > 0:
            sentence += f"; {left[member.policy]} more to come"
        elif not in_flight[member.policy]:
            sentence += "; it has played every other policy"
        sentences[member.policy] = sentence
    return sentences


def _matches_in_flight(pool: PoolRecord) -> Counter[uuid.UUID]:
    return Counter(policy for match in pool.open for policy in set(match.policies))


def _sentence(pool: str, completed: int, in_flight: int) -> str:
    return f"{completed} matches played in {pool}, {in_flight} queued or running"
