"""Start hosted games, end them, and follow their jobs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.hosted import HostedGame, HostedKind, HostedStatus, Lobby, LobbyStatus
from observatory.database.tables.jobs import Job
from observatory.database.tables.requests import EpisodeRequest
from observatory.errors import Conflict
from observatory.games.coworlds import COWORLD_ENGINE
from observatory.hosting.transitions import move_game, move_lobby
from observatory.job_states import HOSTED, TERMINAL, JobStatus
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.service import Ending, create_job
from observatory.jobs.service import end as end_job
from observatory.public_ids import public_id
from observatory.requests.creation import GAME_PLAYER

__all__ = [
    "LOST",
    "HostedSeat",
    "check_hosting",
    "end_game",
    "follow_job",
    "game_of_job",
    "hosted_spec",
    "mark_running",
    "queue_game",
]

LOST = "The machine that ran the game was lost"
_PLAYING = (LobbyStatus.PENDING, LobbyStatus.RUNNING)


@dataclass(frozen=True)
class HostedSeat:
    """The occupant of a seat: a person, a policy version, or a player of the game itself."""

    name: str
    is_person: bool = False
    policy_version_id: uuid.UUID | None = None
    game_player_id: str | None = None


def check_hosting(coworld: Coworld) -> None:
    """Raise `Conflict` for a game in which people cannot take seats."""
    if coworld.manifest["game"].get("player_runtime") == "game-hosted":
        raise Conflict(f"{coworld.name} runs its players itself, so people cannot join it (unsupported_runtime)")


def hosted_spec(coworld: Coworld, seats: Sequence[HostedSeat], game_config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of a job that hosts a game with these seats."""
    return {
        "game_engine": COWORLD_ENGINE,
        "kind": HOSTED,
        "mode": "play",
        "coworld_id": str(coworld.id),
        "game_config": dict(game_config),
        "policy_uris": [
            GAME_PLAYER if seat.policy_version_id is None else f"metta://policy/{seat.policy_version_id}"
            for seat in seats
        ],
        "policy_names": [seat.name for seat in seats],
        "game_players": [seat.game_player_id for seat in seats],
        "people": [slot for slot, seat in enumerate(seats) if seat.is_person],
        "assignments": list(range(len(seats))),
        "episode_tags": {"source": "hosted", "coworld": coworld.name},
    }


def queue_game(session: Session, game: HostedGame, spec: dict[str, Any], *, now: datetime) -> Job:
    """Let a worker start a game."""
    job = create_job(session, spec, now=now, user_id=game.user_id, job_type=HOSTED)
    game.job_id, game.job = job.id, job
    move_game(session, game, HostedStatus.STARTING, now=now)
    return job


def game_of_job(session: Session, job_id: uuid.UUID) -> HostedGame | None:
    return session.scalar(select(HostedGame).where(HostedGame.job_id == job_id))


def mark_running(session: Session, game: HostedGame, *, now: datetime, server_id: uuid.UUID | None = None) -> None:
    """Note that the pages of a game can be reached through a server; `Conflict` if it is over, or was so before."""
    if game.status is not HostedStatus.STARTING:
        raise Conflict(f"The game is {game.status.value}")
    game.server_id = server_id
    move_game(session, game, HostedStatus.RUNNING, now=now)
    lobby = _lobby(session, game)
    if lobby is not None and lobby.status is LobbyStatus.PENDING:
        move_lobby(session, lobby, LobbyStatus.RUNNING, now=now)


def end_game(session: Session, game: HostedGame, reason: str | None, *, now: datetime) -> None:
    """End a game and its job; `reason` says why if it did not end by itself. A later call changes nothing."""
    if game.status is HostedStatus.ENDED:
        return
    move_game(session, game, HostedStatus.ENDED, now=now, error=reason)
    lobby = _lobby(session, game)
    if lobby is not None and lobby.status in _PLAYING:
        move_lobby(session, lobby, LobbyStatus.ENDED, now=now, error=reason)
    job = game.job
    if job is not None and job.status not in TERMINAL:
        error = ErrorInfo(error_type="cancelled", message=reason or "The game was ended")
        end_job(session, job, Ending(JobStatus.FAILED, error=error), now=now)


def follow_job(session: Session, job: Job, *, now: datetime) -> None:
    """End the game when its job ends. A game that was reachable is not started again on another machine."""
    game = game_of_job(session, job.id)
    if game is None or game.status is HostedStatus.ENDED:
        return
    if job.status is JobStatus.PENDING and game.status is HostedStatus.RUNNING:
        end_game(session, game, LOST, now=now)
    elif job.status is JobStatus.COMPLETED:
        end_game(session, game, None, now=now)
    elif job.status is JobStatus.FAILED:
        end_game(session, game, job.error or LOST, now=now)


def _lobby(session: Session, game: HostedGame) -> Lobby | None:
    if game.kind is not HostedKind.LOBBY:
        return None
    return session.scalar(select(Lobby).where(Lobby.hosted_game_id == game.id))


def episode_spec(spec: dict[str, Any], episode: EpisodeRequest) -> dict[str, Any]:
    """Return the spec of a hosted game that is an episode: its results and its replay are kept."""
    tags = {**spec["episode_tags"], "source": episode.source.value}
    return {**spec, "episode_request_id": public_id("ereq", episode.id), "episode_tags": tags}
