"""Policies and leagues as people write them: by name, by name and version, or by id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import UUID

from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from coworld.server.api_client import CoworldApiClient

__all__ = ["parse_policy_identifier", "policy_version_of", "resolve_league_id"]

_VERSION = re.compile(r"v?([1-9][0-9]{0,8})")


def parse_policy_identifier(identifier: str) -> tuple[str, int | None]:
    """Return the name and version of `NAME`, `NAME:vN` or `NAME:N`; no version means the newest.

    Raises:
        ValueError: there is no name, or the version is not a number from 1.
    """
    name, colon, version = identifier.partition(":")
    if not name:
        raise ValueError(f"{identifier!r} has no policy name")
    if not colon:
        return name, None
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"Invalid policy version in {identifier!r}: write NAME:v1")
    return name, int(match[1])


def policy_version_of(client: CoworldApiClient, reference: str) -> UUID:
    """Return the id of one of your policy versions, by name or id.

    Raises:
        ClientError: you have no such policy.
        ValueError: the reference is malformed.
    """
    try:
        return UUID(reference)
    except ValueError:
        pass
    name, version = parse_policy_identifier(reference)
    row = client.lookup_policy_version(name=name, version=version)
    if row is None:
        raise ClientError(f"You have no policy {reference}", ["coworld upload-policy uploads one", "give its full id"])
    return row.id


def resolve_league_id(client: CoworldApiClient, league: str) -> str:
    """Return the id of a league: as given, or of the one league with this name, in upper or lower case.

    Raises:
        ClientError: no league has this name, or several have.
    """
    if league.startswith("league_"):
        return league
    named = [row for row in client.list_leagues() if row.name.casefold() == league.casefold()]
    if len(named) == 1:
        return named[0].id
    what = "No league has" if not named else f"{len(named)} leagues have"
    raise ClientError(f"{what} the name {league!r}", ["coworld leagues lists their ids"])
