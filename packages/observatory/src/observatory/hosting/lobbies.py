"""Lobbies of leagues: who sits where before the game starts. `lobby_start` starts the game."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.hosted import HostedGame, Lobby, LobbySeat, LobbyStatus, SeatKind
from observatory.database.tables.leagues import League, Membership, MembershipStatus
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound
from observatory.games.coworlds import coworlds
from observatory.hosting import games
from observatory.hosting.schemas import LobbyCreate, LobbyEdit, LobbySeatChoice
from observatory.hosting.transitions import move_lobby, note_change
from observatory.leagues import repository as leagues
from observatory.leagues.repository import is_live
from observatory.public_ids import parse_public_id
from observatory.requests.creation import episode_config
from observatory.settings import Settings

__all__ = [
    "PlannedConfig",
    "access_problem",
    "cancel",
    "champions",
    "check_draft",
    "check_host",
    "check_revision",
    "claim",
    "create",
    "edit",
    "end",
    "find",
    "is_host",
    "leave",
    "planned_config",
    "remove_player",
    "set_seat",
]

ACTIVE = (LobbyStatus.DRAFT, LobbyStatus.PENDING, LobbyStatus.RUNNING)
MAX_SEATS = 64
UNSUPPORTED = "unsupported_runtime"
PlannedConfig = tuple[Mapping[str, Any], Mapping[str, Any], int]
"""a game's schema, a configuration to be checked, and the number of seats"""
_HUMAN = (SeatKind.HUMAN, SeatKind.HUMAN_OPEN)


def find(session: Session, lobby_id: str, principal: Principal) -> Lobby:
    """Return a lobby of a league that the caller may see."""
    seats = selectinload(Lobby.seats)
    statement = select(Lobby).options(
        joinedload(Lobby.league),
        joinedload(Lobby.coworld),
        joinedload(Lobby.host),
        joinedload(Lobby.hosted_game).selectinload(HostedGame.places),
        seats.joinedload(LobbySeat.player),
        seats.joinedload(LobbySeat.user),
    )
    lobby = session.scalar(statement.where(Lobby.id == parse_public_id("lby", lobby_id)))
    if lobby is None:
        raise NotFound(f"There is no lobby {lobby_id}")
    leagues.league(session, lobby.league_id, principal)
    return lobby


def access_problem(session: Session, principal: Principal, league: League) -> str | None:
    """Return why a caller may not create a lobby; None if they may."""
    coworld = leagues.played_coworld(session, league)
    if coworld is None:
        return f"The league {league.name!r} has no version of its game that it could play"
    if coworld.manifest["game"].get("player_runtime") == "game-hosted":
        return UNSUPPORTED
    if _active(session, principal.user_id) is not None:
        return "You have a lobby already; end or cancel it first"
    return None


def create(
    session: Session, principal: Principal, league: League, body: LobbyCreate, *, settings: Settings, now: datetime
) -> Lobby:
    """Create a lobby; the same key returns the same lobby again."""
    known = session.scalar(
        select(Lobby.id).where(Lobby.host_user_id == principal.user_id, Lobby.idempotency_key == body.idempotency_key)
    )
    if known is not None:
        lobby = find(session, f"lby_{known}", principal)
        if lobby.league_id != league.id:
            raise Conflict("This idempotency key belongs to a lobby of another league")
        return lobby
    problem = access_problem(session, principal, league)
    if problem is not None:
        raise Conflict(problem)
    coworld, variant_id = _played(session, league, body.variant_id)
    fewest, most, usual = _bounds(coworld, variant_id)
    count = usual if body.num_players is None else body.num_players
    if not fewest <= count <= most:
        raise BadRequest(f"The game has {fewest} to {most} seats, not {count}")
    episode_config(coworld, variant_id, body.game_config_overrides or {}, count)
    lobby = Lobby(
        id=new_id(),
        league_id=league.id,
        coworld_id=coworld.id,
        host_user_id=principal.user_id,
        idempotency_key=body.idempotency_key,
        variant_id=variant_id,
        game_config_overrides=body.game_config_overrides or {},
        min_players=fewest,
        max_players=most,
        status=LobbyStatus.DRAFT,
        revision=1,
        created_at=now,
        expires_at=now + timedelta(seconds=settings.hosted_open_seconds),
    )
    host = session.get_one(User, principal.user_id)
    lobby.league, lobby.coworld, lobby.host = league, coworld, host
    lobby.seats = _default_seats(session, lobby, count)
    for choice in body.seats or []:
        _choose(session, lobby, choice)
    session.add(lobby)
    try:
        session.flush()
    except IntegrityError:  # another request of the same host was faster
        raise Conflict("You have a lobby already; end or cancel it first") from None
    note_change(session)
    return lobby


