"""The page of a player: memberships over leagues, ratings round by round, history, and the owner's seasons."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session, aliased, contains_eager, joinedload, selectinload

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage
from observatory.database.tables.accounts import Player
from observatory.database.tables.leagues import (
    Division,
    League,
    Membership,
    MembershipEvent,
    MembershipStatus,
    Round,
    RoundResult,
    RoundStatus,
)
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, EpisodeSeat
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.errors import NotFound
from observatory.leagues import entries
from observatory.leagues.repository import visible_divisions
from observatory.pages.boards import SCORE, board_of
from observatory.pages.league_schemas import LeagueRef, PlayerRef
from observatory.pages.names import author_name, names_of
from observatory.pages.player_schemas import (
    HistoryEvent,
    HistoryPage,
    PlayerEpisode,
    PlayerMembership,
    PlayerPage,
    PlayerPolicy,
    PlayerRound,
    PlayerSeason,
    RatingPoint,
    Ratings,
)
from observatory.pages.round_lines import division_ref
from observatory.pages.schemas import PolicyRef
from observatory.public_ids import public_id
from observatory.seasons.repository import visible as visible_seasons

__all__ = ["find_player", "history_page", "player_page"]

MAX_MEMBERSHIPS = 200
MAX_RESULTS = 500
MAX_ROUNDS = 10
MAX_EPISODES = 10
MAX_SEASONS = 50
_RATINGS = {"elo": "Elo", "openskill": "MMR"}


def find_player(session: Session, player_id: str, principal: Principal | None) -> Player:
    """Return a player that the caller may see: one that is or was in a league the caller sees, and one's own."""
    row = session.scalar(select(Player).where(Player.id == player_id).options(joinedload(Player.user)))
    if row is not None:
        is_own = principal is not None and (principal.is_admin or row.user_id == principal.user_id)
        if is_own or session.scalar(_seen_memberships(player_id, principal).limit(1)) is not None:
            return row
    raise NotFound(f"There is no player {player_id[:80]!r}")


def _seen_memberships(player_id: str, principal: Principal | None) -> Select[uuid.UUID]:
    statement = select(Membership.id).join(Membership.division).join(Division.league)
    return statement.where(Membership.player_id == player_id, visible_divisions(principal))


def player_page(session: Session, player: Player, principal: Principal | None) -> PlayerPage:
    memberships = _memberships(session, player, principal)
    results = _results(session, player, principal)
    episodes = _episodes(session, player, principal)
    seasons = _seasons(session, player, principal)
    policies = _policies(session, player, [row.policy_version_id for row in memberships])
    versions = {
        *(row.policy_version_id for row in memberships),
        *(result.policy_version_id for result, _, _ in results),
        *(version for version, _, _ in policies),
        *(row.policy_version_id for row in seasons),
    }
    names = names_of(session, versions)
    points = [(round_.division.league, _point(result, round_, of, names)) for result, round_, of in results]
    leagues = {league.id: league for league, _ in points}
    return PlayerPage(
        player=PlayerRef(id=player.id, name=player.name),
        owner=author_name(player.user.name),
        mine=principal is not None and player.user_id == principal.user_id,
        created_at=player.created_at,
        memberships=[membership_line(session, row, names) for row in memberships],
        policies=[
            PlayerPolicy(policy=names[version], versions=number, created_at=created_at)
            for version, number, created_at in policies
        ],
        seasons=[_season(row, names) for row in seasons],
        ratings=[
            _ratings(league, [point for own, point in points if own.id == league.id]) for league in leagues.values()
        ],
        rounds=[
            PlayerRound(**dict(point), league=_league_ref(league)) for league, point in reversed(points[-MAX_ROUNDS:])
        ],
        episodes=[_episode(row, round_, player) for row, round_ in episodes],
    )


def _memberships(session: Session, player: Player, principal: Principal | None) -> Sequence[Membership]:
    statement = entries.with_all().where(Membership.player_id == player.id, visible_divisions(principal))
    order = (Membership.end_time.is_not(None), Membership.created_at.desc(), Membership.id.desc())
    return session.scalars(statement.order_by(*order).limit(MAX_MEMBERSHIPS)).all()


