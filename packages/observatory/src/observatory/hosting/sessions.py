"""Play sessions: create one, choose its variant, join it, start and end its game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory.accounts.principal import Principal
from observatory.coworlds import repository as coworlds_repository
from observatory.database import new_id
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.hosted import HostedGame, HostedKind, HostedPlace, HostedStatus
from observatory.errors import BadRequest, Conflict, Forbidden, Gone, NotFound
from observatory.games.coworlds import coworlds
from observatory.hosting import games
from observatory.hosting.games import HostedSeat, hosted_spec
from observatory.hosting.limits import check_limits
from observatory.hosting.places import Guest, folder_of, label_of, place_of, take_place, token_of
from observatory.hosting.schemas import PlaySession, PlaySessionSeat
from observatory.hosting.transitions import note_change
from observatory.keys import Keys
from observatory.public_ids import parse_public_id, public_id
from observatory.requests.creation import episode_config
from observatory.settings import Settings

__all__ = [
    "create",
    "end",
    "find",
    "join",
    "own_players",
    "set_spectators",
    "set_variant",
    "start",
    "start_now",
    "wire",
    "with_all",
]

OVER = "This session is over"


def find(session: Session, session_id: str, principal: Principal) -> HostedGame:
    """Return a play session whose game the caller may see. Its id is the invitation."""
    row_id = parse_public_id("ps", session_id)
    is_session = (HostedGame.id == row_id, HostedGame.kind == HostedKind.PLAY, HostedGame.user_id.is_not(None))
    game = session.scalar(with_all().where(*is_session))
    if game is None:
        raise NotFound(f"There is no play session {session_id}")
    coworlds_repository.coworld(session, public_id("cow", game.coworld_id), principal)
    return game


def with_all() -> Select[HostedGame]:
    """Select hosted games with what `wire` reads."""
    return select(HostedGame).options(
        joinedload(HostedGame.coworld),
        joinedload(HostedGame.job),
        selectinload(HostedGame.places).joinedload(HostedPlace.user),
        selectinload(HostedGame.places).joinedload(HostedPlace.player),
    )


def create(
    session: Session,
    principal: Principal,
    coworld: Coworld,
    *,
    variant_id: str | None,
    allow_spectators: bool,
    settings: Settings,
    keys: Keys,
    now: datetime,
) -> HostedGame:
    """Create a session, which waits for people."""
    games.check_hosting(coworld)
    check_limits(session, principal.user_id, settings=settings, now=now)
    if variant_id is None:
        variants = coworld.manifest.get("variants") or []
        variant_id = variants[0]["id"] if variants else None
    game = HostedGame(
        id=new_id(),
        kind=HostedKind.PLAY,
        status=HostedStatus.OPEN,
        user_id=principal.user_id,
        coworld_id=coworld.id,
        allow_spectators=allow_spectators,
        seats=own_players(coworld, variant_id),
        variant_id=variant_id,
        created_at=now,
    )
    game.coworld = coworld
    session.add(game)
    session.flush()
    take_place(session, game, None, None, keys=keys, now=now)
    note_change(session)
    return game


def set_variant(session: Session, principal: Principal, game: HostedGame, variant_id: str) -> None:
    """Choose another variant before the game starts; people keep their seats if the variant has them."""
    _check_owner(game, principal)
    _check_open(game)
    seats = own_players(game.coworld, variant_id)
    taken = max((place.slot for place in game.places if place.slot is not None), default=-1)
    if taken >= len(seats):
        raise Conflict(f"{variant_id!r} has {len(seats)} seats, and seat {taken} is taken")
    game.variant_id, game.seats = variant_id, seats
    note_change(session)


def set_spectators(session: Session, principal: Principal, game: HostedGame, allowed: bool) -> None:
    """Allow spectators, or refuse them from now on."""
    _check_owner(game, principal)
    if game.status is HostedStatus.ENDED:
        raise Gone(OVER)
    game.allow_spectators = allowed
    note_change(session)


def join(session: Session, principal: Principal, game: HostedGame, *, keys: Keys, now: datetime) -> HostedPlace:
    """Return the caller's seat, or the first free one; else the place of spectators, if there may be any."""
    if game.status is HostedStatus.ENDED:
        raise Gone(OVER)
    own = place_of(game, principal)
    if own is not None:
        return own
    if game.status is HostedStatus.OPEN:
        taken = {place.slot for place in game.places}
        free = next((slot for slot in range(len(game.seats)) if slot not in taken), None)
        if free is not None:
            place = take_place(session, game, principal, free, keys=keys, now=now)
            game.joined_at = now
            note_change(session)
            if len(taken) == len(game.seats):  # with the place of spectators: all seats but this one
                start(session, game, now=now)
            return place
    if not game.allow_spectators:
        raise Conflict("All seats are taken, and this session allows no spectators")
    return spectators(game)


def spectators(game: HostedGame) -> HostedPlace:
    return next(place for place in game.places if place.slot is None)


