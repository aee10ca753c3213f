"""Validate the spec of a job before it is queued."""

from __future__ import annotations

import re
import uuid
from typing import Any

from pydantic import ValidationError

from observatory import games
from observatory.errors import BadRequest
from observatory.games import Game, GameMissing

__all__ = ["check_spec", "policy_version_id", "registered_policy"]

_ADDRESS = re.compile(r"metta://policy/([A-Za-z0-9_.\-]+)")
MAX_AGENTS = 1000


def check_spec(spec: dict[str, Any]) -> None:
    """Reject a spec that no worker could play: a URI that is not a policy of this server, seats that do not fit."""
    engine = games.engine_of(spec)
    try:
        game = games.find(engine)
        game.check_job(spec)
    except GameMissing:
        raise BadRequest(f"The job cannot be played: there is no runner for games of the engine {engine!r}") from None
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadRequest(f"The job cannot be played: {where}: {first['msg']}") from None
    except ValueError as problem:
        raise BadRequest(f"The job cannot be played: {problem}") from None
    for uri in spec["policy_uris"]:
        if policy_version_id(uri) is None and registered_policy(uri, game) is None:
            raise BadRequest("The policies of a job are addresses such as metta://policy/<policy version id>")


def policy_version_id(uri: str) -> uuid.UUID | None:
    """Return the id of the version that a URI names; None if it names none on this server."""
    match = _ADDRESS.fullmatch(uri)
    try:
        return None if match is None else uuid.UUID(match[1])
    except ValueError:
        return None


def registered_policy(uri: str, game: Game) -> str | None:
    """Return the installed policy that a URI names by its short name, such as `metta://policy/random`."""
    match = _ADDRESS.fullmatch(uri)
    return match[1] if match is not None and game.has_policy(match[1]) else None
