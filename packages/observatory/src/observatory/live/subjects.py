"""The facts about a match that its watchers need: whether it may be watched, where it stands, and its replay."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Self

from sqlalchemy import select
from sqlalchemy.orm import Session, contains_eager

from observatory.accounts.principal import Principal
from observatory.database.tables.episodes import Episode
from observatory.database.tables.friendlies import ENDED_FRIENDLY, Friendly, FriendlyStatus
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import IN_FLIGHT, Match, MatchStatus
from observatory.database.tables.seasons import Pool, Season
from observatory.episodes.wire import EpisodeWire
from observatory.errors import Forbidden, NotFound
from observatory.friendlies import repository as friendlies
from observatory.job_states import IN_WORK
from observatory.live.rules import LiveRule, friendly_engine, friendly_rule, season_engine, season_rule

__all__ = ["Subject", "find_subject", "subject_of"]

UNKNOWN = "There is no such match here"
NOT_LIVE = "The matches of this season can be watched after their end only"


@dataclass(frozen=True)
class Subject:
    """A match as its watchers see it."""

    match_id: uuid.UUID
    is_public: bool
    rule: LiveRule | None
    is_in_work: bool
    """whether a worker has it"""
    attempts: int
    is_over: bool
    replay_url: str | None
    """once it is over, unless it has none"""
    has_failed: bool

    def check(self, principal: Principal | None) -> None:
        """Raise `NotFound` or `Forbidden` for a caller who may not watch it now."""
        if not self.is_public and (principal is None or not principal.is_admin):
            raise NotFound(UNKNOWN)
        if self.rule is None and not self.is_over:
            raise Forbidden(NOT_LIVE)


def find_subject(session: Session, match_id: uuid.UUID, principal: Principal | None, wire: EpisodeWire) -> Subject:
    """Return a match that the caller may watch; `NotFound` or `Forbidden` otherwise."""
    subject = subject_of(session, match_id, wire)
    if subject is None:
        raise NotFound(UNKNOWN)
    subject.check(principal)
    return subject


def subject_of(session: Session, match_id: uuid.UUID, wire: EpisodeWire) -> Subject | None:
    """Return the facts about a match, whoever may see it; None if there is no such match."""
    statement = (
        select(Match)
        .join(Match.pool)
        .join(Pool.season)
        .where(Match.id == match_id, Season.disabled_at.is_(None))
        .options(contains_eager(Match.pool).contains_eager(Pool.season))
    )
    match = session.scalar(statement)
    if match is None:
        return _friendly_subject(session, match_id, wire)
    season = match.pool.season
    is_over = match.status not in IN_FLIGHT
    has_failed = is_over and match.status is not MatchStatus.COMPLETED
    job = _JobFacts.of(session, match.job_id)
    return job.subject(
        match.id,
        season_rule(season),
        wire,
        engine=season_engine(season),
        public=season.public,
        is_over=is_over,
        failed=has_failed,
    )


def _friendly_subject(session: Session, friendly_id: uuid.UUID, wire: EpisodeWire) -> Subject | None:
    """Return the facts about a friendly match, which is public once it is to be played."""
    friendly = session.scalar(select(Friendly).where(Friendly.id == friendly_id, friendlies.visible(None)))
    if friendly is None:
        return None
    is_over, has_failed = friendly.status in ENDED_FRIENDLY, friendly.status is FriendlyStatus.FAILED
    job, rule = _JobFacts.of(session, friendly.job_id), friendly_rule(session, friendly)
    engine = friendly_engine(session, friendly)
    return job.subject(friendly.id, rule, wire, engine=engine, public=True, is_over=is_over, failed=has_failed)


@dataclass(frozen=True)
class _JobFacts:
    """The state of a match's job."""

    is_in_work: bool = False
    attempts: int = 0
    episode: Episode | None = None

    @classmethod
    def of(cls, session: Session, job_id: uuid.UUID | None) -> Self:
        columns = select(Job.status, Job.attempts, Job.episode_id).where(Job.id == job_id)
        found = session.execute(columns).one_or_none()
        if found is None:
            return cls()
        episode = None if found.episode_id is None else session.get(Episode, found.episode_id)
        return cls(found.status in IN_WORK, found.attempts, episode)

    def subject(
        self,
        match_id: uuid.UUID,
        rule: LiveRule | None,
        wire: EpisodeWire,
        *,
        engine: str,
        public: bool,
        is_over: bool,
        failed: bool,
    ) -> Subject:
        return Subject(
            match_id=match_id,
            is_public=public,
            rule=rule,
            is_in_work=self.is_in_work,
            attempts=self.attempts,
            is_over=is_over,
            replay_url=wire.viewer_path(self.episode, engine) if is_over and self.episode is not None else None,
            has_failed=failed,
        )
