"""All queries for episodes, and their visibility: public, unless the season is private or the episode has an owner.

Owners of policies in an episode on request see it too.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, exists, or_, select, true
from sqlalchemy.orm import Session, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from observatory.accounts.principal import Principal
from observatory.database.tables.episodes import Episode, EpisodePolicy, EpisodeTag
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, EpisodeSeat
from observatory.database.tables.seasons import Season
from observatory.errors import NotFound
from observatory.paging import Page, count_up_to

__all__ = ["EpisodeFilter", "episode", "episodes"]

FEW = 2000


@dataclass(frozen=True)
class EpisodeFilter:
    """Which episodes are wanted; None leaves a field open. A tag's values None mean any."""

    policy_version_id: uuid.UUID | None = None
    primary_policy_version_ids: Sequence[uuid.UUID] | None = None
    ids: Sequence[uuid.UUID] | None = None
    tags: Mapping[str, Sequence[str] | None] = field(default_factory=dict)

    def conditions(self, session: Session) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.policy_version_id is not None:
            took_part = EpisodePolicy.policy_version_id == self.policy_version_id
            conditions.append(Episode.id.in_(select(EpisodePolicy.episode_id).where(took_part)))
        if self.primary_policy_version_ids is not None:
            conditions.append(Episode.primary_policy_version_id.in_(self.primary_policy_version_ids))
        if self.ids is not None:
            conditions.append(Episode.id.in_(self.ids))
        conditions += [_has_tag(session, key, values) for key, values in self.tags.items()]
        return conditions


def _has_tag(session: Session, key: str, values: Sequence[str] | None) -> ColumnElement[bool]:
    """Filter by a tag: a rare tag selects the episodes by index, a frequent one is checked per episode."""
    tagged = EpisodeTag.key == key if values is None else (EpisodeTag.key == key) & EpisodeTag.value.in_(values)
    if count_up_to(session, select(EpisodeTag.episode_id).where(tagged), FEW) < FEW:
        return Episode.id.in_(select(EpisodeTag.episode_id).where(tagged))
    return exists().where(EpisodeTag.episode_id == Episode.id, tagged)


def episodes(
    session: Session, principal: Principal | None, filters: EpisodeFilter, page: Page
) -> tuple[list[Episode], int]:
    """Return a page of episodes, newest first, and how many there are, for as many as are counted."""
    conditions = (*filters.conditions(session), _visible(principal))
    statement = select(Episode).where(*conditions)
    total = count_up_to(session, select(Episode.id).where(*conditions))
    statement = statement.options(*_with_all()).order_by(Episode.created_at.desc(), Episode.id.desc())
    return list(session.scalars(statement.limit(page.limit).offset(page.offset))), total


def episode(session: Session, episode_id: uuid.UUID, principal: Principal | None) -> Episode:
    statement = select(Episode).where(Episode.id == episode_id, _visible(principal))
    row = session.scalar(statement.options(*_with_all()))
    if row is None:
        raise NotFound(f"Episode {episode_id} not found")
    return row


def episode_of_job(session: Session, job_id: uuid.UUID) -> Episode | None:
    return session.scalar(select(Episode).where(Episode.job_id == job_id))


def _visible(principal: Principal | None) -> ColumnElement[bool]:
    if principal is not None and principal.is_admin:
        return true()
    public_season = select(Season.id).where(Season.public.is_(True))
    for_all = Episode.owner_id.is_(None) & or_(Episode.season_id.is_(None), Episode.season_id.in_(public_season))
    if principal is None:
        return for_all
    played = (
        select(EpisodeRequest.episode_id)
        .join(EpisodeRequest.seats)
        .join(PolicyVersion, PolicyVersion.id == EpisodeSeat.policy_version_id)
        .join(Policy, Policy.id == PolicyVersion.policy_id)
        .where(Policy.user_id == principal.user_id, EpisodeRequest.episode_id.is_not(None))
    )
    return or_(for_all, Episode.owner_id == principal.user_id, Episode.id.in_(played))


def _with_all() -> tuple[ExecutableOption, ...]:
    versions = selectinload(Episode.policies).joinedload(EpisodePolicy.policy_version)
    return joinedload(Episode.season), selectinload(Episode.tags), versions.joinedload(PolicyVersion.policy)
