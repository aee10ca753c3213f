"""Rows of a league as the parts of messages to its commissioner. Ids are bare UUIDs there."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory.commissioners.programs import public_config
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import (
    Division,
    League,
    LeagueSubmission,
    Membership,
    Round,
    RoundResult,
    RoundStatus,
)
from observatory.database.tables.requests import EpisodeRequest
from observatory.games.coworlds import coworlds
from observatory.leagues.entries import live_memberships
from observatory.public_ids import public_id

__all__ = [
    "division_info",
    "episode_result",
    "league_info",
    "memberships",
    "open_divisions",
    "recent_results",
    "recent_rounds",
    "round_info",
    "variants",
]

RECENT_ROUNDS = 50
"""of a league, newest first"""


def league_info(league: League) -> dict[str, Any]:
    return {
        "id": str(league.id),
        "commissioner_key": league.commissioner_key,
        "commissioner_config": public_config(league),
    }


def division_info(division: Division) -> dict[str, Any]:
    return {
        "id": str(division.id),
        "name": division.name,
        "level": division.level,
        "type": division.type.value,
    }


def open_divisions(session: Session, league: League) -> list[Division]:
    """Return the divisions that are not archived, the best first."""
    statement = select(Division).where(Division.league_id == league.id, Division.archived_at.is_(None))
    return list(session.scalars(statement.order_by(Division.level.desc(), Division.name)))


def memberships(session: Session, league: League) -> list[dict[str, Any]]:
    """Return the live memberships of a league, oldest first."""
    rows = sorted(live_memberships(session, league.id), key=lambda row: (row.created_at, row.id))
    submitted = select(LeagueSubmission.membership_id, LeagueSubmission.preferences)
    found = session.execute(submitted.where(LeagueSubmission.membership_id.in_([row.id for row in rows])))
    preferences: dict[uuid.UUID, dict[str, Any]] = {row[0]: row[1] for row in found}
    return [_membership_info(row, preferences.get(row.id, {})) for row in rows]


def _membership_info(membership: Membership, preferences: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": str(membership.id),
        "league_id": str(membership.league_id),
        "division_id": str(membership.division_id),
        "policy_version_id": str(membership.policy_version_id),
        "player_id": membership.player_id,
        "player_name": membership.player.name,
        "preferences": preferences,
        "status": membership.status.value,
        "substatus": membership.substatus,
        "is_champion": membership.is_champion,
    }


def recent_rounds(
    session: Session, league: League, *, division: Division | None = None, status: RoundStatus | None = None
) -> Sequence[Round]:
    """Return the last rounds of a league or of one division, newest first, with their results."""
    statement = (
        select(Round)
        .join(Round.division)
        .where(Division.league_id == league.id)
        .options(joinedload(Round.division), selectinload(Round.results).joinedload(RoundResult.player))
    )
    if division is not None:
        statement = statement.where(Round.division_id == division.id)
    if status is not None:
        statement = statement.where(Round.status == status)
    return session.scalars(statement.order_by(Round.created_at.desc(), Round.id.desc()).limit(RECENT_ROUNDS)).all()


def round_info(round_: Round) -> dict[str, Any]:
    return {
        "id": str(round_.id),
        "public_id": public_id("round", round_.id),
        "division_id": str(round_.division_id),
        "round_number": round_.round_number,
        "status": round_.status.value,
        "round_config": round_.round_config,
        "created_at": _time(round_.created_at),
        "started_at": _time(round_.started_at),
        "completed_at": _time(round_.completed_at),
    }


def recent_results(rounds: Iterable[Round]) -> list[dict[str, Any]]:
    """Return the results of rounds, in the order of the rounds, by rank."""
    return [
        {
            "round_id": str(round_.id),
            "division_id": str(round_.division_id),
            "round_number": round_.round_number,
            "policy_version_id": str(result.policy_version_id),
            "rank": result.rank,
            "score": result.score,
            "player_id": result.player_id,
            "player_name": None if result.player is None else result.player.name,
            "result_metadata": result.result_metadata,
            "completed_at": _time(round_.completed_at),
        }
        for round_ in rounds
        for result in round_.results
    ]


def variants(coworld: Coworld) -> list[dict[str, Any]]:
    """Return the variants of a game, in the order of its manifest."""
    manifest = coworld.manifest
    return [
        {
            "id": variant["id"],
            "name": variant.get("name") or variant["id"],
            "game_config": variant["game_config"],
            "num_agents": max(1, len(coworlds().own_players(manifest, variant_id=variant["id"]))),
        }
        for variant in manifest.get("variants") or []
    ]


def episode_result(request_id: str, episode: EpisodeRequest, job: Job) -> dict[str, Any]:
    """Return how an episode ended: the mean score of each policy version over its seats, and the game's numbers."""
    seats: dict[uuid.UUID, list[float]] = {}
    players: dict[uuid.UUID, str | None] = {}
    for seat in episode.seats:
        if seat.policy_version_id is not None and seat.score is not None:
            seats.setdefault(seat.policy_version_id, []).append(seat.score)
            players[seat.policy_version_id] = seat.player_id
    return {
        "request_id": request_id,
        "scores": [
            {
                "policy_version_id": str(version_id),
                "player_id": players[version_id],
                "score": sum(scores) / len(scores),
                "scores": {"score": sum(scores) / len(scores)},
            }
            for version_id, scores in seats.items()
        ],
        "game_results": _game_results(job.result or {}),
    }


def _game_results(result: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of a `results.json` as the queue keeps them."""
    stats = result.get("stats") or {}
    agents = stats.get("agent") or []
    names = dict.fromkeys(name for agent in agents for name in agent)
    by_seat = {name: [agent.get(name) for agent in agents] for name in names}
    return {**by_seat, **(stats.get("game") or {}), "scores": result.get("rewards", []), "steps": result.get("steps")}


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
