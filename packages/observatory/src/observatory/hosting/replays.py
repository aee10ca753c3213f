"""Hosted replays: the game of an episode runs on a worker and shows the stored replay."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.hosted import HostedGame, HostedKind, HostedPlace, HostedStatus
from observatory.database.tables.requests import EpisodeRequest
from observatory.games.coworlds import COWORLD_ENGINE
from observatory.hosting import games
from observatory.hosting.limits import check_limits
from observatory.hosting.places import take_place
from observatory.job_states import HOSTED
from observatory.keys import Keys
from observatory.settings import Settings

__all__ = ["has_static_viewer", "open_replay"]


def has_static_viewer(episode: EpisodeRequest) -> bool:
    """Return whether the game brings pages that show a replay without the game."""
    return bool(episode.coworld.manifest["game"].get("replay_viewer"))


def open_replay(
    session: Session,
    principal: Principal,
    episode: EpisodeRequest,
    replay_key: str,
    *,
    settings: Settings,
    keys: Keys,
    now: datetime,
) -> HostedPlace:
    """Return the place from which the caller watches a replay. One that the caller has open is not started again."""
    statement = select(HostedGame).where(
        HostedGame.kind == HostedKind.REPLAY,
        HostedGame.user_id == principal.user_id,
        HostedGame.episode_request_id == episode.id,
        HostedGame.status != HostedStatus.ENDED,
    )
    known = session.scalar(statement)
    if known is not None:
        return known.places[0]
    check_limits(session, principal.user_id, settings=settings, now=now)
    game = HostedGame(
        id=new_id(),
        kind=HostedKind.REPLAY,
        status=HostedStatus.OPEN,
        user_id=principal.user_id,
        coworld_id=episode.coworld_id,
        seats=[],
        allow_spectators=True,
        episode_request_id=episode.id,
        created_at=now,
    )
    game.coworld = episode.coworld
    session.add(game)
    session.flush()
    place = take_place(session, game, principal, None, keys=keys, now=now)
    spec = {
        "game_engine": COWORLD_ENGINE,
        "kind": HOSTED,
        "mode": "replay",
        "coworld_id": str(episode.coworld_id),
        "replay": replay_key,
        "policy_uris": [],
        "assignments": [],
    }
    games.queue_game(session, game, spec, now=now)
    return place
