"""Start the game of a lobby: an episode request whose job is a hosted game."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.hosted import (
    HostedGame,
    HostedKind,
    HostedStatus,
    Lobby,
    LobbySeat,
    LobbyStatus,
    SeatKind,
)
from observatory.database.tables.leagues import Membership
from observatory.database.tables.requests import RequestSource
from observatory.errors import BadRequest, Conflict
from observatory.events import Change, ChangeKind
from observatory.games.coworlds import coworlds
from observatory.hosting import lobbies
from observatory.hosting.limits import check_limits
from observatory.hosting.places import place_of, take_place
from observatory.hosting.transitions import move_lobby
from observatory.keys import Keys
from observatory.requests.creation import EpisodePlan, SeatPlan, request_episodes
from observatory.settings import Settings

__all__ = ["claim", "start"]

OPEN_SEAT = "Open seat"


def start(
    session: Session,
    principal: Principal,
    lobby: Lobby,
    *,
    key: str | None,
    expected_revision: int | None,
    settings: Settings,
    keys: Keys,
    now: datetime,
) -> None:
    """Start the game at a revision of the lobby; without one at the current revision.

    The same key again changes nothing, and so does a call without a key after the start.
    """
    lobbies.check_host(lobby, principal)
    if lobby.status in (LobbyStatus.PENDING, LobbyStatus.RUNNING) and key in (None, lobby.start_key):
        return
    lobbies.check_draft(lobby)
    if expected_revision is not None:
        lobbies.check_revision(lobby, expected_revision)
    check_limits(session, lobby.host_user_id, settings=settings, now=now)
    open_seats = [seat for seat in lobby.seats if seat.kind is not SeatKind.CLOSED]
    if not lobby.min_players <= len(open_seats) <= lobby.max_players:
        raise Conflict(f"The game has {lobby.min_players} to {lobby.max_players} seats; {len(open_seats)} are in use")
    plans = _plans(session, lobby, open_seats)
    tags = {"league": str(lobby.league_id), "lobby": f"lby_{lobby.id}"}
    plan = EpisodePlan(plans, variant_id=lobby.variant_id, game_config_overrides=lobby.game_config_overrides, tags=tags)
    [episode] = request_episodes(
        session, lobby.coworld, [plan], source=RequestSource.LOBBY, user_id=lobby.host_user_id, now=now, hosted=True
    )
    game = HostedGame(
        id=new_id(),
        kind=HostedKind.LOBBY,
        status=HostedStatus.STARTING,
        user_id=lobby.host_user_id,
        coworld_id=lobby.coworld_id,
        variant_id=lobby.variant_id,
        seats=[plan.name for plan in plans],
        allow_spectators=True,
        episode_request_id=episode.id,
        job_id=episode.job_id,
        created_at=now,
        started_at=now,
    )
    session.add(game)
    session.flush()
    take_place(session, game, None, None, keys=keys, now=now)
    for slot, seat in enumerate(open_seats):
        seat.slot = slot
        if seat.user is not None:
            take_place(session, game, Principal(seat.user), slot, keys=keys, now=now)
    lobby.hosted_game_id, lobby.hosted_game, lobby.start_key = game.id, game, key
    move_lobby(session, lobby, LobbyStatus.PENDING, now=now)


def claim(session: Session, principal: Principal, lobby: Lobby, position: int, *, keys: Keys, now: datetime) -> None:
    """Take a seat of a lobby; in a game that has started, one that was left open."""
    seat = lobbies.claim(session, principal, lobby, position)
    game = lobby.hosted_game
    if game is None or seat.slot is None or place_of(game, Principal(principal.user)) is not None:
        return
    take_place(session, game, Principal(principal.user), seat.slot, keys=keys, now=now)
    if game.episode is not None:
        for row in game.episode.seats:
            if row.position == seat.slot:
                row.user_id = principal.user_id
        events.note(session, Change(ChangeKind.REQUEST, ids=frozenset({game.episode.id})))
    session.flush()


def _plans(session: Session, lobby: Lobby, seats: Sequence[LobbySeat]) -> list[SeatPlan]:
    """Return the occupants: people, champions, and champions drawn for the rest; the game's own players without any."""
    members = {member.player_id: member for member in lobbies.champions(session, lobby.league_id)}
    own = coworlds().own_players(lobby.coworld.manifest, variant_id=lobby.variant_id)
    named = {seat.player_id for seat in seats if seat.kind is SeatKind.LEAGUE_PLAYER}
    pool = [member for player_id, member in members.items() if player_id not in named]
    secrets.SystemRandom().shuffle(pool)
    plans = []
    for slot, seat in enumerate(seats):
        if seat.kind in (SeatKind.HUMAN, SeatKind.HUMAN_OPEN):
            if seat.user is None and seat.kind is SeatKind.HUMAN:
                raise Conflict(f"Seat {seat.position} waits for a person; let someone claim it, or choose another kind")
            name = OPEN_SEAT if seat.user is None else seat.user.shown_name
            plans.append(SeatPlan(person=name, user_id=seat.user_id))
        elif seat.kind is SeatKind.LEAGUE_PLAYER:
            member = members.get(seat.player_id or "")
            if member is None:
                raise BadRequest(f"The player in seat {seat.position} has no champion in this league any more")
            plans.append(_champion(member))
        elif pool:
            plans.append(_champion(pool.pop()))
        else:
            plans.append(SeatPlan(game_player_id=own[slot % len(own)]))
    return plans


def _champion(member: Membership) -> SeatPlan:
    return SeatPlan(member.policy_version, player_id=member.player_id)
