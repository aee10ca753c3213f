"""Recompute seasons: read, compare, and correct scores."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioner.facts import EndedMatch, Member, TeamFact
from observatory.commissioner.reading import config_of
from observatory.database.tables.matches import MatchPlayer
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season, Team, TeamMember, TournamentType
from observatory.events import Change, ChangeKind
from observatory.recompute.refolding import Played, Refolded, refold, settle
from observatory.recompute.results import StoredMatch, stored_matches, true_scores
from observatory.recompute.schemas import Finding, FindingKind
from observatory.scoring.folds import LoggedMatch, PoolFold
from observatory.scoring.standings import Seat
from observatory.seasons.withdrawals import withdrawn_versions
from observatory.standings.segments import remove_segments
from observatory.standings.table_cache import pool_table
from observatory.store import Store

__all__ = ["Recomputed", "recompute_season", "repair_scores"]


@dataclass
class Recomputed:
    """The result of recomputing one season version."""

    season: str
    matches: int = 0
    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    scores: dict[tuple[uuid.UUID, int], float | None] = field(default_factory=dict)
    """the correct values of wrong scores, by match and position of the policy"""
    pools: set[uuid.UUID] = field(default_factory=set)
    """those with wrong scores or tables"""

    def add_finding(self, kind: FindingKind, sentence: str, match_id: uuid.UUID | None = None) -> None:
        self.findings.append(Finding(kind=kind, season=self.season, match_id=match_id, sentence=sentence))


def recompute_season(session: Session, season: Season, store: Store) -> Recomputed:
    """Fold the results of a season version again and compare: files, scores, tables, members, teams, the end."""
    result = Recomputed(f"{season.name}:v{season.version}")
    names = {pool.id: pool.name for pool in season.pools}
    ended: dict[str, list[EndedMatch]] = {pool.name: [] for pool in season.pools}
    folds = {pool.id: PoolFold() for pool in season.pools}
    for match in stored_matches(session, list(names)):
        scores = _scores(session, store, match, result)
        folds[match.pool_id].add(_logged(match, scores))
        is_unplayed = not match.completed and season.completed_at is not None and match.at >= season.completed_at
        if not is_unplayed:  # the season had ended before: its decisions do not depend on this match
            ended[names[match.pool_id]].append(_ended(match, scores))
    for pool in season.pools:
        _compare_table(session, pool, folds[pool.id], result)
    _compare_decisions(session, season, ended, result)
    return result


def repair_scores(session: Session, result: Recomputed) -> int:
    """Write the scores that follow from the results, and have wrong tables built again; return how many were wrong."""
    for (match_id, index), score in result.scores.items():
        player = session.get_one(MatchPlayer, (match_id, index))
        player.score = score
    session.flush()
    remove_segments(session, result.pools)
    for kind in (ChangeKind.MATCH, ChangeKind.TABLE):
        events.note(session, Change(kind))
    return len(result.scores)


def _scores(session: Session, store: Store, match: StoredMatch, result: Recomputed) -> tuple[float, ...] | None:
    true = true_scores(session, store, match)
    result.matches += 1
    result.files += true.files
    for kind, sentence in true.problems:
        result.add_finding(kind, sentence, match.id)
    if match.completed and true.scores is None:
        return None if None in match.scores else tuple(score or 0.0 for score in match.scores)
    expected: Sequence[float | None] = true.scores or [None] * len(match.scores)
    for index, (stored, score) in enumerate(zip(match.scores, expected, strict=True)):
        if stored != score:
            result.scores[match.id, index] = score
            result.pools.add(match.pool_id)
            sentence = f"Policy {index} of match {match.id} has the score {stored}, and its results say {score}"
            result.add_finding(FindingKind.SCORE, sentence, match.id)
    return true.scores


def _logged(match: StoredMatch, scores: tuple[float, ...] | None) -> LoggedMatch:
    seats = tuple(
        Seat(policy, agents, None if scores is None else scores[index])
        for index, (policy, agents) in enumerate(zip(match.policies, match.agents, strict=True))
    )
    return LoggedMatch(match.order, match.at, match.sample, seats, not match.completed, match.culprit)


def _ended(match: StoredMatch, scores: tuple[float, ...] | None) -> EndedMatch:
    has_culprit = match.culprit is not None and match.culprit < len(match.policies)
    culprit = match.policies[match.culprit] if has_culprit and match.culprit is not None else None
    return EndedMatch(match.combination, match.sample, match.policies, scores if match.completed else None, culprit)


def _compare_table(session: Session, pool: Pool, fold: PoolFold, result: Recomputed) -> None:
    """Compare the shown table with one that is recomputed from the results."""
    stored = {row.policy_version_id: row for row in pool_table(session, pool.id).standings()}
    true = {row.policy_version_id: row for row in fold.standings()}
    for policy in sorted(stored.keys() | true.keys()):
        if stored.get(policy) != true.get(policy):
            result.pools.add(pool.id)
            rows = [
                "nothing" if row is None else f"place {row.rank} with {row.score!r} in {row.matches} matches"
                for row in (stored.get(policy), true.get(policy))
            ]
            result.add_finding(
                FindingKind.TABLE, f"The table of {pool.name} has {rows[0]} for {policy}; expected {rows[1]}"
            )


def _compare_decisions(
    session: Session, season: Season, ended: dict[str, list[EndedMatch]], result: Recomputed
) -> None:
    teams, members = _teams(session, season), _members(session, season)
    withdrawn = withdrawn_versions(session, season.id)
    entrants = list(members[season.pools[0].name].values())
    if season.tournament_type is TournamentType.team:  # they left before the first stage
        entrants = [member for member in entrants if member.policy not in withdrawn]
    played = Played(
        name=season.name,
        config=config_of(season),
        seed=season.seed,
        started=season.started_at is not None,
        pools=[pool.name for pool in season.pools],
        entrants=entrants,
        matches=ended,
        team_ids={place: team.id for place, (team, _) in teams.items()},
        withdrawn=frozenset(withdrawn),
    )
    refolded = refold(played)
    stored = Refolded(members, {pool.name: {} for pool in season.pools})
    for (pool_name, position), (team, seats) in teams.items():
        stored.teams[pool_name][position] = TeamFact(team.id, position, seats, team.score, team.eliminated)
    if not _agree(stored, refolded):
        stored = settle(played, stored)
    for pool in season.pools:
        _compare_members(pool.name, stored, refolded, result)
        _compare_teams(pool.name, stored, refolded, result)
    if refolded.complete and season.completed_at is None and not stored.complete:
        result.add_finding(FindingKind.SEASON, "Every stage was played, and the season is not complete")


def _agree(stored: Refolded, true: Refolded) -> bool:
    return stored.teams == true.teams and all(stored.active(pool) == true.active(pool) for pool in stored.members)


def _compare_teams(pool: str, stored: Refolded, true: Refolded, result: Recomputed) -> None:
    for position in sorted(stored.teams[pool].keys() | true.teams[pool].keys()):
        team, fact = stored.teams[pool].get(position), true.teams[pool].get(position)
        if team is None:
            result.add_finding(FindingKind.TEAM, f"{pool} has no team {position}, and one follows from the results")
        elif fact is None:
            result.add_finding(FindingKind.TEAM, f"Team {position} of {pool} does not follow from the results")
        elif _outcome(team) != _outcome(fact):
            actual, expected = _team_words(team), _team_words(fact)
            result.add_finding(FindingKind.TEAM, f"Team {position} of {pool} is {actual}; expected {expected}")


def _outcome(team: TeamFact) -> tuple[object, ...]:
    return team.members, team.score, team.eliminated


def _team_words(team: TeamFact) -> str:
    state = "out" if team.eliminated else "in"
    return f"{state} with {team.score!r}: {', '.join(str(member)[-6:] for member in team.members)}"


def _compare_members(pool: str, stored: Refolded, refolded: Refolded, result: Recomputed) -> None:
    members, true = stored.active(pool), refolded.active(pool)
    for policy in sorted(members - true):
        result.add_finding(FindingKind.MEMBER, f"{policy} is in {pool}, and the results say that it is not")
    for policy in sorted(true - members):
        result.add_finding(FindingKind.MEMBER, f"{policy} is not in {pool}, and the results say that it is")


def _members(session: Session, season: Season) -> dict[str, dict[uuid.UUID, Member]]:
    """Return all policies that are or were in a pool, by pool, in the order in which they joined."""
    by_pool: dict[str, dict[uuid.UUID, Member]] = {pool.name: {} for pool in season.pools}
    statement = (
        select(Pool.name, PoolPlayer.policy_version_id, Policy.user_id, PoolPlayer.retired)
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .join(PolicyVersion, PoolPlayer.policy_version_id == PolicyVersion.id)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .where(Pool.season_id == season.id)
        .order_by(PoolPlayer.created_at, PoolPlayer.id)
    )
    for pool, policy, author, retired in session.execute(statement):
        by_pool[pool][policy] = Member(policy, author, retired)
    return by_pool


def _teams(session: Session, season: Season) -> dict[tuple[str, int], tuple[Team, tuple[uuid.UUID, ...]]]:
    """Return teams with their members, by pool and position."""
    names = {pool.id: pool.name for pool in season.pools}
    by_position: dict[tuple[str, int], tuple[Team, tuple[uuid.UUID, ...]]] = {}
    seats: dict[uuid.UUID, list[uuid.UUID]] = {}
    members = select(TeamMember).join(Team, TeamMember.team_id == Team.id).where(Team.pool_id.in_(names))
    for seat in session.scalars(members.order_by(TeamMember.team_id, TeamMember.position)):
        seats.setdefault(seat.team_id, []).append(seat.policy_version_id)
    for team in session.scalars(select(Team).where(Team.pool_id.in_(names))):
        by_position[names[team.pool_id], team.position] = team, tuple(seats.get(team.id, ()))
    return by_position
