"""Entries of a season as entrants: the bundles that the user may download.

A server gives out bundles with the matches in which they played: those of the user and public ones, once the season
has ended (operators get them before). The downloads stay in the ladder's folder, so that it resumes without the server.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cogames.ladder.entrants import Entrant
from cogames.ladder.errors import LadderError
from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from softmax.wire import PolicyVersionSummary, ReproducedPolicy

__all__ = ["season_entrants"]

MATCHES_TO_TRY = 5


def season_entrants(
    client: Callable[[], TournamentServerClient],
    season: str,
    folder: Path,
    *,
    refresh: bool,
    tell: Callable[[str], None],
) -> list[Entrant]:
    """Return the entries of a season, after downloading their bundles to `folder`.

    Without `refresh`, the entries that the folder has are used and no server is called. Entries that cannot be
    downloaded are left out, each with a sentence to `tell`. Raises `LadderError` if none is left.
    """
    listing = folder / f"{_file_name(season)}.json"
    if refresh or not listing.exists():
        _write(listing, _download(client(), season, folder, tell))
    entries = json.loads(listing.read_bytes())
    if not entries:
        listing.unlink()
        raise LadderError(
            f"Season {season!r} has no entry whose bundle you may download",
            ["bundles of others are available once the season has ended and only if their authors publish them"],
        )
    # The path of the download is not part of the plan.
    return [
        Entrant(entry["name"], f"{season}/{entry['name']}", entry["sha256"], bundle=folder / entry["file"])
        for entry in entries
    ]


def _download(
    client: TournamentServerClient, season: str, folder: Path, tell: Callable[[str], None]
) -> list[dict[str, str]]:
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for entry in sorted(client.get_season_policies(season), key=lambda entry: entry.policy.label):
        label = entry.policy.label
        file = f"{_file_name(season)}-{_file_name(label)}.zip"
        try:
            digest = _download_bundle(client, season, entry.policy, folder / file)
        except ClientError as error:
            tell(f"{label} is left out: {error}")
        else:
            entries.append({"name": label, "file": file, "sha256": digest})
    return entries


def _download_bundle(client: TournamentServerClient, season: str, policy: PolicyVersionSummary, target: Path) -> str:
    """Download the bundle of a policy and return its digest; raise `ClientError` if that is not possible."""
    found = _find_bundle(client, season, policy)
    assert found.bundle_url is not None
    client.download(found.bundle_url, target, f"The bundle of {policy.label}")
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    if found.bundle_sha256 not in (None, digest):
        target.unlink()
        raise ClientError("the downloaded bundle is not the uploaded one")
    return digest


def _find_bundle(client: TournamentServerClient, season: str, policy: PolicyVersionSummary) -> ReproducedPolicy:
    """Return the policy in one of its matches that has its bundle; raise `ClientError` with the reason otherwise."""
    reason = "it has played no match"
    matches = client.get_season_matches(season, policy_version_ids=[policy.id], limit=MATCHES_TO_TRY)
    for match in matches:
        try:
            reproduction = client.get_match_reproduction(match.id)
        except ClientError as error:
            reason = str(error)
            continue
        for found in reproduction.policies:
            if found.policy_version_id == policy.id:
                if found.bundle_url is not None:
                    return found
                reason = found.why_not or "its bundle is not available"
    raise ClientError(reason)


def _write(listing: Path, entries: list[dict[str, str]]) -> None:
    part = listing.with_name(f".{listing.name}.part")
    part.write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")
    os.replace(part, listing)


def _file_name(text: str) -> str:
    """Return the text with everything but letters, digits, `-`, `_` and `.` replaced."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in text).lstrip(".") or "season"