def planned_config(
    session: Session, league: League, body: LobbyCreate | LobbyEdit, lobby: Lobby | None
) -> PlannedConfig | None:
    """Return the schema, the configuration and the seats to be checked; None if the caller changes nothing of it."""
    if not body.game_config_overrides:
        return None
    variant_id = body.variant_id or (None if lobby is None else lobby.variant_id)
    coworld, variant_id = _played(session, league, variant_id) if lobby is None else (lobby.coworld, variant_id)
    seats = body.num_players or _bounds(coworld, variant_id)[2]
    config = episode_config(coworld, variant_id, body.game_config_overrides, seats)
    return coworld.manifest["game"]["config_schema"], config, seats


def edit(session: Session, principal: Principal, lobby: Lobby, body: LobbyEdit) -> None:
    """Change the variant, the settings of the game or the number of seats."""
    _check_edit(lobby, principal, body.expected_revision)
    if body.variant_id is not None and body.variant_id != lobby.variant_id:
        _, lobby.variant_id = _played(session, lobby.league, body.variant_id)
    if body.game_config_overrides is not None:
        lobby.game_config_overrides = body.game_config_overrides
    if body.num_players is not None:
        if not lobby.min_players <= body.num_players <= lobby.max_players:
            raise BadRequest(f"The game has {lobby.min_players} to {lobby.max_players} seats, not {body.num_players}")
        for seat in lobby.seats:
            is_open = seat.position < body.num_players
            if is_open and seat.kind is SeatKind.CLOSED:
                seat.kind = SeatKind.RANDOM
            elif not is_open:
                _fill(seat, SeatKind.CLOSED)
    count = sum(seat.kind is not SeatKind.CLOSED for seat in lobby.seats)
    episode_config(lobby.coworld, lobby.variant_id, lobby.game_config_overrides, count)
    _changed(session, lobby)


def set_seat(
    session: Session, principal: Principal, lobby: Lobby, choice: LobbySeatChoice, *, expected_revision: int
) -> None:
    """Choose the occupant of a seat; a person who has claimed it loses it."""
    _check_edit(lobby, principal, expected_revision)
    _choose(session, lobby, choice)
    _changed(session, lobby)


def claim(session: Session, principal: Principal, lobby: Lobby, position: int) -> LobbySeat:
    """Take a seat. A caller has one seat: claiming another one in a draft moves there."""
    seat = _seat(lobby, position)
    if lobby.status not in ACTIVE:
        raise Conflict(f"The lobby is {lobby.status.value}")
    if seat.user_id == principal.user_id:
        return seat
    if seat.kind not in _HUMAN or seat.user_id is not None:
        raise Conflict(f"Seat {position} is not free for a person")
    own = [other for other in lobby.seats if other.user_id == principal.user_id]
    if lobby.status is not LobbyStatus.DRAFT and (seat.kind is not SeatKind.HUMAN_OPEN or own):
        raise Conflict("The game has started already")
    for other in own:
        other.user_id, other.user = None, None
    seat.user_id, seat.user = principal.user_id, principal.user
    _changed(session, lobby)
    return seat


def leave(session: Session, principal: Principal, lobby: Lobby) -> None:
    """Give the caller's seat back before the game starts."""
    check_draft(lobby)
    own = [seat for seat in lobby.seats if seat.user_id == principal.user_id]
    if not own:
        raise Conflict("You have no seat in this lobby")
    for seat in own:
        seat.user_id, seat.user = None, None
    _changed(session, lobby)


def remove_player(session: Session, principal: Principal, lobby: Lobby, position: int) -> None:
    """Take a seat from the person or the champion in it: the seat of a person is free, another one is drawn."""
    check_host(lobby, principal)
    check_draft(lobby)
    seat = _seat(lobby, position)
    if seat.user_id is None and seat.player_id is None:
        raise Conflict(f"Seat {position} has no player")
    _fill(seat, seat.kind if seat.kind in _HUMAN else SeatKind.RANDOM)
    _changed(session, lobby)


def cancel(session: Session, principal: Principal, lobby: Lobby, *, now: datetime) -> None:
    """Cancel a lobby before its game runs; a cancelled one stays so."""
    check_host(lobby, principal)
    if lobby.status is LobbyStatus.CANCELLED:
        return
    if lobby.status not in (LobbyStatus.DRAFT, LobbyStatus.PENDING):
        raise Conflict(f"The lobby is {lobby.status.value}; end its game instead")
    move_lobby(session, lobby, LobbyStatus.CANCELLED, now=now)
    if lobby.hosted_game is not None:
        games.end_game(session, lobby.hosted_game, "The host cancelled the lobby", now=now)


def end(session: Session, principal: Principal, lobby: Lobby, *, now: datetime) -> None:
    """End the game of a lobby; one that has ended stays so."""
    check_host(lobby, principal)
    if lobby.status is LobbyStatus.ENDED:
        return
    if lobby.status not in (LobbyStatus.PENDING, LobbyStatus.RUNNING) or lobby.hosted_game is None:
        raise Conflict(f"The lobby is {lobby.status.value}; it has no game to end")
    games.end_game(session, lobby.hosted_game, "The host ended the game", now=now)


