"""A manifest as the page shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from coworld.manifest.package import CoworldPackage
from coworld.optimize.errors import OptimizeError
from coworld.optimize.optimizer_source import DEFAULT_OPTIMIZER

ROLES = ("reporter", "grader", "diagnoser", "optimizer")


@contextmanager
def opened_manifest(manifest: str) -> Iterator[CoworldPackage]:
    """Open a manifest as the commands do: a path, a folder, an address or the name of an installed Coworld.

    Raises:
        CoworldError: it cannot be read.
    """
    from coworld.manifest.arguments import opened
    from softmax.cli.errors import CommandError

    try:
        with opened(manifest) as package:
            yield package
    except CommandError as error:
        raise OptimizeError(str(error), hint=next(iter(error.hints), None)) from None


def world_of(package: CoworldPackage) -> dict[str, Any]:
    """Return the names and ids of a manifest."""
    manifest = package.manifest
    return {
        "name": manifest.game.name,
        "version": manifest.game.version,
        "description": manifest.game.description,
        "players": [{"id": player.id, "name": player.name} for player in manifest.player if player.image is not None],
        "variants": [{"id": variant.id, "name": variant.name} for variant in manifest.variants],
        "advises": (manifest.optimizer[0].image if manifest.optimizer else DEFAULT_OPTIMIZER) == DEFAULT_OPTIMIZER,
        "roles": {role: [_id(entry) for entry in getattr(manifest, role)] for role in ROLES},
    }


def _id(entry: Any) -> str:
    """Return the id of an entry; a published reporter has its reference instead."""
    return str(getattr(entry, "id", None) or getattr(entry, "reporter", ""))
