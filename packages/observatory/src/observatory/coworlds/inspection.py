"""Check untrusted manifests, and configurations against their schemas, in a sandbox."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

import anyio

import cogbox
from observatory.errors import NotConfigured, Unprocessable
from observatory.games.coworlds import coworlds

__all__ = ["ManifestRefused", "inspect_config", "inspect_manifest", "inspectors"]

logger = logging.getLogger(__name__)

_LIMITS = cogbox.Limits(
    memory=1 << 30, wall_seconds=20, processes=16, output_bytes=1 << 20, file_bytes=1 << 20, disk_bytes=1 << 20
)

# A check takes a core for up to 20 seconds: requests that wait for it must not hold the threads that serve others.
inspectors = anyio.CapacityLimiter(2)


class ManifestRefused(Unprocessable):
    """The manifest breaks a rule."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The manifest was refused: {why}")


def inspect_manifest(manifest: Mapping[str, Any]) -> None:
    """Check a manifest with the rules of the package `coworld`; raise `ManifestRefused` with the first problem."""
    if problem := _refusal("manifest", manifest):
        raise ManifestRefused(problem)


def inspect_config(config_schema: Mapping[str, Any], game_config: Mapping[str, Any], seats: int) -> str | None:
    """Return why a game's schema refuses a configuration; None if it does not."""
    return _refusal("config", {"config_schema": config_schema, "game_config": game_config, "seats": seats})


def _refusal(kind: str, document: Mapping[str, Any]) -> str | None:
    """Return what the inspector of the package `coworld` objects to, if anything."""
    game = coworlds()
    try:
        sandbox = cogbox.sandbox(at_most=cogbox.Level.BUBBLEWRAP)
    except cogbox.LevelMissing as error:
        logger.error("A %s cannot be checked: %s", kind, error)
        raise NotConfigured(
            f"This server has no sandbox to check a {kind} in; `python -m cogbox doctor` says why"
        ) from None
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(document).encode())
        file.seek(0)
        result = sandbox.run(
            [sys.executable, "-m", game.inspector, kind],
            env={"PYTHONDONTWRITEBYTECODE": "1"},
            mounts=cogbox.python_runtime(*game.inspector_packages),
            stdin=file,
            limits=_LIMITS,
        )
    if not result.ok:
        logger.warning("Check of a %s %s: %s", kind, result.detail, result.stderr[-2000:].decode(errors="replace"))
        return f"it could not be checked within the limits, because the check {result.detail}"
    output: dict[str, Any] = json.loads(result.stdout)
    return output.get("refused")
