"""Freeplay seasons: a policy qualifies alone, then plays against every other policy."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence

from observatory.commissioner.decisions import Decision, Decisions, Join, Leave, NewMatch
from observatory.commissioner.facts import Member, OpenMatch, PoolRecord, SeasonFacts
from observatory.commissioner.order import FairShare, GamesLeft, in_turn
from observatory.job_states import Priority
from observatory.scoring.exact import mean
from observatory.seasons.config import FreeplayConfig
from observatory.seasons.creation import COMPETITION, QUALIFYING

__all__ = ["decide", "games_of_policy", "pair_key", "qualifying_score"]


def decide(facts: SeasonFacts) -> Decisions:
    """Return the next decisions of a freeplay season: the entry pool first, then the competition."""
    config = facts.config
    assert isinstance(config, FreeplayConfig)
    if not facts.started:
        return Decisions(why="The season has not started")
    qualifying, competition = facts.pools[QUALIFYING], facts.pools[COMPETITION]
    moves = [*_promotions(config, qualifying), *_failed_out(config, competition)]
    leavers = {(move.pool, move.policy) for move in moves if isinstance(move, Leave)}
    matches: list[NewMatch] = []
    free = facts.free_slots
    staying = [member for member in qualifying.active if (QUALIFYING, member.policy) not in leavers]
    matches += _limited(_qualifying_matches(config, qualifying, staying), free)
    staying = [member for member in competition.active if (COMPETITION, member.policy) not in leavers]
    matches += _limited(_pairings(facts, config, competition, staying), free - len(matches))
    return Decisions((*moves, *matches), _why(facts, matches))


def qualifying_score(pool: PoolRecord, policy: uuid.UUID) -> tuple[int, float]:
    """Return (completed qualifying matches, their mean score)."""
    combination = pool.tally.combinations.get(str(policy))
    scores = [] if combination is None else [score for (score,) in combination.scores]
    return len(scores), mean(scores) if scores else 0.0


def pair_key(pair: Sequence[uuid.UUID], split: Sequence[int]) -> str:
    """Return the combination of two policies, in the order of their ids, with the agents that each has."""
    first, second = pair
    return f"{first}+{second}/{split[0]}:{split[1]}"


def _limited(matches: Iterator[NewMatch], limit: int) -> list[NewMatch]:
    """Return the first `most` matches, without computing more."""
    return [match for _, match in zip(range(limit), matches, strict=False)]


def _promotions(config: FreeplayConfig, pool: PoolRecord) -> Iterator[Decision]:
    for member in pool.active:
        played, score = qualifying_score(pool, member.policy)
        failures = pool.tally.charged[member.policy]
        if played >= config.qualifying_matches:
            result = f"mean score {score:.4g} of {played} {'match' if played == 1 else 'matches'}"
            if score >= config.qualifying_threshold:
                yield Join(COMPETITION, member.policy, f"Qualified: {result}, {config.qualifying_threshold:g} needed")
                yield Leave(QUALIFYING, member.policy, f"Qualified: {result}")
            else:
                yield Leave(
                    QUALIFYING, member.policy, f"Not qualified: {result}, {config.qualifying_threshold:g} needed"
                )
        elif failures >= config.max_failures:
            yield Leave(
                QUALIFYING,
                member.policy,
                f"Not qualified: it failed in {failures} {'match' if failures == 1 else 'matches'}",
            )


def _qualifying_matches(config: FreeplayConfig, pool: PoolRecord, members: Sequence[Member]) -> Iterator[NewMatch]:
    """One for each policy that has none in flight, until it has enough."""
    games = GamesLeft(pool, config.qualifying_matches)
    for member in in_turn(pool, [member for member in members if not games.is_in_flight(str(member.policy))]):
        key = str(member.policy)
        sample = games.next_sample(key)
        if sample is not None:
            yield NewMatch(
                QUALIFYING,
                key,
                games.match_count(key),
                sample,
                (member.policy,),
                (0,) * config.game.num_agents,
                f"Qualifying match {sample + 1} of {config.qualifying_matches}",
                "self_play",
                priority=Priority.ENTRY,
                picked=0,
            )


def _failed_out(config: FreeplayConfig, pool: PoolRecord) -> Iterator[Leave]:
    for member in pool.active:
        failures, completed = pool.tally.charged[member.policy], pool.tally.completed[member.policy]
        if failures >= config.max_failures and failures > completed:
            why = f"It failed in {failures} matches and completed {completed}"
            yield Leave(COMPETITION, member.policy, why)


def _pairings(
    facts: SeasonFacts, config: FreeplayConfig, pool: PoolRecord, members: Sequence[Member]
) -> Iterator[NewMatch]:
    """Yield matches, each for the policy whose turn it is, against the opponent it has met least."""
    share = FairShare(pool, facts.limits.first_matches)
    games = GamesLeft(pool, config.repetitions)
    active = [member.policy for member in members]
    splits = list(dict.fromkeys(config.splits))
    left = games_left(pool, active, len(splits) * config.repetitions)
    playing = {policy for policy in active if left[policy] > 0}
    while playing:
        policy = share.next(playing)
        new = share.is_new(policy)
        game = _next_game(policy, active, splits, games, share)
        if game is None:
            playing.discard(policy)
            continue
        pair, split_index, sample = game
        split = splits[split_index]
        key = pair_key(pair, split)
        number = games.match_count(key)
        why = "One of its first matches" if new else f"Match {number + 1} of these two with this split"
        match = NewMatch(
            COMPETITION,
            key,
            number,
            sample,
            pair,
            (0,) * split[0] + (1,) * split[1],
            why,
            "pairing",
            split_index=split_index,
            priority=Priority.FIRST if new else Priority.REST,
            picked=pair.index(policy),
        )
        yield match
        scheduled = OpenMatch(key, sample, pair, policy)
        share.count(scheduled)
        games.count(scheduled)


def _next_game(
    policy: uuid.UUID,
    active: Sequence[uuid.UUID],
    splits: Sequence[tuple[int, int]],
    games: GamesLeft,
    share: FairShare,
) -> tuple[tuple[uuid.UUID, uuid.UUID], int, int] | None:
    """Return the pair, split and sample that this policy needs most: coverage before depth."""
    met = {other for policies in games.of(policy).values() for other in policies}
    best: tuple[tuple[int, int, tuple[int, int]], tuple[uuid.UUID, uuid.UUID], int, int] | None = None
    for other in active:
        if other == policy:
            continue
        if other not in met:
            rank = (0, 0, share.as_opponent(other))
            if best is None or rank < best[0]:
                best = rank, _pair(policy, other), 0, 0
            continue
        pair = _pair(policy, other)
        for index, split in enumerate(splits):
            key = pair_key(pair, split)
            rank = (games.match_count(key), index, share.as_opponent(other))
            if best is not None and rank >= best[0]:
                continue
            sample = games.next_sample(key)
            if sample is not None:
                best = rank, pair, index, sample
    return None if best is None else best[1:]


def _pair(policy: uuid.UUID, opponent: uuid.UUID) -> tuple[uuid.UUID, uuid.UUID]:
    return (policy, opponent) if policy.int < opponent.int else (opponent, policy)


def games_left(pool: PoolRecord, active: Sequence[uuid.UUID], games: int) -> Counter[uuid.UUID]:
    """Count for each policy the games with the others that have no match; `games` is the number per pair.

    The caller can then skip the policies that are done.
    """
    present = set(active)
    left = Counter({policy: (len(active) - 1) * games - pool.tally.settled[policy] for policy in active})
    for member in pool.members:
        if member.policy in present:
            continue
        for combination in pool.tally.of_policy.get(member.policy, ()):
            for policy in combination.policies:
                left[policy] += combination.settled(pool.tally.cap)  # with a policy that has left
    for match in pool.open:
        if present.issuperset(match.policies):
            left.subtract(match.policies)
    return left


def games_of_policy(config: FreeplayConfig, policies: int) -> int:
    """Return how many games a policy of the competition plays in total."""
    return (policies - 1) * len(dict.fromkeys(config.splits)) * config.repetitions


def _why(facts: SeasonFacts, matches: Sequence[NewMatch]) -> str:
    """Return why no more matches were scheduled."""
    if facts.outstanding + len(matches) >= facts.limits.outstanding:
        return f"{facts.limits.outstanding} matches are queued or running, which is the maximum"
    if matches:
        return f"{len(matches)} matches were queued"
    qualifying, competition = facts.pools[QUALIFYING], facts.pools[COMPETITION]
    if facts.outstanding:
        return "Every match that can be played is queued or running"
    if not qualifying.active and not competition.active:
        return "No policy is in the season"
    if not qualifying.active and len(competition.active) == 1:
        return "One policy is in the competition; a match needs two"
    return "Every match of the policies in the season was played"
