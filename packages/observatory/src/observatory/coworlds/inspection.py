"""Check untrusted manifests in a sandbox."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

import cogbox
from observatory.errors import NotConfigured, Unprocessable
from observatory.games.coworlds import coworlds

__all__ = ["ManifestRefused", "inspect_manifest"]

logger = logging.getLogger(__name__)

_LIMITS = cogbox.Limits(
    memory=1 << 30, wall_seconds=20, processes=16, output_bytes=1 << 20, file_bytes=1 << 20, disk_bytes=1 << 20
)


class ManifestRefused(Unprocessable):
    """The manifest breaks a rule."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The manifest was refused: {why}")


def inspect_manifest(manifest: Mapping[str, Any]) -> None:
    """Check a manifest with the rules of the package `coworld`; raise `ManifestRefused` with the first problem."""
    game = coworlds()
    try:
        sandbox = cogbox.sandbox(at_most=cogbox.Level.BUBBLEWRAP)
    except cogbox.LevelMissing as error:
        logger.error("Manifests cannot be checked: %s", error)
        raise NotConfigured(
            "This server has no sandbox to check manifests in; `python -m cogbox doctor` says why"
        ) from None
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(manifest).encode())
        file.seek(0)
        result = sandbox.run(
            [sys.executable, "-m", game.manifest_inspector],
            env={"PYTHONDONTWRITEBYTECODE": "1"},
            mounts=cogbox.python_runtime(*game.manifest_inspector_packages),
            stdin=file,
            limits=_LIMITS,
        )
    if not result.ok:
        logger.warning("Check of a manifest %s: %s", result.detail, result.stderr[-2000:].decode(errors="replace"))
        raise ManifestRefused(f"it could not be checked within the limits, because the check {result.detail}")
    output: dict[str, Any] = json.loads(result.stdout)
    if "refused" in output:
        raise ManifestRefused(output["refused"])