def _results(session: Session, player: Player, principal: Principal | None) -> list[tuple[RoundResult, Round, int]]:
    """Return the results of the player with the number of entrants, oldest first."""
    other = aliased(RoundResult)
    entrants = select(func.count()).where(other.round_id == RoundResult.round_id).scalar_subquery()
    statement = (
        select(RoundResult, Round, entrants)
        .join(Round, Round.id == RoundResult.round_id)
        .join(Round.division)
        .join(Division.league)
        .where(
            RoundResult.player_id == player.id,
            Round.status == RoundStatus.COMPLETED,
            visible_divisions(principal),
        )
        .options(contains_eager(Round.division).contains_eager(Division.league))
        .order_by(RoundResult.created_at.desc(), RoundResult.id.desc())
        .limit(MAX_RESULTS)
    )
    rows = session.execute(statement).all()
    return [(result, round_, of) for result, round_, of in reversed(rows)]


def _episodes(session: Session, player: Player, principal: Principal | None) -> list[tuple[EpisodeRequest, Round]]:
    """Return the last episodes of rounds in which the player has a seat that counts."""
    seats = select(EpisodeSeat.episode_request_id).where(
        EpisodeSeat.player_id == player.id, EpisodeSeat.is_filler.is_(False)
    )
    statement = (
        select(EpisodeRequest, Round)
        .join(Round, Round.id == EpisodeRequest.round_id)
        .join(Round.division)
        .join(Division.league)
        .where(EpisodeRequest.id.in_(seats), visible_divisions(principal))
        .options(
            contains_eager(Round.division).contains_eager(Division.league),
            selectinload(EpisodeRequest.seats).joinedload(EpisodeSeat.player),
        )
        .order_by(EpisodeRequest.created_at.desc(), EpisodeRequest.id.desc())
        .limit(MAX_EPISODES)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def _policies(session: Session, player: Player, members: Sequence[uuid.UUID]) -> list[tuple[uuid.UUID, int, object]]:
    """Return the newest version, the number of versions and its time, for each policy of the player."""
    own = select(PolicyVersion.policy_id).where(
        or_(PolicyVersion.player_id == player.id, PolicyVersion.id.in_(members))
    )
    statement = (
        select(PolicyVersion.policy_id, PolicyVersion.id, PolicyVersion.created_at)
        .where(PolicyVersion.policy_id.in_(own))
        .order_by(PolicyVersion.created_at.desc(), PolicyVersion.id.desc())
    )
    newest: dict[uuid.UUID, tuple[uuid.UUID, object]] = {}
    numbers: dict[uuid.UUID, int] = {}
    for policy_id, version_id, created_at in session.execute(statement):
        newest.setdefault(policy_id, (version_id, created_at))
        numbers[policy_id] = numbers.get(policy_id, 0) + 1
    return [(version, numbers[policy_id], created_at) for policy_id, (version, created_at) in newest.items()]


def _seasons(session: Session, player: Player, principal: Principal | None) -> Sequence[PoolPlayer]:
    """Return where policies of the same owner are or were in seasons, in the last pool of each season."""
    statement = (
        select(PoolPlayer)
        .join(PoolPlayer.policy_version)
        .join(PolicyVersion.policy)
        .join(PoolPlayer.pool)
        .join(Pool.season)
        .where(Policy.user_id == player.user_id, visible_seasons(principal))
        .options(contains_eager(PoolPlayer.pool).contains_eager(Pool.season))
        .order_by(Season.created_at.desc(), Season.id, PoolPlayer.retired, Pool.position.desc())
        .limit(4 * MAX_SEASONS)
    )
    last: dict[tuple[uuid.UUID, uuid.UUID], PoolPlayer] = {}
    for row in session.scalars(statement):
        last.setdefault((row.pool.season_id, row.policy_version_id), row)
    return list(last.values())[:MAX_SEASONS]


def _season(row: PoolPlayer, names: dict[uuid.UUID, PolicyRef]) -> PlayerSeason:
    season = row.pool.season
    return PlayerSeason(
        season=season.name,
        season_version=season.version,
        display_name=season.display_name,
        policy=names[row.policy_version_id],
        pool=row.pool.name,
        active=not row.retired,
    )


def membership_line(session: Session, row: Membership, names: Mapping[uuid.UUID, PolicyRef]) -> PlayerMembership:
    """Return a membership with its rank; load it with `entries.with_all()`."""
    is_live = row.end_time is None and row.status is not MembershipStatus.DISQUALIFIED
    board = board_of(session, row.division) if row.is_champion else None
    places = {} if board is None else board.players()
    place = places.get(row.player_id)
    return PlayerMembership(
        id=public_id("lpm", row.id),
        league=_league_ref(row.league),
        division=division_ref(row.division),
        policy=names[row.policy_version_id],
        status=row.status,
        substatus=row.substatus,
        is_champion=row.is_champion,
        is_live=is_live,
        since=row.start_time,
        ended_at=row.end_time,
        rank=None if place is None else place[0],
        of=len(places),
        score=None if place is None or board is None else board.score(place[1]),
        score_label=SCORE if board is None else board.label,
        settling=place is not None and place[1].values.get("settling") is True,
    )


def _league_ref(league: League) -> LeagueRef:
    return LeagueRef(id=public_id("league", league.id), name=league.name)


def _point(result: RoundResult, round_: Round, of: int, names: dict[uuid.UUID, PolicyRef]) -> RatingPoint:
    before, after = (result.result_metadata.get(key) for key in ("rating_before", "rating_after"))
    return RatingPoint(
        round_id=public_id("round", round_.id),
        number=round_.round_number,
        division=division_ref(round_.division),
        policy=names[result.policy_version_id],
        at=result.created_at,
        before=before if isinstance(before, int | float) else None,
        after=after if isinstance(after, int | float) else None,
        rank=result.rank,
        of=of,
        score=result.score,
    )


def _ratings(league: League, points: list[RatingPoint]) -> Ratings:
    algorithm = league.settings.get("ladder", {}).get("ranking", {}).get("algorithm", "elo")
    has_ratings = any(point.after is not None for point in points)
    label = _RATINGS.get(str(algorithm), "Standing") if has_ratings else None
    return Ratings(league=_league_ref(league), label=label, points=points)


def _episode(row: EpisodeRequest, round_: Round, player: Player) -> PlayerEpisode:
    own = [seat.score for seat in row.seats if seat.player_id == player.id and not seat.is_filler]
    scores = [score for score in own if score is not None]
    others = {seat.player.id: seat.player for seat in row.seats if seat.player is not None}
    others.pop(player.id, None)
    return PlayerEpisode(
        id=public_id("ereq", row.id),
        league=_league_ref(round_.division.league),
        round_id=public_id("round", round_.id),
        round_number=round_.round_number,
        status=row.status,
        score=sum(scores) / len(scores) if scores else None,
        opponents=[PlayerRef(id=other.id, name=other.name) for other in others.values()],
        at=row.completed_at or row.created_at,
    )


def history_page(session: Session, player: Player, principal: Principal | None, page: CursorPage) -> HistoryPage:
    """Return every change of the player's memberships in divisions that the caller may see, newest first."""
    seen = _seen_memberships(player.id, principal)
    found = page.of(
        session,
        select(MembershipEvent).where(MembershipEvent.membership_id.in_(seen)),
        MembershipEvent.created_at,
        MembershipEvent.id,
    )
    memberships = {
        row.id: row
        for row in session.scalars(
            entries.with_all().where(Membership.id.in_({event.membership_id for event in found.rows}))
        )
    }
    names = names_of(session, [row.policy_version_id for row in memberships.values()])
    ids = {id_ for event in found.rows for id_ in (event.from_division_id, event.to_division_id) if id_ is not None}
    statement = select(Division).join(Division.league).where(and_(Division.id.in_(ids), visible_divisions(principal)))
    divisions = {row.id: row for row in session.scalars(statement)}
    rows = []
    for event in found.rows:
        membership = memberships[event.membership_id]
        before = None if event.from_division_id is None else divisions.get(event.from_division_id)
        after = None if event.to_division_id is None else divisions.get(event.to_division_id)
        rows.append(
            HistoryEvent(
                id=str(event.id),
                membership_id=public_id("lpm", membership.id),
                league=_league_ref(membership.league),
                policy=names[membership.policy_version_id],
                from_division=None if before is None else division_ref(before),
                to_division=None if after is None else division_ref(after),
                move=_move(event, before, after),
                status=event.status,
                substatus=event.substatus,
                reason=event.reason,
                notes=event.notes,
                evidence=[entry for entry in event.evidence if isinstance(entry, dict)],
                at=event.created_at,
            )
        )
    return HistoryPage(rows=rows, next_cursor=found.next_cursor)


def _move(event: MembershipEvent, before: Division | None, after: Division | None) -> str:
    """Return one word for a change of a membership."""
    if event.status is MembershipStatus.DISQUALIFIED:
        return "disqualified"
    if event.to_division_id is None:
        return "left"
    if event.from_division_id is None:
        return "entered"
    if before is None or after is None or before.level == after.level:
        return "changed"
    return "promoted" if after.level > before.level else "relegated"
