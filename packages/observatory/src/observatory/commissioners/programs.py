"""Which program is the commissioner of a league, and the configuration that only it may see."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from observatory.coworlds.secrets import read_secret
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import League
from observatory.errors import Conflict
from observatory.games.coworlds import coworlds
from observatory.keys import Keys
from observatory.leagues import repository
from observatory.leagues.wire import OVERLAY_SECRET

__all__ = ["CONTAINER", "Program", "private_config", "program_of", "public_config", "with_private_config"]

CONTAINER = "container"
"""`commissioner_key` of a league whose commissioner is a program"""
RUNNABLE_ID = "commissioner_runnable_id"
OVERLAY_FORMAT = "coworld.commissioner_config_overlay.v1"


@dataclass(frozen=True)
class Program:
    """A commissioner of a Coworld. The version changes with its image, its command and the league's configuration."""

    coworld: Coworld
    runnable_id: str
    version: str
    image: str | None = None


def program_of(session: Session, league: League) -> Program:
    """Return the commissioner of a league; `Conflict` if there is none that could run."""
    coworld = repository.played_coworld(session, league)
    if coworld is None:
        raise Conflict(f"{league.game.coworld_name!r} has no version that the league {league.name!r} could play")
    entries = [*(coworld.manifest.get("commissioner") or []), *coworlds().own_commissioners()]
    chosen = league.commissioner_config.get(RUNNABLE_ID)
    entry = next((entry for entry in entries if chosen in (None, entry["id"])), None)
    if entry is None:
        known = ", ".join(entry["id"] for entry in entries)
        raise Conflict(f"{coworld.name} {coworld.version} has no commissioner {str(chosen)[:80]!r}; it has: {known}")
    digest = hashlib.sha256(json.dumps([entry, league.commissioner_config], sort_keys=True).encode())
    return Program(coworld, entry["id"], digest.hexdigest(), entry.get("image"))


def public_config(league: League) -> dict[str, Any]:
    """Return the configuration that everyone may see, without the name of the private one."""
    return {key: value for key, value in league.commissioner_config.items() if key != OVERLAY_SECRET}


def private_config(session: Session, keys: Keys, league: League, coworld: Coworld) -> dict[str, Any]:
    """Return the values that a secret of the game adds to the configuration; `Conflict` if it is malformed."""
    name = league.commissioner_config.get(OVERLAY_SECRET)
    if name is None:
        return {}
    problem = f"The secret {str(name)[:80]!r} of {coworld.name} is not a configuration: "
    try:
        document = json.loads(read_secret(session, keys, coworld, str(name)))
    except ValueError:
        raise Conflict(f"{problem}it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != OVERLAY_FORMAT:
        raise Conflict(f'{problem}it must have "format": "{OVERLAY_FORMAT}"')
    overrides = document.get("commissioner_config_overrides")
    if not isinstance(overrides, dict):
        raise Conflict(f"{problem}`commissioner_config_overrides` must be an object")
    return overrides


def with_private_config(message: dict[str, Any], private: dict[str, Any]) -> dict[str, Any]:
    """Return a message to a commissioner with the private values. Stored messages never have them."""
    if not private:
        return message
    message = dict(message)
    if isinstance(league := message.get("league"), dict):
        message["league"] = {**league, "commissioner_config": {**(league["commissioner_config"] or {}), **private}}
    if "commissioner_config" in message:
        message["commissioner_config"] = {**(message["commissioner_config"] or {}), **private}
    return message
