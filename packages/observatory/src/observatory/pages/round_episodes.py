"""The episodes of a round: seats, scores, and the meetings of its entrants."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from observatory.database.tables.accounts import Player
from observatory.database.tables.commissioners import CommissionerEpisode
from observatory.database.tables.leagues import Round
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, EpisodeSeat
from observatory.ladder.plans import PlannedEpisode, PlannedSeat
from observatory.ladder.scoring import EpisodeResult, count_episode, meetings, outcome, sides_of
from observatory.pages.league_schemas import PlayerRef
from observatory.pages.names import names_of
from observatory.pages.round_lines import division_ref
from observatory.pages.round_schemas import (
    EpisodeSeatLine,
    EpisodeTry,
    PairingCell,
    Pairings,
    RoundEntrant,
    RoundEpisode,
    RoundEpisodes,
)
from observatory.pages.schemas import PolicyRef
from observatory.paging import Page
from observatory.public_ids import public_id
from observatory.requests.transitions import ENDED
from observatory.rounds.reading import PLATFORM

__all__ = ["entrants_of", "pairings", "round_episodes"]


@dataclass(frozen=True)
class _Seat:
    position: int
    version: uuid.UUID | None
    player_id: str | None
    player_name: str | None
    game_player: str | None
    is_filler: bool
    score: float | None


@dataclass(frozen=True)
class _Attempt:
    """One try to play an episode."""

    id: uuid.UUID
    number: int
    status: EpisodeRequestStatus
    variant_id: str | None
    error: str | None
    error_type: str | None
    failed_seat: int | None
    completed_at: datetime | None


def round_episodes(session: Session, round_: Round, page: Page) -> RoundEpisodes:
    """Return episodes in the order of the round: of the plan, or in which a commissioner asked for them."""
    statement = _attempts(round_)
    if round_.commissioner_key == PLATFORM:
        total = int(round_.round_config.get("episodes", 0))
        last = page.offset + page.limit
        statement = statement.where(EpisodeRequest.number >= page.offset, EpisodeRequest.number < last)
    else:
        count = select(func.count()).select_from(EpisodeRequest).where(EpisodeRequest.round_id == round_.id)
        total = session.scalar(count) or 0
        statement = statement.offset(page.offset).limit(page.limit)
    slots = _slots(round_, [_Attempt(*row) for row in session.execute(statement)], first=page.offset)
    seats = _seats(session, [attempts[-1].id for attempts in slots.values()])
    names = names_of(session, {seat.version for found in seats.values() for seat in found if seat.version is not None})
    labels = {} if round_.commissioner_key == PLATFORM else _labels(session, list(seats))
    sides = _planned_sides(round_)
    rows = [
        _episode(number, attempts, seats.get(attempts[-1].id, []), sides.get(number), names, labels)
        for number, attempts in slots.items()
    ]
    return RoundEpisodes(rows=rows, total=total)


def _attempts(
    round_: Round,
) -> Select[uuid.UUID, int, EpisodeRequestStatus, str | None, str | None, str | None, int | None, datetime | None]:
    request = EpisodeRequest
    columns = (request.id, request.number, request.status, request.variant_id, request.error, request.error_type)
    statement = select(*columns, request.failed_policy_index, request.completed_at)
    return statement.where(request.round_id == round_.id).order_by(request.created_at, request.number, request.id)


def _slots(round_: Round, attempts: Sequence[_Attempt], *, first: int = 0) -> dict[int, list[_Attempt]]:
    """Return the attempts of each episode. A commissioner asks for a new episode instead of another attempt."""
    if round_.commissioner_key != PLATFORM:
        return {first + place: [attempt] for place, attempt in enumerate(attempts)}
    slots: dict[int, list[_Attempt]] = {}
    for attempt in sorted(attempts, key=lambda attempt: attempt.number):  # stable: still by time
        slots.setdefault(attempt.number, []).append(attempt)
    return slots


def _seats(session: Session, episode_ids: Sequence[uuid.UUID] | Select[uuid.UUID]) -> dict[uuid.UUID, list[_Seat]]:
    seat = EpisodeSeat
    statement = (
        select(
            seat.episode_request_id,
            seat.position,
            seat.policy_version_id,
            seat.player_id,
            Player.name,
            seat.game_player_id,
            seat.is_filler,
            seat.score,
        )
        .outerjoin(Player, Player.id == seat.player_id)
        .where(seat.episode_request_id.in_(episode_ids))
        .order_by(seat.episode_request_id, seat.position)
    )
    seats: dict[uuid.UUID, list[_Seat]] = {}
    for row in session.execute(statement):
        seats.setdefault(row[0], []).append(_Seat(row[1], row[2], row[3], row[4], row[5], row[6], row[7]))
    return seats


def _labels(session: Session, episode_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the names that a commissioner gave to episodes."""
    row = CommissionerEpisode
    statement = select(row.episode_request_id, row.request_id).where(row.episode_request_id.in_(episode_ids))
    return {found[0]: found[1] for found in session.execute(statement)}


def _planned_sides(round_: Round) -> dict[int, list[int | None]]:
    """Return the side of each seat, by episode, where the plan has sides."""
    episodes = (round_.plan or {}).get("episodes", [])
    found = {number: [seat[3] for seat in episode["seats"]] for number, episode in enumerate(episodes)}
    return {number: sides for number, sides in found.items() if any(side is not None for side in sides)}


def _planned(seats: Sequence[_Seat], sides: Sequence[int | None] | None, index: Mapping[Any, int]) -> PlannedEpisode:
    """Return an episode as the ladder counts it; entrants are positions of their versions in `index`."""
    return PlannedEpisode(
        tuple(
            PlannedSeat(
                entrant=None if seat.version is None else index.get(seat.version),
                is_filler=seat.is_filler,
                side=None if sides is None else sides[seat.position],
            )
            for seat in seats
        ),
        None,
        0,
    )


def _result(attempt: _Attempt, seats: Sequence[_Seat]) -> EpisodeResult:
    if attempt.status is EpisodeRequestStatus.COMPLETED:
        return EpisodeResult(tuple(seat.score or 0.0 for seat in seats))
    return EpisodeResult(blamed_seat=_blamed(attempt, seats))


def _blamed(attempt: _Attempt, seats: Sequence[_Seat]) -> int | None:
    """Return the seat whose policy is at fault."""
    seat = attempt.failed_seat if attempt.error_type == "player_error" else None
    return seat if seat is not None and seat < len(seats) else None


def _episode(
    number: int,
    attempts: Sequence[_Attempt],
    seats: Sequence[_Seat],
    sides: Sequence[int | None] | None,
    names: Mapping[uuid.UUID, PolicyRef],
    labels: Mapping[uuid.UUID, str],
) -> RoundEpisode:
    attempt = attempts[-1]
    versions = list(dict.fromkeys(seat.version for seat in seats if seat.version is not None))
    index = {version: place for place, version in enumerate(versions)}
    planned = _planned(seats, sides, index)
    won, drawn = _winners(planned, attempt, seats)
    blamed = _blamed(attempt, seats)
    return RoundEpisode(
        id=public_id("ereq", attempt.id),
        number=number + 1,
        label=labels.get(attempt.id),
        status=attempt.status,
        variant_id=attempt.variant_id,
        seats=[
            EpisodeSeatLine(
                position=seat.position,
                player=_player(seat),
                policy=None if seat.version is None else names.get(seat.version),
                name=seat.game_player or "",
                score=seat.score,
                is_filler=seat.is_filler,
                side=None if sides is None else sides[seat.position],
                won=not seat.is_filler and seat.version is not None and index[seat.version] in won,
                at_fault=seat.position == blamed,
            )
            for seat in seats
        ],
        drawn=drawn,
        error=attempt.error,
        error_type=attempt.error_type,
        earlier=[
            EpisodeTry(id=public_id("ereq", one.id), status=one.status, error=one.error, error_type=one.error_type)
            for one in attempts[:-1]
        ],
        completed_at=attempt.completed_at,
    )


