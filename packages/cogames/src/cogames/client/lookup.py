"""Find the user's own policies, matches and assay runs by what they type; refuse what is unknown or ambiguous."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from cogames.client.references import as_uuid, split_reference
from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from cogames.client.server import TournamentServerClient
    from softmax.wire import AssayRunResponse, MatchResponse, PolicyVersionRow

__all__ = ["AmbiguousId", "UnknownPolicy", "find_assay_run", "find_match", "own_version"]

PAGE = 200
CANDIDATES = 5
NEAR = 3


class AmbiguousId(ClientError):
    """A prefix fits several ids; the hints list them."""

    def __init__(self, text: str, noun: str, candidates: Sequence[str]) -> None:
        more = len(candidates) - CANDIDATES
        listed = [*candidates[:CANDIDATES], *([f"and {more} more"] if more > 0 else [])]
        super().__init__(f"'{text}' fits {len(candidates)} {noun}; type more of the id", listed)


class UnknownPolicy(ClientError):
    """The user has no policy of this name or version; the hints are similar names, or the versions it has."""

    def __init__(
        self,
        reference: str,
        rows: Collection[PolicyVersionRow],
        otherwise: str = "cogames submissions lists your policies",
    ) -> None:
        name, version = split_reference(reference)
        versions = sorted({row.version for row in rows if row.name == name})
        if version is not None and versions:
            hints = [f"{name} has version{'s' if len(versions) > 1 else ''} {', '.join(map(str, versions))}"]
        else:
            near = difflib.get_close_matches(name, sorted({row.name for row in rows}), n=NEAR)
            hints = [f"did you mean {' or '.join(near)}?"] if near else [otherwise] if otherwise else []
        super().__init__(f"Policy '{reference}' not found.", hints)


def own_version(client: TournamentServerClient, reference: str) -> PolicyVersionRow:
    """Return the user's policy version for an id, `NAME` (the latest version) or `NAME:v3`."""
    version_id = as_uuid(reference)
    if version_id is not None:
        return client.get_policy_version(version_id)
    row = client.lookup_policy_version(*split_reference(reference))
    if row is None:
        raise UnknownPolicy(reference, client.get_my_policy_versions())
    return row


def find_match(client: TournamentServerClient, text: str, season: str | None = None) -> UUID:
    """Return the id of a match from a full id, or from a prefix of one of the user's matches."""
    full = as_uuid(text)
    if full is not None:
        return full
    versions = [row.id for row in client.get_my_policy_versions()]
    found: dict[UUID, MatchResponse] = {}
    for name in _seasons(client, season) if versions else ():
        for match in _matches(client, name, versions):
            if str(match.id).startswith(text.lower()):
                found[match.id] = match
    if not found:
        raise ClientError(f"Match '{text}' not found among your matches", ["cogames matches lists them"])
    if len(found) > 1:
        raise AmbiguousId(text, "of your matches", [f"{m.id}  {m.season_name}, {m.status}" for m in found.values()])
    return next(iter(found))


def find_assay_run(client: TournamentServerClient, text: str) -> AssayRunResponse | None:
    """Return a run by its id or a prefix of it, or the latest run of a policy; None if the policy has none."""
    run_id = as_uuid(text)
    if run_id is not None:
        return client.get_assay_run(run_id)
    version = client.lookup_policy_version(*split_reference(text))
    if version is not None:
        return next(iter(client.list_assay_runs(version.id)), None)
    runs = [run for run in client.list_assay_runs() if str(run.id).startswith(text.lower())]
    if len(runs) > 1:
        raise AmbiguousId(text, "assay runs", [f"{run.id}  {run.name or 'no name'}, {run.status}" for run in runs])
    if not runs:
        raise UnknownPolicy(text, client.get_my_policy_versions())
    return runs[0]


def _seasons(client: TournamentServerClient, season: str | None) -> Sequence[str]:
    return [season] if season is not None else [summary.name for summary in client.get_seasons()]


def _matches(client: TournamentServerClient, season: str, versions: list[UUID]) -> Iterator[MatchResponse]:
    offset = 0
    while True:
        page = client.get_season_matches(season, versions, limit=PAGE, offset=offset or None)
        yield from page
        if len(page) < PAGE:
            return
        offset += PAGE
