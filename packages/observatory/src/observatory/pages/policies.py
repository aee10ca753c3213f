"""The page of a policy version: its seasons, the parts of its score, and its results against others."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import PoolPlayer
from observatory.pages import repository
from observatory.pages.names import names_of, policy_ref
from observatory.pages.schemas import (
    FailureLine,
    HeadToHead,
    HistoryLine,
    PartnerLine,
    PolicyPage,
    PolicyRef,
    PolicySeason,
    PolicyVersionLine,
    ScorePoint,
)
from observatory.paging import Page
from observatory.policies import repository as policies
from observatory.policies.repository import VersionFilter
from observatory.scoring.folds import Meeting, Place, Record
from observatory.scoring.intervals import Sample, score_interval
from observatory.seasons import repository as seasons
from observatory.standings.table_cache import PoolTable, pool_table

__all__ = ["policy_page"]

MAX_VERSIONS = 100
MAX_POINTS = 500
MAX_INTERVALS = 40
MAX_FAILURES = 20
TIMED = 100

Map = tuple[int, int, int]
"""(own agents, partner's agents, sample): the same map in every match of a pool, whoever sits first"""


def policy_page(
    session: Session,
    policy_version_id: uuid.UUID,
    principal: Principal | None,
    *,
    season: str | None = None,
    pool: str | None = None,
) -> PolicyPage:
    """Return the public data of a version, with points and opponents of one pool, by default the last it played in."""
    version = policies.version(session, policy_version_id)
    filters = VersionFilter(policy_id=version.policy_id)
    versions, _ = policies.versions(session, filters, Page(MAX_VERSIONS, 0))
    seasons_of = repository.seasons_of_policy(session, version.policy_id, principal)
    players = repository.memberships_of_version(session, policy_version_id, principal)
    tables = [pool_table(session, player.pool_id) for player in players]
    rows = {player.id: _season_row(session, player) for player in players}
    chosen = _chosen(players, rows, season, pool)
    history = seasons.membership_history(session, policy_version_id, principal)
    places = _places(session, chosen)
    meetings = {} if chosen is None else _meetings(session, chosen)
    shared = _shares_reward(meetings)
    return PolicyPage(
        policy=policy_ref(version),
        created_at=version.created_at,
        bundle_bytes=version.bundle_bytes,
        public_bundle=version.public_bundle,
        mine=principal is not None and principal.user_id == version.policy.user_id,
        versions=[_version_line(row, seasons_of.get(row.id, []), places.get(row.id)) for row in versions],
        seasons=list(rows.values()),
        history=[
            HistoryLine(
                season=of_season.name,
                season_version=of_season.version,
                pool=in_pool.name,
                action=change.action,
                notes=change.notes,
                at=change.created_at,
            )
            for change, in_pool, of_season in history
        ],
        season=None if chosen is None else chosen.pool.season.name,
        pool=None if chosen is None else chosen.pool.name,
        points=[] if chosen is None else _points(session, chosen),
        shared_reward=shared,
        head_to_head=[] if shared else _head_to_head(session, meetings),
        partners=_partners(session, meetings) if shared else [],
        mean_seconds=repository.mean_seconds(session, _last(tables, policy_version_id, TIMED)),
        failures=[
            FailureLine(
                match_id=match.id,
                season=match.pool.season.name,
                pool=match.pool.name,
                error=match.error,
                error_type=match.error_type,
                at=match.completed_at or match.created_at,
            )
            for match in repository.ended_matches(session, _failures(tables, policy_version_id))
        ],
        card_url=f"/observatory/api/policies/{policy_version_id}/card.png",
    )


def _chosen(
    players: Sequence[PoolPlayer], rows: dict[uuid.UUID, PolicySeason], season: str | None, pool: str | None
) -> PoolPlayer | None:
    """Return the requested membership; else the first with a match, else the first."""
    fitting = [
        player
        for player in players
        if season in (None, player.pool.season.name, f"{player.pool.season.name}:v{player.pool.season.version}")
        and pool in (None, player.pool.name)
    ]
    played = [player for player in fitting if rows[player.id].matches]
    return next(iter(played or fitting), None)


def _season_row(session: Session, player: PoolPlayer) -> PolicySeason:
    pool, season = player.pool, player.pool.season
    table = pool_table(session, pool.id)
    record = table.fold.records.get(player.policy_version_id, Record())
    place = None
    if record.completed:
        places = table.places(repository.active_count(session, pool.id))
        place = next((row for row in places if row.standing.policy_version_id == player.policy_version_id), None)
    interval = None if place is None else place.interval
    return PolicySeason(
        season=season.name,
        season_version=season.version,
        display_name=season.display_name,
        pool=pool.name,
        active=not player.retired,
        rank=None if place is None else place.standing.rank,
        of=len(table.standings()),
        score=None if place is None else place.standing.score,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        vor=None if place is None or place.value is None else place.value.value,
        matches=0 if place is None else place.standing.matches,
        failed=record.charged,
    )


def _points(session: Session, player: PoolPlayer) -> list[ScorePoint]:
    """Return the last scores in order with the running mean, some of them with its interval."""
    table, policy = pool_table(session, player.pool_id), player.policy_version_id
    intervals = table.history(policy, repository.active_count(session, player.pool_id), MAX_INTERVALS)
    played = table.played(policy, MAX_POINTS)
    ids = repository.match_ids(session, [result.order for result in played])
    points = []
    for result in played:
        if result.order not in ids:
            continue  # it ended after this session began
        interval = intervals.get(result.number)
        points.append(
            ScorePoint(
                match_id=ids[result.order],
                at=result.at,
                match_score=result.score,
                score=result.mean,
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
            )
        )
    return points


def _last(tables: Sequence[PoolTable], policy: uuid.UUID, limit: int) -> list[int]:
    """Return the last scored matches of a policy in these pools, by their order."""
    return sorted((order for table in tables for order in table.last_scored(policy, limit)), reverse=True)[:limit]


def _failures(tables: Sequence[PoolTable], policy: uuid.UUID) -> list[int]:
    """Return the last failed matches for which a policy is at fault, by their order."""
    orders = (order for table in tables for order in table.charged(policy, MAX_FAILURES))
    return sorted(orders, reverse=True)[:MAX_FAILURES]


def _meetings(session: Session, player: PoolPlayer) -> dict[uuid.UUID, list[Meeting]]:
    """Return the scored matches with each other policy."""
    meetings: dict[uuid.UUID, list[Meeting]] = {}
    for meeting in pool_table(session, player.pool_id).meetings(player.policy_version_id):
        meetings.setdefault(meeting.opponent, []).append(meeting)
    return meetings


def _shares_reward(meetings: Mapping[uuid.UUID, Sequence[Meeting]]) -> bool:
    """Return whether no match gave its players different scores; sums over different numbers of agents are rounded."""
    return bool(meetings) and all(
        math.isclose(meeting.score, meeting.opponent_score, rel_tol=1e-9, abs_tol=1e-12)
        for games in meetings.values()
        for meeting in games
    )


def _head_to_head(session: Session, meetings: Mapping[uuid.UUID, Sequence[Meeting]]) -> list[HeadToHead]:
    """Against each opponent, the best known first."""
    names = names_of(session, meetings)
    rows = [_against(names[opponent], games) for opponent, games in meetings.items()]
    return sorted(rows, key=lambda row: (-row.matches, row.opponent.name, row.opponent.id))


def _partners(session: Session, meetings: Mapping[uuid.UUID, Sequence[Meeting]]) -> list[PartnerLine]:
    """With each partner, the best first."""
    names = names_of(session, meetings)
    scores: dict[Map, dict[int, float]] = {}
    for games in meetings.values():
        for meeting in games:
            scores.setdefault(_map(meeting), {})[meeting.order] = meeting.score
    averages = {place: math.fsum(of_match.values()) / len(of_match) for place, of_match in scores.items()}
    rows = [_beside(names[partner], games, averages) for partner, games in meetings.items()]
    return sorted(rows, key=lambda row: (-row.difference, row.partner.name, row.partner.id))


def _beside(partner: PolicyRef, meetings: Sequence[Meeting], averages: Mapping[Map, float]) -> PartnerLine:
    own = [averages[_map(meeting)] for meeting in meetings]
    differences = [
        Sample(meeting.split, meeting.sample, None, 1.0, meeting.score - average)
        for meeting, average in zip(meetings, own, strict=True)
    ]
    interval = score_interval(differences, 1)
    return PartnerLine(
        partner=partner,
        matches=len(meetings),
        score=math.fsum(meeting.score for meeting in meetings) / len(meetings),
        average=math.fsum(own) / len(own),
        difference=math.fsum(sample.score for sample in differences) / len(differences),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )


def _map(meeting: Meeting) -> Map:
    return meeting.num_agents, meeting.split[1], meeting.sample


def _version_line(row: PolicyVersion, seasons_of: Sequence[str], place: Place | None) -> PolicyVersionLine:
    interval = None if place is None else place.interval
    return PolicyVersionLine(
        id=row.id,
        version=row.version,
        created_at=row.created_at,
        seasons=list(seasons_of),
        rank=None if place is None else place.standing.rank,
        score=None if place is None else place.standing.score,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        matches=0 if place is None else place.standing.matches,
    )


def _places(session: Session, player: PoolPlayer | None) -> dict[uuid.UUID, Place]:
    """Return the places of all versions in a pool."""
    if player is None:
        return {}
    places = pool_table(session, player.pool_id).places(repository.active_count(session, player.pool_id))
    return {place.standing.policy_version_id: place for place in places}


def _against(opponent: PolicyRef, meetings: Sequence[Meeting]) -> HeadToHead:
    differences = [
        Sample(meeting.split, meeting.sample, None, 1.0, meeting.score - meeting.opponent_score) for meeting in meetings
    ]
    interval = score_interval(differences, 1)
    return HeadToHead(
        opponent=opponent,
        matches=len(meetings),
        score=math.fsum(meeting.score for meeting in meetings) / len(meetings),
        opponent_score=math.fsum(meeting.opponent_score for meeting in meetings) / len(meetings),
        difference=math.fsum(sample.score for sample in differences) / len(meetings),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )
