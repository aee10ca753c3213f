"""Episodes of Coworlds in lists: who played, in which round, and what happened in one sentence."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import Division, League, Round
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, EpisodeSeat, RequestSource
from observatory.experience import access, repository
from observatory.experience.repository import EpisodeFilter
from observatory.experience.wire import replay_key
from observatory.leagues.repository import visible_divisions
from observatory.pages.episode_schemas import EpisodeCoworld, EpisodeLine, EpisodeRound, FaultKind, SeatLine
from observatory.pages.faults import SENTENCES, fault_kind
from observatory.pages.names import names_of
from observatory.pages.schemas import PolicyRef
from observatory.public_ids import public_id

__all__ = ["episode_lines", "recent_episodes", "rounds_of", "sentence"]

_WAITING = {
    EpisodeRequestStatus.PENDING: "Waits for a free worker",
    EpisodeRequestStatus.SUBMITTED: "A worker prepares the game",
    EpisodeRequestStatus.RUNNING: "The game is running",
    EpisodeRequestStatus.CANCELLED: "The request was cancelled before the episode was played",
}
MAX_WINNERS = 3


def episode_lines(
    session: Session, episodes: Sequence[EpisodeRequest], principal: Principal | None
) -> list[EpisodeLine]:
    """Return episodes that the caller may see, in a constant number of queries."""
    versions = {seat.policy_version_id for episode in episodes for seat in episode.seats}
    names = names_of(session, [version for version in versions if version is not None])
    rounds = rounds_of(session, [episode.round_id for episode in episodes if episode.round_id is not None], principal)
    return [_line(episode, principal, names, rounds) for episode in episodes]


def recent_episodes(
    session: Session, filters: EpisodeFilter, principal: Principal | None, limit: int
) -> list[EpisodeLine]:
    """Return the newest episodes that fit and that the caller may see."""
    statement = select(EpisodeRequest).where(repository.visible(principal), *filters.conditions())
    newest = (EpisodeRequest.created_at.desc(), EpisodeRequest.id.desc())
    rows = session.scalars(statement.options(*repository.with_all()).order_by(*newest).limit(limit)).all()
    return episode_lines(session, rows, principal)


def rounds_of(
    session: Session, round_ids: Iterable[uuid.UUID], principal: Principal | None
) -> dict[uuid.UUID, EpisodeRound]:
    """Return the rounds that the caller may see, by id."""
    statement = (
        select(Round.id, Round.round_number, Division.id, Division.name, League.id, League.name)
        .join(Division, Round.division_id == Division.id)
        .join(League, Division.league_id == League.id)
        .where(Round.id.in_(set(round_ids)), visible_divisions(principal))
    )
    return {
        round_id: EpisodeRound(
            id=public_id("round", round_id),
            number=number,
            division_id=public_id("div", division_id),
            division=division,
            league_id=public_id("league", league_id),
            league=league,
        )
        for round_id, number, division_id, division, league_id, league in session.execute(statement)
    }


def sentence(episode: EpisodeRequest, seats: Sequence[SeatLine]) -> str:
    """Return what happened in an episode, without a full stop."""
    if episode.status is EpisodeRequestStatus.COMPLETED:
        return _result(seats)
    if episode.status is not EpisodeRequestStatus.FAILED:
        return _WAITING[episode.status]
    kind = fault_kind(episode.error_type or "platform_error", episode.failed_policy_index)
    if kind is not FaultKind.POLICY:
        return f"The episode failed. {SENTENCES[kind]}"
    guilty = next((seat for seat in seats if seat.at_fault), None)
    name = "A policy" if guilty is None else guilty.name
    return f"{name} forfeited: its program failed in seat {episode.failed_policy_index}"


def _result(seats: Sequence[SeatLine]) -> str:
    scored = [seat for seat in seats if seat.rank is not None]
    if not scored:
        return "The episode ended without scores"
    first = [seat for seat in scored if seat.rank == 1]
    if len(scored) == 1:
        return f"{first[0].name} scored {_number(first[0].score)}"
    if len({seat.name for seat in scored}) == 1:  # it played alone
        low, high = (_number(end(seat.score or 0.0 for seat in scored)) for end in (min, max))
        return f"Every seat scored {high}" if low == high else f"The seats scored {low} to {high}"
    names = " and ".join(seat.name for seat in first[:MAX_WINNERS])
    if len(first) == len(scored):
        return f"A draw: every seat scored {_number(first[0].score)}"
    if len(first) > 1:
        more = f" and {len(first) - MAX_WINNERS} more" if len(first) > MAX_WINNERS else ""
        return f"{names}{more} shared the first place with {_number(first[0].score)}"
    second = max((seat for seat in scored if seat.rank != 1), key=lambda seat: seat.score or 0.0)
    return f"{names} won with {_number(first[0].score)}, ahead of {second.name} with {_number(second.score)}"


def _number(score: float | None) -> str:
    return "no score" if score is None else f"{score:.4g}"


def _line(
    episode: EpisodeRequest,
    principal: Principal | None,
    names: Mapping[uuid.UUID, PolicyRef],
    rounds: Mapping[uuid.UUID, EpisodeRound],
) -> EpisodeLine:
    own = {seat.position for seat in access.own_seats(episode, principal)}
    ranks = _ranks(episode.seats)
    failed = episode.status is EpisodeRequestStatus.FAILED
    seats = [
        SeatLine(
            position=seat.position,
            name=_name(episode, seat, names),
            policy=None if seat.policy_version_id is None else names.get(seat.policy_version_id),
            player_id=seat.player_id,
            player=None if seat.player is None else seat.player.name,
            is_filler=seat.is_filler,
            score=seat.score,
            rank=ranks.get(seat.position),
            at_fault=failed and episode.failed_policy_index == seat.position,
            mine=seat.position in own,
            has_log=False,
            has_artifact=False,
        )
        for seat in episode.seats
    ]
    return EpisodeLine(
        id=public_id("ereq", episode.id),
        status=episode.status,
        source=episode.source,
        coworld=coworld_of(episode),
        round=None if episode.round_id is None else rounds.get(episode.round_id),
        seats=seats,
        sentence=sentence(episode, seats),
        created_at=episode.created_at,
        completed_at=episode.completed_at,
        has_replay=replay_key(episode) is not None,
        is_live=episode.status is EpisodeRequestStatus.RUNNING and episode.source is not RequestSource.LOBBY,
    )


def coworld_of(episode: EpisodeRequest) -> EpisodeCoworld:
    variants: Sequence[Mapping[str, Any]] = episode.coworld.manifest.get("variants") or []
    names = {variant.get("id"): variant.get("name") for variant in variants}
    return EpisodeCoworld(
        id=public_id("cow", episode.coworld_id),
        name=episode.coworld.name,
        version=episode.coworld.version,
        variant_id=episode.variant_id,
        variant=names.get(episode.variant_id),
    )


def _name(episode: EpisodeRequest, seat: EpisodeSeat, names: Mapping[uuid.UUID, PolicyRef]) -> str:
    """Return the name of a seat: the policy, or the player in the game's manifest."""
    if seat.policy_version_id is not None:
        policy = names.get(seat.policy_version_id)
        return "a policy" if policy is None else f"{policy.name} v{policy.version}"
    players: Sequence[Mapping[str, Any]] = episode.coworld.manifest.get("player") or []
    named = {player.get("id"): player.get("name") for player in players}
    return named.get(seat.game_player_id) or seat.game_player_id or (seat.player.name if seat.player else "a person")


def _ranks(seats: Sequence[EpisodeSeat]) -> dict[int, int]:
    scores = [seat.score for seat in seats if seat.score is not None]
    return {seat.position: 1 + sum(score > seat.score for score in scores) for seat in seats if seat.score is not None}
