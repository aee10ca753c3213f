"""How the workers' time is shared between the seasons, leagues and kinds of jobs that wait."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import League
from observatory.database.tables.seasons import Season
from observatory.job_states import EPISODE, JobStatus
from observatory.jobs import shares
from observatory.jobs.fair_queue import FairQueue
from observatory.leagues.repository import visible_leagues
from observatory.pages.schemas import QueueShareLine
from observatory.public_ids import public_id
from observatory.seasons.repository import visible

__all__ = ["GroupName", "group_names", "share_lines"]

_KINDS = {
    shares.ASSAYS: "Assays",
    shares.REQUESTS: "Experience requests",
    shares.CHECKS: "Checks of games",
    shares.FRIENDLY: "Friendly matches",
    shares.OTHER: "Other jobs",
}


@dataclass(frozen=True)
class GroupName:
    title: str
    url: str | None = None


def share_lines(session: Session, principal: Principal | None) -> list[QueueShareLine]:
    """Return the groups with waiting jobs, the next one first."""
    accounts = FairQueue(session, EPISODE).accounts()
    names = group_names(session, {account.group for account in accounts}, principal)
    waiting = _waiting(session)
    total = sum(account.weight for account in accounts)
    return [
        QueueShareLine(
            title=names[account.group].title,
            url=names[account.group].url,
            weight=account.weight,
            share=account.weight / total,
            waiting=waiting.get(account.group, 0),
            running=account.in_work,
            ahead_seconds=account.ahead_seconds,
        )
        for account in accounts
    ]


def group_names(session: Session, groups: Collection[str], principal: Principal | None) -> Mapping[str, GroupName]:
    """Name groups as far as the caller may see them."""
    names = {group: GroupName(_KINDS.get(group, "A private season or league")) for group in groups}
    season_ids = [season_id for group in groups if (season_id := shares.season_of_group(group)) is not None]
    if season_ids:
        for season in session.scalars(select(Season).where(Season.id.in_(season_ids), visible(principal))):
            url = f"/observatory/seasons/{season.name}" + ("" if season.canonical else f":v{season.version}")
            names[shares.season_group(season.id)] = GroupName(season.display_name, url)
    league_ids = [uuid.UUID(group.partition(":")[2]) for group in groups if group.startswith("league:")]
    if league_ids:
        statement = select(League.id, League.name).where(League.id.in_(league_ids), visible_leagues(principal))
        for league_id, title in session.execute(statement):
            url = f"/observatory/leagues/{public_id('league', league_id)}"
            names[shares.league_group(league_id)] = GroupName(title, url)
    return names


def _waiting(session: Session) -> dict[str, int]:
    statement = select(Job.queue_group, func.count()).where(Job.status == JobStatus.PENDING)
    return {row[0]: row[1] for row in session.execute(statement.group_by(Job.queue_group))}
