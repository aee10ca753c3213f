"""Name the jobs of the queue: matches, episodes, friendly matches, commissioners, certifications, reports and so on.

Each kind of job asks the repository of what it belongs to whether the caller may see it; all others are private.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import repository as coworlds
from observatory.database.tables.assays import AssayJob, AssayRun
from observatory.database.tables.commissioners import CommissionerPhase, CommissionerRun
from observatory.database.tables.coworlds import Certification, Coworld, RoleRun
from observatory.database.tables.friendlies import Friendly
from observatory.database.tables.hosted import HostedGame, HostedKind
from observatory.database.tables.leagues import League, Round
from observatory.database.tables.requests import EpisodeRequest, RequestSource
from observatory.experience import repository as episodes
from observatory.friendlies import repository as friendlies
from observatory.leagues.repository import visible_leagues
from observatory.live.rules import friendly_address
from observatory.pages import repository
from observatory.pages.episode_lines import episode_lines
from observatory.pages.episode_schemas import EpisodeLine
from observatory.pages.matches import match_line
from observatory.pages.schemas import JobKind, JobLine, MatchLine
from observatory.public_ids import public_id

__all__ = ["PRIVATE", "job_lines"]

PRIVATE = JobLine(kind=JobKind.PRIVATE, title="A private job", url=None, about="", about_url=None, match=None)
MAX_NAMES = 3
_SOURCES = {
    RequestSource.EXPERIENCE: "Experience request",
    RequestSource.COWORLD_UPLOAD: "Check of a new version",
    RequestSource.LOBBY: "Lobby",
    RequestSource.ROUND: "Round",
}
_PHASES = {
    CommissionerPhase.MIGRATION: "places the players",
    CommissionerPhase.SCHEDULING: "decides what to play",
    CommissionerPhase.ROUND: "runs a round",
    CommissionerPhase.REVIEW: "reviews a round",
}


def job_lines(session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None) -> dict[uuid.UUID, JobLine]:
    """Return the jobs that the caller may see, by id, in a constant number of queries."""
    lines: dict[uuid.UUID, JobLine] = {}
    for job_id, match in repository.matches_of_jobs(session, job_ids, principal).items():
        lines[job_id] = _match(match_line(match))
    for find in (_episodes, _friendlies, _commissioners, _certifications, _reports, _assays, _hosted):
        left = [job_id for job_id in job_ids if job_id not in lines]
        if left:
            lines |= find(session, left, principal)
    return lines


def _match(line: MatchLine) -> JobLine:
    names = [f"{player.policy.name} v{player.policy.version}" for player in line.players]
    return JobLine(
        kind=JobKind.MATCH,
        title=_versus(names) or f"Match {str(line.id)[:8]}",
        url=f"/observatory/matches/{line.id}",
        about=line.season,
        about_url=f"/observatory/seasons/{line.season}",
        match=line,
        is_live=line.watch_url is not None,
    )


def _episodes(session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None) -> dict[uuid.UUID, JobLine]:
    statement = select(EpisodeRequest).where(EpisodeRequest.job_id.in_(job_ids), episodes.visible(principal))
    rows = session.scalars(statement.options(*episodes.with_all())).all()
    lines = episode_lines(session, rows, principal)
    return {row.job_id: _episode(line) for row, line in zip(rows, lines, strict=True) if row.job_id is not None}


def _episode(line: EpisodeLine) -> JobLine:
    about, about_url = f"{_SOURCES[line.source]} · {line.coworld.name}", f"/observatory/coworlds/{line.coworld.id}"
    if line.round is not None:
        about = f"{line.round.league} · {line.round.division}, round {line.round.number}"
        about_url = f"/observatory/rounds/{line.round.id}"
    return JobLine(
        kind=JobKind.EPISODE,
        title=_versus([seat.name for seat in line.seats]) or line.coworld.name,
        url=f"/observatory/episodes/{line.id}",
        about=about,
        about_url=about_url,
        match=None,
        is_live=line.is_live,
    )


def _friendlies(
    session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None
) -> dict[uuid.UUID, JobLine]:
    rows = session.scalars(friendlies.with_all().where(Friendly.job_id.in_(job_ids), friendlies.visible(principal)))
    return {
        row.job_id: JobLine(
            kind=JobKind.FRIENDLY,
            title=_versus([f"{one.policy.name} v{one.version}" for one in (row.version, row.opponent_version)]),
            url=f"/observatory/friendlies/{row.id}",
            about=f"Friendly match · {row.mission}",
            about_url=None if row.season is None else f"/observatory/seasons/{row.season}",
            match=None,
            is_live=friendly_address(session, row) is not None,
        )
        for row in rows
        if row.job_id is not None
    }


def _commissioners(
    session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None
) -> dict[uuid.UUID, JobLine]:
    statement = (
        select(CommissionerRun.job_id, CommissionerRun.phase, League.id, League.name, Round.id, Round.round_number)
        .join(League, CommissionerRun.league_id == League.id)
        .outerjoin(Round, CommissionerRun.round_id == Round.id)
        .where(CommissionerRun.job_id.in_(job_ids), visible_leagues(principal))
    )
    lines: dict[uuid.UUID, JobLine] = {}
    for job_id, phase, league_id, league, round_id, number in session.execute(statement):
        if job_id is None:
            continue
        about_url = f"/observatory/leagues/{public_id('league', league_id)}"
        work = _PHASES[phase] if number is None else _PHASES[phase].replace("a round", f"round {number}")
        lines[job_id] = JobLine(
            kind=JobKind.COMMISSIONER,
            title=f"The commissioner {work}",
            url=about_url if round_id is None else f"/observatory/rounds/{public_id('round', round_id)}",
            about=league,
            about_url=about_url,
            match=None,
        )
    return lines


def _certifications(
    session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None
) -> dict[uuid.UUID, JobLine]:
    statement = (
        select(Certification.job_id, Coworld.id, Coworld.name, Coworld.version)
        .join(Coworld, Certification.coworld_id == Coworld.id)
        .where(Certification.job_id.in_(job_ids), coworlds.visible(principal))
    )
    return {
        job_id: JobLine(
            kind=JobKind.CERTIFICATION,
            title=f"Certification of {name} {version}",
            url=f"/observatory/coworlds/{public_id('cow', row_id)}",
            about=name,
            about_url=f"/observatory/coworlds/{public_id('cow', row_id)}",
            match=None,
        )
        for job_id, row_id, name, version in session.execute(statement)
        if job_id is not None
    }


def _reports(session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None) -> dict[uuid.UUID, JobLine]:
    statement = (
        select(RoleRun.job_id, RoleRun.role, EpisodeRequest.id, Coworld.id, Coworld.name)
        .join(EpisodeRequest, RoleRun.episode_request_id == EpisodeRequest.id)
        .join(Coworld, EpisodeRequest.coworld_id == Coworld.id)
        .where(RoleRun.job_id.in_(job_ids), episodes.visible(principal))
    )
    return {
        job_id: JobLine(
            kind=JobKind.REPORT,
            title=f"A {role} looks at an episode",
            url=f"/observatory/episodes/{public_id('ereq', episode_id)}",
            about=game,
            about_url=f"/observatory/coworlds/{public_id('cow', coworld_id)}",
            match=None,
        )
        for job_id, role, episode_id, coworld_id, game in session.execute(statement)
        if job_id is not None
    }


def _assays(session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None) -> dict[uuid.UUID, JobLine]:
    if principal is None:
        return {}
    statement = (
        select(AssayJob.job_id, AssayRun.policy_version_id, AssayRun.name, AssayJob.mission_name)
        .join(AssayRun, AssayJob.run_id == AssayRun.id)
        .where(AssayJob.job_id.in_(job_ids))
    )
    if not principal.is_admin:
        statement = statement.where(AssayRun.user_id == principal.user_id)
    return {
        job_id: JobLine(
            kind=JobKind.ASSAY,
            title=f"Assay of {mission}",
            url=f"/observatory/policies/{version}",
            about=name or "Assay",
            about_url=None,
            match=None,
        )
        for job_id, version, name, mission in session.execute(statement)
    }


def _hosted(session: Session, job_ids: Sequence[uuid.UUID], principal: Principal | None) -> dict[uuid.UUID, JobLine]:
    """Name hosted games of visible Coworlds; only the user who opened one gets its address here."""
    statement = (
        select(HostedGame.job_id, HostedGame.id, HostedGame.kind, HostedGame.user_id, Coworld.id, Coworld.name)
        .join(Coworld, HostedGame.coworld_id == Coworld.id)
        .where(HostedGame.job_id.in_(job_ids), coworlds.visible(principal))
    )
    lines: dict[uuid.UUID, JobLine] = {}
    for job_id, game_id, kind, user_id, coworld_id, name in session.execute(statement):
        is_own = principal is not None and (principal.is_admin or principal.user_id == user_id)
        has_page = is_own and kind is HostedKind.PLAY
        if job_id is not None:
            lines[job_id] = JobLine(
                kind=JobKind.HOSTED_GAME,
                title=f"A replay of {name}" if kind is HostedKind.REPLAY else f"People play {name}",
                url=f"/observatory/play/{public_id('ps', game_id)}" if has_page else None,
                about=name,
                about_url=f"/observatory/coworlds/{public_id('cow', coworld_id)}",
                match=None,
            )
    return lines


def _versus(names: Sequence[str]) -> str:
    shown = " – ".join(names[:MAX_NAMES])
    return shown if len(names) <= MAX_NAMES else f"{shown} and {len(names) - MAX_NAMES} more"
