"""The place of spectators in an episode: its token, which is part of all its addresses.

A caller who may see the episode gets the token. It is valid while a worker has the job.
"""

from __future__ import annotations

import hmac
import re
import uuid

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.hosted import HostedKind, HostedStatus
from observatory.database.tables.jobs import Job
from observatory.errors import NotFound
from observatory.hosting.places import UNKNOWN, PlaceView
from observatory.job_states import IN_WORK, TERMINAL
from observatory.keys import Keys
from observatory.live.rules import shows_itself
from observatory.signing import Signer

__all__ = ["is_spectator", "spectator_place", "spectator_token"]

_TOKEN = re.compile(r"watch\.([0-9a-f]{32})\.([\w-]+)")


def spectator_token(keys: Keys, job_id: uuid.UUID) -> str:
    """Return the token of the spectators of a job."""
    return f"watch.{job_id.hex}.{_mac(keys, job_id)}"


def is_spectator(token: str) -> bool:
    """Return whether a token looks like one of spectators."""
    return _TOKEN.fullmatch(token) is not None


def spectator_place(session: Session, keys: Keys, token: str) -> PlaceView:
    """Return the place of a token; `NotFound` for a wrong one. It is running if a worker has the job."""
    match = _TOKEN.fullmatch(token)
    job_id = None if match is None else uuid.UUID(match[1])
    if match is None or job_id is None or not hmac.compare_digest(match[2], _mac(keys, job_id)):
        raise NotFound(UNKNOWN)
    status = session.scalar(select(Job.status).where(Job.id == job_id))
    if status is None or not shows_itself(session, job_id):
        raise NotFound(UNKNOWN)
    is_running = status in IN_WORK
    state = HostedStatus.ENDED if status in TERMINAL else HostedStatus.RUNNING if is_running else HostedStatus.STARTING
    return PlaceView(job_id, job_id, job_id, HostedKind.PLAY, None, state.value, None, True, 0, 0)


def _mac(keys: Keys, job_id: uuid.UUID) -> str:
    return Signer(keys.secret, "spectators of an episode").mac(str(job_id))
