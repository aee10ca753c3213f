"""The page of a policy version: its seasons, the parts of its score, and its results against others."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.seasons import PoolPlayer
from observatory.pages import repository
from observatory.pages.names import names_of, policy_ref
from observatory.pages.repository import Meeting
from observatory.pages.schemas import (
    FailureLine,
    HeadToHead,
    HistoryLine,
    PolicyPage,
    PolicyRef,
    PolicySeason,
    PolicyVersionLine,
    ScorePoint,
)
from observatory.paging import Page
from observatory.policies import repository as policies
from observatory.policies.repository import VersionFilter
from observatory.scoring.folds import Record
from observatory.scoring.intervals import Sample, score_interval
from observatory.seasons import repository as seasons
from observatory.standings.table_cache import pool_table

__all__ = ["policy_page"]

MAX_VERSIONS = 100
MAX_POINTS = 500
MAX_INTERVALS = 40
MAX_FAILURES = 20
TIMED = 100


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
    rows = {player.id: _season_row(session, player) for player in players}
    chosen = _chosen(players, rows, season, pool)
    history = seasons.membership_history(session, policy_version_id, principal)
    return PolicyPage(
        policy=policy_ref(version),
        created_at=version.created_at,
        bundle_bytes=version.bundle_bytes,
        public_bundle=version.public_bundle,
        mine=principal is not None and principal.user_id == version.policy.user_id,
        versions=[
            PolicyVersionLine(
                id=row.id, version=row.version, created_at=row.created_at, seasons=seasons_of.get(row.id, [])
            )
            for row in versions
        ],
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
        head_to_head=[] if chosen is None else _head_to_head(session, chosen),
        mean_seconds=repository.mean_seconds(session, policy_version_id, principal, TIMED),
        failures=[
            FailureLine(
                match_id=match.id,
                season=match.pool.season.name,
                pool=match.pool.name,
                error=match.error,
                error_type=match.error_type,
                at=match.completed_at or match.created_at,
            )
            for match in repository.failures(session, policy_version_id, principal, MAX_FAILURES)
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
    total = weight = 0.0
    points = []
    seats = repository.played_seats(session, player.id)
    table = pool_table(session, player.pool_id)
    members = repository.active_count(session, player.pool_id)
    with table.lock:
        intervals = table.fold.history(player.policy_version_id, members, MAX_INTERVALS)
    for count, seat in enumerate(seats, 1):
        total += seat.weight * seat.score
        weight += seat.weight
        interval = intervals.get(count)
        points.append(
            ScorePoint(
                match_id=seat.match_id,
                at=seat.at,
                match_score=seat.score,
                score=total / weight if weight else 0.0,
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
            )
        )
    return points[-MAX_POINTS:]


def _head_to_head(session: Session, player: PoolPlayer) -> list[HeadToHead]:
    """Against each opponent, the best known first."""
    meetings: dict[uuid.UUID, list[Meeting]] = {}
    for meeting in repository.meetings(session, player.id):
        meetings.setdefault(meeting.opponent, []).append(meeting)
    names = names_of(session, meetings)
    rows = [_against(names[opponent], games) for opponent, games in meetings.items()]
    return sorted(rows, key=lambda row: (-row.matches, row.opponent.name, row.opponent.id))


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
