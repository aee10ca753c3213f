"""What the server asks about the manifests of uploaded Coworlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packaging.version import Version

from coworld.engines.local_images import LocalImages
from coworld.errors import DocumentError
from coworld.manifest.reader import read_downloaded_manifest
from coworld.manifest.tokens import slot_count, token_count_bounds
from coworld.roles.images import reporter_image

__all__ = ["is_own_image", "is_own_reporter", "next_patch", "own_players"]


def is_own_image(image: str) -> bool:
    """Return whether an installed package brings the program of an image, so that it runs without containers."""
    return LocalImages().has(image)


def is_own_reporter(reference: str) -> bool:
    """Return whether `owner/name@version` is a reporter that comes with this package."""
    return reporter_image(reference) is not None


def next_patch(versions: Sequence[str]) -> str:
    """Return the version after the highest: `1.2` gives `1.2.1`, `1.2.3` gives `1.2.4`."""
    release = [*max(Version(version) for version in versions).release, 0, 0][:3]
    return ".".join(map(str, [*release[:2], release[2] + 1]))


def own_players(document: Mapping[str, Any], *, variant_id: str | None) -> list[str]:
    """Return the ids of the game's own players for the seats of a variant, or of the certification fixture."""
    manifest = read_downloaded_manifest(dict(document))
    players = [seat.player_id for seat in manifest.certification.players]
    if variant_id is None:
        return players
    variant = next(variant for variant in manifest.variants if variant.id == variant_id)
    schema = manifest.game.config_schema
    try:
        seats = slot_count(schema, variant.game_config)
    except DocumentError:  # any number within the bounds will do
        fewest, most = token_count_bounds(schema)
        seats = min(max(fewest, len(players)), most)
    return [players[seat % len(players)] for seat in range(seats)]
