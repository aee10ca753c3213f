"""The front page and the profile: seasons and leagues together, and everything of one user."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from observatory.accounts import repository as accounts
from observatory.accounts.principal import Principal
from observatory.coworlds import repository as coworlds
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.hosted import HostedGame, HostedKind, Lobby
from observatory.database.tables.leagues import LeagueSubmission, Membership
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, ExperienceRequest
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.experience import repository as experience
from observatory.experience.repository import EpisodeFilter
from observatory.leagues import entries
from observatory.leagues.repository import is_live, visible_divisions
from observatory.pages import seasons
from observatory.pages.episode_lines import recent_episodes
from observatory.pages.front_schemas import (
    FrontPage,
    HostedLine,
    PlayerLine,
    PolicyLeagues,
    Profile,
    RequestLine,
    SeasonEntryLine,
    SubmissionLine,
    TokenLine,
)
from observatory.pages.league_cards import league_cards
from observatory.pages.names import names_of, policy_ref
from observatory.pages.player_schemas import PlayerMembership
from observatory.pages.players import membership_line
from observatory.policies import repository as policies
from observatory.public_ids import public_id
from observatory.requests.transitions import ENDED
from observatory.rounds.loop import LeagueLoop
from observatory.seasons.repository import visible as visible_seasons
from observatory.standings.table_cache import pool_table

__all__ = ["front_page", "memberships", "policy_leagues", "profile", "season_entries_of"]

MAX_FRONT = 12
MAX_SHOWN = 50
MAX_RECENT = 20


def front_page(session: Session, principal: Principal | None, loop: LeagueLoop) -> FrontPage:
    """Return what the caller sees first."""
    names = select(func.count(Coworld.name_key.distinct())).where(coworlds.visible(principal))
    return FrontPage(
        seasons=seasons.season_cards(session, principal),
        leagues=league_cards(session, principal, loop),
        coworlds=session.scalar(names) or 0,
        my_seasons=[] if principal is None else season_entries(session, principal, MAX_FRONT, active_only=True),
        my_leagues=[] if principal is None else _own_memberships(session, principal, MAX_FRONT, active_only=True),
    )


def profile(session: Session, principal: Principal, *, now: datetime) -> Profile:
    """Return everything of the caller."""
    return Profile(
        seasons=season_entries(session, principal, MAX_SHOWN),
        leagues=_own_memberships(session, principal, MAX_SHOWN),
        submissions=_submissions(session, principal),
        requests=_requests(session, principal),
        episodes=recent_episodes(session, EpisodeFilter(mine=principal), principal, MAX_RECENT),
        hosted=_hosted(session, principal),
        players=_players(session, principal),
        tokens=_tokens(session, principal, now=now),
    )


def policy_leagues(session: Session, policy_version_id: uuid.UUID, principal: Principal | None) -> PolicyLeagues:
    """Return the leagues and the last episodes of a policy version."""
    policies.version(session, policy_version_id)
    plays = entries.with_all().where(Membership.policy_version_id == policy_version_id, visible_divisions(principal))
    filters = EpisodeFilter(policy_version_id=policy_version_id)
    return PolicyLeagues(
        leagues=memberships(session, plays, MAX_SHOWN),
        episodes=recent_episodes(session, filters, principal, MAX_RECENT),
    )


def season_entries(
    session: Session, principal: Principal, limit: int, *, active_only: bool = False
) -> list[SeasonEntryLine]:
    """Return the last pool of each of the caller's versions in each season, newest version first."""
    return season_entries_of(session, principal.user_id, principal, limit, active_only=active_only)


def season_entries_of(
    session: Session, user_id: str, principal: Principal | None, limit: int, *, active_only: bool = False
) -> list[SeasonEntryLine]:
    """Return the same of any user, in the seasons that the caller may see."""
    policy = contains_eager(PoolPlayer.policy_version).contains_eager(PolicyVersion.policy)
    statement = (
        select(PoolPlayer)
        .join(PoolPlayer.policy_version)
        .join(PolicyVersion.policy)
        .join(PoolPlayer.pool)
        .join(Pool.season)
        .where(Policy.user_id == user_id, Season.canonical, visible_seasons(principal))
        .options(policy.joinedload(Policy.user), contains_eager(PoolPlayer.pool).contains_eager(Pool.season))
        .order_by(PolicyVersion.created_at.desc(), PolicyVersion.id.desc(), PoolPlayer.retired, Pool.position.desc())
    )
    lines: dict[tuple[object, object], SeasonEntryLine] = {}
    for player in session.scalars(statement):
        season, key = player.pool.season, (player.policy_version_id, player.pool.season_id)
        is_active = not player.retired and season.completed_at is None
        if key in lines or (active_only and not is_active):
            continue
        table = pool_table(session, player.pool_id).standings()
        row = next((row for row in table if row.policy_version_id == player.policy_version_id), None)
        lines[key] = SeasonEntryLine(
            policy=policy_ref(player.policy_version),
            season=season.name,
            display_name=season.display_name,
            pool=player.pool.name,
            active=is_active,
            rank=None if row is None else row.rank,
            of=len(table),
            score=None if row is None else row.score,
            entered_at=player.created_at,
        )
        if len(lines) == limit:
            break
    return list(lines.values())