def champions(session: Session, league_id: uuid.UUID) -> Sequence[Membership]:
    """Return the competing champions of a league, newest first."""
    statement = select(Membership).where(
        Membership.league_id == league_id,
        Membership.is_champion,
        Membership.status == MembershipStatus.COMPETING,
        is_live(),
    )
    return session.scalars(statement.order_by(Membership.start_time.desc(), Membership.id.desc())).all()


def is_host(lobby: Lobby, principal: Principal) -> bool:
    return principal.is_admin or lobby.host_user_id == principal.user_id


def check_host(lobby: Lobby, principal: Principal) -> None:
    if not is_host(lobby, principal):
        raise Forbidden("Only the host of the lobby may do this")


def check_draft(lobby: Lobby) -> None:
    if lobby.status is not LobbyStatus.DRAFT:
        raise Conflict(f"The lobby is {lobby.status.value}; its seats cannot change any more")


def check_revision(lobby: Lobby, expected: int) -> None:
    if lobby.revision != expected:
        raise Conflict(f"The lobby has changed: it is at revision {lobby.revision}, not {expected}; read it again")


def _check_edit(lobby: Lobby, principal: Principal, expected_revision: int) -> None:
    check_host(lobby, principal)
    check_draft(lobby)
    check_revision(lobby, expected_revision)


def _changed(session: Session, lobby: Lobby) -> None:
    lobby.revision += 1
    session.flush()
    note_change(session)


def _active(session: Session, user_id: str) -> Lobby | None:
    return session.scalar(select(Lobby).where(Lobby.host_user_id == user_id, Lobby.status.in_(ACTIVE)))


def _played(session: Session, league: League, variant_id: str | None) -> tuple[Coworld, str | None]:
    """Return the game of a league and the variant: the requested one, else the league's, else the first."""
    coworld = leagues.played_coworld(session, league)
    if coworld is None:
        raise Conflict(f"The league {league.name!r} has no version of its game that it could play")
    known = [variant["id"] for variant in coworld.manifest.get("variants") or []]
    chosen = variant_id or league.default_variant_id or (known[0] if known else None)
    if chosen is not None and chosen not in known:
        raise BadRequest(f"{coworld.name} has no variant {chosen[:80]!r}; it has: {', '.join(known)}")
    return coworld, chosen


def _bounds(coworld: Coworld, variant_id: str | None) -> tuple[int, int, int]:
    """Return the fewest and the most seats of a game, and those of the variant."""
    tokens = coworld.manifest["game"]["config_schema"]["properties"]["tokens"]
    usual = len(coworlds().own_players(coworld.manifest, variant_id=variant_id))
    return tokens["minItems"], max(usual, min(tokens["maxItems"], MAX_SEATS)), usual


def _default_seats(session: Session, lobby: Lobby, count: int) -> list[LobbySeat]:
    """Seat the host first and the newest champion second; draw the others, and close those beyond the number."""
    newest = next(iter(champions(session, lobby.league_id)), None)
    seats = []
    for position in range(lobby.max_players):
        seat = LobbySeat(position=position, kind=SeatKind.RANDOM)
        if position >= count:
            seat.kind = SeatKind.CLOSED
        elif position == 0:
            seat.kind, seat.user_id, seat.user = SeatKind.HUMAN, lobby.host_user_id, lobby.host
        elif position == 1 and newest is not None:
            seat.kind, seat.player_id, seat.player = SeatKind.LEAGUE_PLAYER, newest.player_id, newest.player
        seats.append(seat)
    return seats


def _choose(session: Session, lobby: Lobby, choice: LobbySeatChoice) -> None:
    seat, kind = _seat(lobby, choice.position), SeatKind(choice.kind)
    if (choice.player_id is not None) != (kind is SeatKind.LEAGUE_PLAYER):
        raise BadRequest("`league_player` needs a `player_id`; other kinds have none")
    keeps = kind in _HUMAN and seat.kind in _HUMAN
    claimant = (seat.user_id, seat.user) if keeps else (None, None)
    _fill(seat, kind)
    seat.user_id, seat.user = claimant
    if kind is SeatKind.LEAGUE_PLAYER:
        found = [member for member in champions(session, lobby.league_id) if member.player_id == choice.player_id]
        if not found:
            raise BadRequest(f"The player {str(choice.player_id)[:80]} has no champion in this league")
        seat.player_id, seat.player = found[0].player_id, found[0].player


def _fill(seat: LobbySeat, kind: SeatKind) -> None:
    seat.kind = kind
    seat.user_id = seat.user = seat.player_id = seat.player = None


def _seat(lobby: Lobby, position: int) -> LobbySeat:
    seat = next((seat for seat in lobby.seats if seat.position == position), None)
    if seat is None:
        raise NotFound(f"The lobby has no seat {position}; it has 0 to {lobby.max_players - 1}")
    return seat