def _winners(planned: PlannedEpisode, attempt: _Attempt, seats: Sequence[_Seat]) -> tuple[set[int], bool]:
    """Return the entrants of the best side, and whether all sides are equal."""
    counted = count_episode(planned, _result(attempt, seats)) if attempt.status in ENDED else None
    if counted is None or counted.forfeit is not None:
        return set(), False
    sides = sides_of(planned, counted)
    scores = [side.score for side in sides if side.score is not None]
    if len(sides) < 2 or not scores:
        return set(), False
    if min(scores) == max(scores):
        return set(), True
    return {entrant for side in sides if side.score == max(scores) for entrant in side.entrants}, False


def _player(seat: _Seat) -> PlayerRef | None:
    return None if seat.player_id is None else PlayerRef(id=seat.player_id, name=seat.player_name or seat.player_id)


def entrants_of(session: Session, round_: Round) -> list[RoundEntrant]:
    """Return the entrants of a round, by the names of their players: all that have a seat that counts."""
    statement = (
        select(EpisodeSeat.policy_version_id, EpisodeSeat.player_id, Player.name)
        .join(EpisodeRequest, EpisodeRequest.id == EpisodeSeat.episode_request_id)
        .outerjoin(Player, Player.id == EpisodeSeat.player_id)
        .where(
            EpisodeRequest.round_id == round_.id,
            EpisodeSeat.policy_version_id.is_not(None),
            EpisodeSeat.is_filler.is_(False),
        )
        .distinct()
    )
    found = {version: (player_id, name) for version, player_id, name in session.execute(statement) if version}
    names = names_of(session, list(found))
    entrants = [
        RoundEntrant(
            player=None if player_id is None else PlayerRef(id=player_id, name=name or player_id),
            policy=names[version],
        )
        for version, (player_id, name) in found.items()
    ]
    return sorted(entrants, key=lambda entrant: (_name(entrant).casefold(), entrant.policy.version))


def _name(entrant: RoundEntrant) -> str:
    return entrant.policy.name if entrant.player is None else entrant.player.name


def pairings(session: Session, round_: Round) -> Pairings:
    """Return the meetings that the ladder rates, also while the round is being played."""
    entrants = entrants_of(session, round_)
    index = {entrant.policy.id: place for place, entrant in enumerate(entrants)}
    slots = _slots(round_, [_Attempt(*row) for row in session.execute(_attempts(round_))])
    own = select(EpisodeRequest.id).where(EpisodeRequest.round_id == round_.id, EpisodeRequest.status.in_(ENDED))
    seats = _seats(session, own)
    sides = _planned_sides(round_)
    cells: dict[tuple[int, int], PairingCell] = {}
    for number, attempts in slots.items():
        attempt = attempts[-1]
        here = seats.get(attempt.id)
        if here is None:
            continue
        planned = _planned(here, sides.get(number), index)
        counted = count_episode(planned, _result(attempt, here))
        if counted is None:
            continue
        for one, other in meetings(sides_of(planned, counted)):
            for first in one.entrants:
                for second in other.entrants:
                    _add(cells, first, second, outcome(one, other), public_id("ereq", attempt.id))
    return Pairings(division=division_ref(round_.division), entrants=entrants, cells=list(cells.values()))


def _add(cells: dict[tuple[int, int], PairingCell], first: int, second: int, result: float, episode_id: str) -> None:
    if first > second:
        first, second, result = second, first, 1 - result
    new = PairingCell(first=first, second=second, won=0, drawn=0, lost=0, episode_id=episode_id)
    cell = cells.setdefault((first, second), new)
    cell.won += result == 1
    cell.lost += result == 0
    cell.drawn += 0 < result < 1
    cell.episode_id = episode_id