def _own_memberships(
    session: Session, principal: Principal, limit: int, *, active_only: bool = False
) -> list[PlayerMembership]:
    statement = entries.with_all().where(Membership.user_id == principal.user_id, visible_divisions(principal))
    if principal.is_player:
        statement = statement.where(Membership.player_id == principal.player_id)
    if active_only:
        statement = statement.where(is_live(), Membership.is_champion)
    return memberships(session, statement, limit)


def memberships(session: Session, statement: Select[Membership], limit: int) -> list[PlayerMembership]:
    """Return memberships as lines: live ones first, champions first, then the newest."""
    order = (Membership.end_time.is_not(None), Membership.is_champion.desc(), Membership.created_at.desc())
    rows = session.scalars(statement.order_by(*order, Membership.id).limit(limit)).all()
    names = names_of(session, [row.policy_version_id for row in rows])
    return [membership_line(session, row, names) for row in rows]


def _submissions(session: Session, principal: Principal) -> list[SubmissionLine]:
    statement = (
        select(LeagueSubmission)
        .where(LeagueSubmission.user_id == principal.user_id)
        .options(
            joinedload(LeagueSubmission.league),
            joinedload(LeagueSubmission.player),
            joinedload(LeagueSubmission.policy_version).joinedload(PolicyVersion.policy).joinedload(Policy.user),
        )
        .order_by(LeagueSubmission.created_at.desc(), LeagueSubmission.id.desc())
    )
    return [
        SubmissionLine(
            id=public_id("sub", row.id),
            policy=policy_ref(row.policy_version),
            league_id=public_id("league", row.league_id),
            league=row.league.name,
            player=row.player.name,
            status=row.status,
            notes=row.notes,
            created_at=row.created_at,
        )
        for row in session.scalars(statement.limit(MAX_RECENT))
    ]


def _requests(session: Session, principal: Principal) -> list[RequestLine]:
    statement = (
        select(ExperienceRequest)
        .where(ExperienceRequest.user_id == principal.user_id)
        .options(joinedload(ExperienceRequest.coworld))
        .order_by(ExperienceRequest.created_at.desc(), ExperienceRequest.id.desc())
    )
    rows = session.scalars(statement.limit(MAX_RECENT)).all()
    ids = [row.id for row in rows]
    counts = experience.episode_counts(session, ids)
    first = select(EpisodeRequest.experience_request_id, EpisodeRequest.id).where(
        EpisodeRequest.experience_request_id.in_(ids), EpisodeRequest.number == 0
    )
    episodes: dict[uuid.UUID | None, uuid.UUID] = {row[0]: row[1] for row in session.execute(first)}
    return [
        RequestLine(
            id=public_id("xreq", row.id),
            title=row.title,
            coworld_id=public_id("cow", row.coworld_id),
            coworld=row.coworld.name,
            status=row.status,
            episodes=row.episode_count,
            ended=sum(number for status, number in counts[row.id].items() if status in ENDED),
            failed=counts[row.id].get(EpisodeRequestStatus.FAILED, 0),
            first_episode=public_id("ereq", episodes[row.id]) if row.id in episodes else None,
            created_at=row.created_at,
        )
        for row in rows
    ]


def _hosted(session: Session, principal: Principal) -> list[HostedLine]:
    """Return the games that the caller has opened, newest first."""
    statement = (
        select(HostedGame, Coworld.name, Lobby.id)
        .join(Coworld, HostedGame.coworld_id == Coworld.id)
        .outerjoin(Lobby, Lobby.hosted_game_id == HostedGame.id)
        .where(HostedGame.user_id == principal.user_id)
        .order_by(HostedGame.created_at.desc(), HostedGame.id.desc())
    )
    return [
        HostedLine(
            id=public_id("ps", row.id),
            kind=row.kind,
            coworld_id=public_id("cow", row.coworld_id),
            coworld=name,
            status=row.status,
            url=_hosted_url(row, lobby_id),
            created_at=row.created_at,
            ended_at=row.ended_at,
        )
        for row, name, lobby_id in session.execute(statement.limit(MAX_RECENT))
    ]


def _hosted_url(game: HostedGame, lobby_id: uuid.UUID | None) -> str | None:
    if lobby_id is not None:
        return f"/observatory/lobbies/{public_id('lby', lobby_id)}"
    if game.kind is HostedKind.PLAY:
        return f"/observatory/play/{public_id('ps', game.id)}"
    if game.episode_request_id is None:
        return None
    return f"/observatory/episodes/{public_id('ereq', game.episode_request_id)}"


def _players(session: Session, principal: Principal) -> list[PlayerLine]:
    return [
        PlayerLine(id=row.id, name=row.name, is_default=row.is_default, created_at=row.created_at)
        for row in accounts.players(session, principal.user_id)
        if row.disabled_at is None and principal.player_id in (None, row.id)
    ]


def _tokens(session: Session, principal: Principal, *, now: datetime) -> list[TokenLine]:
    if principal.is_player:
        return []
    rows = accounts.tokens(session, user_id=principal.user_id)
    return [
        TokenLine(
            id=row.id,
            name=row.name,
            kind=row.kind.value,
            preview=row.token_preview,
            created_at=row.created_at,
            expires_at=row.expires_at,
        )
        for row in [row for row in rows if row.expires_at is None or row.expires_at > now][:MAX_SHOWN]
    ]
