"""Decide what happens next in a division. Pure functions of the facts and the time."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from observatory.ladder.moves import Level as LadderLevel
from observatory.ladder.moves import Move, moves
from observatory.ladder.plans import CannotSeat, Entrant, PlannedEpisode, PlannedSeat, episode_seed
from observatory.ladder.rating import (
    RatedEntrant,
    RatedRound,
    Standing,
    displayed,
    rate_round,
    strength,
)
from observatory.ladder.scoring import CountedEpisode, EpisodeResult, count_episode
from observatory.ladder.seating import Table, grade_alone, seat_round
from observatory.leagues.ladder_settings import CloneFill, Score
from observatory.rounds.facts import (
    ActiveRound,
    Attempt,
    AttemptState,
    DivisionFacts,
    FrozenRound,
    Member,
    RecordedWindow,
    RoundKind,
)

__all__ = ["Abort", "Decision", "Open", "Retry", "Settle", "Wait", "decide", "rate"]

MAX_BACKOFF = timedelta(hours=1)
FIRST_BACKOFF = timedelta(seconds=30)
"""after a round that failed; twice as long after each further one"""


@dataclass(frozen=True)
class Wait:
    """Nothing to do until then, or until something changes."""

    why: str
    until: datetime | None = None


@dataclass(frozen=True)
class Open:
    """Begin a round."""

    number: int
    plan: FrozenRound


@dataclass(frozen=True)
class Retry:
    """Play these episodes of the plan once more."""

    round_id: uuid.UUID
    plan: FrozenRound
    slots: tuple[int, ...]


@dataclass(frozen=True)
class Abort:
    """End a round without results."""

    round_id: uuid.UUID
    why: str


@dataclass(frozen=True)
class Settle:
    """Complete a round: every episode has ended."""

    round_id: uuid.UUID
    plan: FrozenRound
    counted: tuple[CountedEpisode | None, ...]
    """what each planned episode counts; None for one that failed"""
    rated: Mapping[int, RatedRound]
    """by entrant; empty for a qualification"""
    moves: tuple[Move, ...]
    passed: tuple[int, ...] = ()
    """entrants that have qualified"""
    rejected: Mapping[int, str] | None = None
    """entrants that have not, and why"""


Decision = Wait | Open | Retry | Abort | Settle


def decide(facts: DivisionFacts, now: datetime) -> Decision:
    """Return the next step of a division."""
    if facts.active is not None:
        return _continue(facts, facts.active)
    ladder = facts.settings.ladder
    if not ladder.enabled:
        return Wait("The ladder is off")
    if facts.is_paused:
        return Wait("Rounds are paused")
    if facts.coworld_id is None or not facts.variants:
        return Wait("The game has no version that can be played yet")
    wait = _backoff(facts, now)
    if wait is not None:
        return wait
    if facts.is_staging:
        return _qualify(facts)
    if ladder.persistent is not None and ladder.persistent.enabled:
        return _count_window(facts, now)
    if ladder.continuous is not None and ladder.continuous.enabled:
        return _grade(facts, now)
    return _ladder_round(facts, now)


# Opening a round


def _backoff(facts: DivisionFacts, now: datetime) -> Wait | None:
    if not facts.failures or facts.last is None or _is_triggered(facts):
        return None
    pause = min(FIRST_BACKOFF * 2 ** min(facts.failures - 1, 20), MAX_BACKOFF)
    until = (facts.last.completed_at or facts.last.created_at) + pause
    return Wait(f"The last {facts.failures} rounds failed", until) if now < until else None


def _is_triggered(facts: DivisionFacts) -> bool:
    return facts.triggered_at is not None and (facts.last is None or facts.last.created_at < facts.triggered_at)


def _interval(facts: DivisionFacts, now: datetime) -> Wait | None:
    if facts.last is None or facts.interval_minutes is None or _is_triggered(facts):
        return None
    until = facts.last.created_at + timedelta(minutes=facts.interval_minutes)
    return Wait("The next round is not due yet", until) if now < until else None


def _ladder_round(facts: DivisionFacts, now: datetime) -> Decision:
    if wait := _too_few(facts):
        return wait
    if not _is_triggered(facts) and facts.last is not None:
        if facts.settings.ladder.round_trigger == "new_policy":
            is_old = {member.policy_version_id for member in facts.members} <= facts.last.versions
            if is_old and not facts.failures:
                return Wait("No champion is new since the last round")
        elif wait := _interval(facts, now):
            return wait
    scheduler = facts.settings.ladder.scheduler
    number, seed = _number(facts)
    table = Table(facts.variants, len(facts.pool), facts.neutral_seats)
    try:
        episodes = seat_round(scheduler, _entrants(facts, number), table, seed=seed, number=number)
    except CannotSeat as problem:
        return Wait(str(problem))
    plan = _frozen(facts, RoundKind.LADDER, seed, facts.members, facts.pool, episodes)
    if facts.settings.ladder.leader_slot_config is None:
        return Open(number, plan)
    players = [member.player_id for member in facts.members]
    return Open(number, replace(plan, leader=players.index(facts.leader) if facts.leader in players else None))


def _too_few(facts: DivisionFacts) -> Wait | None:
    """Return why too few champions are in the division: a rating compares players, so one alone has nothing to win."""
    least = facts.minimum_champions or (1 if isinstance(facts.settings.ladder.ranking, Score) else 2)
    if len(facts.members) >= least:
        return None
    champions = f"{len(facts.members)} champion{'' if len(facts.members) == 1 else 's'}"
    return Wait(f"The division has {champions} and needs {least}")


def _count_window(facts: DivisionFacts, now: datetime) -> Decision:
    """Make a round of the oldest recorded window; nothing is played."""
    if wait := _too_few(facts) or _interval(facts, now):
        return wait
    if facts.window is None:
        return Wait("No window of these champions has been recorded since the last round")
    number, seed = _number(facts)
    seats = tuple(PlannedSeat(entrant=position, is_filler=False) for position in range(len(facts.members)))
    episode = PlannedEpisode(seats, None, episode_seed(seed, 0))
    plan = _frozen(facts, RoundKind.RECORDED, seed, facts.members, (), [episode])
    return Open(number, replace(plan, recorded=facts.window))


def _grade(facts: DivisionFacts, now: datetime) -> Decision:
    """Grade champions that are new, that were asked for, or whose grade is old."""
    settings = facts.settings.ladder.continuous
    assert settings is not None
    oldest = None
    if settings.regrade_interval_minutes is not None:
        oldest = (now - timedelta(minutes=settings.regrade_interval_minutes)).timestamp() / 3600

    def is_due(member: Member) -> bool:
        standing = facts.standings.get(member.player_id)
        if standing is None or standing.version != str(member.policy_version_id) or not standing.version_rounds:
            return True
        is_old = oldest is not None and standing.hours <= oldest
        return is_old or member.policy_version_id in facts.grades_wanted or _is_triggered(facts)

    due = [member for member in facts.members if is_due(member)]
    if not due:
        return Wait("Every champion is graded")
    due = due[: settings.max_policies_per_round or len(due)]
    number, seed = _number(facts)
    fixed = facts.fixed
    if len(fixed) < len(settings.fixed_policy_version_ids):
        return Wait("fixed_policy_version_ids may name policies of the league's owner and members of the league only")
    table = Table(facts.variants, len(fixed))
    try:
        entrants = [Entrant(member.player_id) for member in due]
        # Every champion plays the same seeds, whenever it is graded.
        seed_of_grades = f"{facts.division_id}/grading"
        episodes = grade_alone(settings, entrants, table, seed=seed_of_grades, fixed=range(len(fixed)))
    except CannotSeat as problem:
        return Wait(str(problem))
    return Open(number, _frozen(facts, RoundKind.GRADING, seed, due, fixed, episodes))


def _qualify(facts: DivisionFacts) -> Decision:
    if not facts.members:
        return Wait("No member has to qualify")
    if not facts.levels:
        return Wait("The league has no competition to qualify for")
    number, seed = _number(facts)
    scheduler = CloneFill(strategy="clone_fill")
    entrants = [Entrant(member.player_id) for member in facts.members]
    episodes = seat_round(scheduler, entrants, Table(facts.variants), seed=seed, number=number)
    return Open(number, _frozen(facts, RoundKind.QUALIFICATION, seed, facts.members, (), episodes))


def _number(facts: DivisionFacts) -> tuple[int, str]:
    """Return the number of the next round and its seed: opened again it would be the same round."""
    number = 1 if facts.last is None else facts.last.number + 1
    return number, f"{facts.division_id}/{number}"


def _entrants(facts: DivisionFacts, number: int) -> list[Entrant]:
    ranking = facts.settings.ladder.ranking
    found = []
    for member in facts.members:
        standing = facts.standings.get(member.player_id)
        if standing is None or standing.algorithm != ranking.algorithm:
            standing = Standing.initial(ranking)
        was_here = standing.division == str(facts.division_id)
        found.append(
            Entrant(
                member.player_id,
                standing=displayed(ranking, standing),
                strength=strength(ranking, standing),
                waited=number - standing.last_round if was_here else number,
            )
        )
    return found


def _frozen(
    facts: DivisionFacts,
    kind: RoundKind,
    seed: str,
    members: Sequence[Member],
    pool: Sequence[uuid.UUID],
    episodes: Sequence[PlannedEpisode],
) -> FrozenRound:
    assert facts.coworld_id is not None
    ladder = facts.settings.ladder
    return FrozenRound(kind, seed, facts.coworld_id, ladder, tuple(members), tuple(pool), tuple(episodes))


# Continuing a round


def _continue(facts: DivisionFacts, active: ActiveRound) -> Decision:
    plan, rules = active.plan, active.plan.ladder.fulfillment
    if plan.recorded is not None:
        return _settle(facts, active, (_recorded(plan, plan.recorded),))
    tries: dict[int, list[Attempt]] = {slot: [] for slot in range(len(plan.episodes))}
    for attempt in active.attempts:
        tries[attempt.slot].append(attempt)
    again, failed = [], []
    for slot, attempts in tries.items():
        latest = attempts[-1]
        if latest.state is AttemptState.BROKEN and len(attempts) < min(1 + rules.retry_times, latest.tries or 1000):
            again.append(slot)
        elif latest.state in (AttemptState.BROKEN, AttemptState.FAILED):
            failed.append(latest)
    if len(failed) > rules.allowed_failures * len(plan.episodes):
        first = failed[0].error or "the reason is unknown"
        return Abort(active.id, f"{len(failed)} of {len(plan.episodes)} episodes failed: {first}")
    if again:
        return Retry(active.id, plan, tuple(again))
    if any(attempts[-1].state is AttemptState.OPEN for attempts in tries.values()):
        return Wait("A round is being played")
    counted = tuple(_counted(plan, slot, attempts[-1]) for slot, attempts in tries.items())
    if plan.kind is RoundKind.QUALIFICATION:
        return _judge(active, counted)
    return _settle(facts, active, counted)


def _recorded(plan: FrozenRound, window: RecordedWindow) -> CountedEpisode:
    """Return a window as the log counts it."""
    scores = {player: score for player, _, score in window.scores}
    return CountedEpisode(
        tuple((position, scores[member.player_id]) for position, member in enumerate(plan.entrants)), None
    )


def _settle(facts: DivisionFacts, active: ActiveRound, counted: tuple[CountedEpisode | None, ...]) -> Settle:
    plan = active.plan
    rated = rate(plan, counted, facts.standings, facts.division_id, active.number, active.created_at)
    found: Sequence[Move] = ()
    if not facts.is_staging:
        levels = [LadderLevel(str(level.division_id), level.level) for level in facts.levels]
        after = [(plan.entrants[position].player_id, one.after) for position, one in rated.items()]
        if any(level.division == str(facts.division_id) for level in levels):
            found = moves(plan.ladder.ranking, facts.rules(), str(facts.division_id), levels, after)
    return Settle(active.id, plan, counted, rated, tuple(found))


def _counted(plan: FrozenRound, slot: int, attempt: Attempt) -> CountedEpisode | None:
    scores = attempt.scores if attempt.state is AttemptState.PLAYED else None
    blamed = attempt.blamed_seat if attempt.state is AttemptState.AT_FAULT else None
    scheduler = plan.ladder.scheduler
    clones = scheduler.clone_score_aggregation if isinstance(scheduler, CloneFill) else "mean"
    return count_episode(plan.episodes[slot], EpisodeResult(scores, blamed), clones=clones)


def rate(
    plan: FrozenRound,
    counted: Sequence[CountedEpisode | None],
    standings: Mapping[str, Standing],
    division_id: uuid.UUID,
    number: int,
    created_at: datetime,
) -> dict[int, RatedRound]:
    """Rate a round from its plan and its log; the table of a league is the fold of this function."""
    episodes = [(episode, one) for episode, one in zip(plan.episodes, counted, strict=True) if one is not None]
    entrants = [RatedEntrant(member.player_id, str(member.policy_version_id)) for member in plan.entrants]
    return rate_round(
        plan.ladder.ranking,
        entrants,
        standings,
        episodes,
        division=str(division_id),
        number=number,
        hours=created_at.timestamp() / 3600,
    )


def _judge(active: ActiveRound, counted: Sequence[CountedEpisode | None]) -> Settle:
    """Pass the members that have played through and reached the gate."""
    plan = active.plan
    qualification = plan.ladder.qualification
    gate = {} if qualification is None else qualification.gate
    lowest = gate.get("minimum_score")
    passed, rejected = [], {}
    for episode, one in zip(plan.episodes, counted, strict=True):
        position = episode.credited()[0]
        if one is None:
            continue  # no one is at fault: it plays again
        if one.forfeit is not None:
            rejected[position] = "It failed in its qualification"
        elif isinstance(lowest, int | float) and one.scores[0][1] < lowest:
            rejected[position] = f"It scored {one.scores[0][1]:g}, and {lowest:g} is needed"
        else:
            passed.append(position)
    return Settle(active.id, plan, tuple(counted), {}, (), tuple(passed), rejected)