def start_now(session: Session, principal: Principal, game: HostedGame, *, now: datetime) -> None:
    """Start the game for its owner; a second call changes nothing."""
    _check_owner(game, principal)
    if game.status is HostedStatus.ENDED:
        raise Gone(OVER)
    if game.status is HostedStatus.OPEN:
        start(session, game, now=now)


def start(session: Session, game: HostedGame, *, now: datetime) -> None:
    """Queue the game: people in their seats, the game's own players in the others."""
    people = {place.slot: label_of(place) for place in game.places if place.slot is not None}
    seats = [
        HostedSeat(people[slot], is_person=True) if slot in people else HostedSeat(player, game_player_id=player)
        for slot, player in enumerate(game.seats)
    ]
    config = episode_config(game.coworld, game.variant_id, {}, len(seats))
    game.seats = [seat.name for seat in seats]
    games.queue_game(session, game, hosted_spec(game.coworld, seats, config), now=now)


def end(session: Session, principal: Principal, game: HostedGame, *, now: datetime) -> None:
    """End a session for its owner."""
    _check_owner(game, principal)
    games.end_game(session, game, "The owner of the session ended the game", now=now)


def wire(
    game: HostedGame,
    caller: Principal | Guest,
    page_address: Callable[[str], str],
    game_address: Callable[[str], str],
    *,
    keys: Keys,
    settings: Settings,
) -> PlaySession:
    """Return a session as its caller sees it; the functions make full addresses of paths of pages and of games."""
    page = page_address(f"/observatory/play/{public_id('ps', game.id)}")
    own = place_of(game, caller)
    is_open, is_over = game.status is HostedStatus.OPEN, game.status is HostedStatus.ENDED
    starts_at = None
    if is_open and game.joined_at is not None:
        starts_at = game.joined_at + timedelta(seconds=settings.hosted_start_seconds)
    watching = game.allow_spectators and not is_over
    seats = _seats(game, own)
    return PlaySession(
        session_id=public_id("ps", game.id),
        lobby_url=page,
        join_url=page,
        global_url=game_address(folder_of(token_of(keys, spectators(game)))) if watching else None,
        player_url=None if own is None or is_over else game_address(folder_of(token_of(keys, own))),
        player_count=len(game.seats),
        coworld_id=public_id("cow", game.coworld_id),
        coworld_name=game.coworld.name,
        coworld_version=game.coworld.version,
        description=game.coworld.manifest["game"].get("description") or "",
        variant_id=game.variant_id,
        variant_description=_variant_description(game),
        variants=[{"id": row["id"], "name": row.get("name") or row["id"]} for row in _variants(game.coworld)],
        allow_spectators=game.allow_spectators,
        status=game.status.value,
        error=game.error,
        seats=seats,
        can_manage=_is_owner(game, caller),
        can_join=is_open and own is None and any(seat.kind == "free" for seat in seats),
        starts_at=starts_at,
        created_at=game.created_at,
        started_at=game.started_at,
        ended_at=game.ended_at,
    )


def _seats(game: HostedGame, own: HostedPlace | None) -> list[PlaySessionSeat]:
    places = {place.slot: place for place in game.places if place.slot is not None}
    rows = []
    for slot, name in enumerate(game.seats):
        place = places.get(slot)
        if place is not None:
            rows.append(PlaySessionSeat(slot=slot, label=label_of(place), kind="person", is_me=place is own))
        elif game.status is HostedStatus.OPEN:
            rows.append(PlaySessionSeat(slot=slot, kind="free"))
        else:
            rows.append(PlaySessionSeat(slot=slot, label=name, kind="program"))
    return rows


def _variants(coworld: Coworld) -> list[dict[str, Any]]:
    return list(coworld.manifest.get("variants") or [])


def _variant_description(game: HostedGame) -> str:
    variant = next((row for row in _variants(game.coworld) if row["id"] == game.variant_id), {})
    return variant.get("description") or ""


def own_players(coworld: Coworld, variant_id: str | None) -> list[str]:
    """Return the game's own players for the seats of a variant; `BadRequest` for an unknown variant."""
    known = [variant["id"] for variant in _variants(coworld)]
    if variant_id is not None and variant_id not in known:
        raise BadRequest(f"{coworld.name} has no variant {variant_id[:80]!r}; it has: {', '.join(known)}")
    return coworlds().own_players(coworld.manifest, variant_id=variant_id)


def _is_owner(game: HostedGame, caller: Principal | Guest) -> bool:
    if isinstance(caller, Guest):
        return caller.owns(game)
    return caller.is_admin or (game.user_id == caller.user_id)


def _check_owner(game: HostedGame, principal: Principal) -> None:
    if not _is_owner(game, principal):
        raise Forbidden("Only the owner of the session may do this")


def _check_open(game: HostedGame) -> None:
    if game.status is HostedStatus.ENDED:
        raise Gone(OVER)
    if game.status is not HostedStatus.OPEN:
        raise Conflict("The game has started already")
