"""Inspect untrusted bundles."""

from __future__ import annotations

import hashlib
import json
import logging
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cogbox
from observatory import games
from observatory.documents import check_document
from observatory.errors import BadRequest, NotConfigured
from observatory.policies.names import is_host

__all__ = ["BundleFacts", "inspect_bundle"]

logger = logging.getLogger(__name__)

MAX_HOSTS = 20
_LIMITS = cogbox.Limits(
    memory=1 << 30, wall_seconds=100, processes=16, output_bytes=16 << 20, file_bytes=1 << 30, disk_bytes=1 << 30
)
_MAX_SENTENCE = 500


@dataclass(frozen=True)
class BundleFacts:
    """The facts about an accepted bundle."""

    spec: dict[str, Any]
    network_hosts: list[str]
    size: int
    sha256: str


class BundleRefused(BadRequest):
    def __init__(self, why: str) -> None:
        super().__init__(f"The bundle was refused: {why[:_MAX_SENTENCE]}")


def inspect_bundle(path: Path) -> BundleFacts:
    """Read a bundle in a sandbox without running its code; raise `BundleRefused` with the reason if it is rejected."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    manifests = _manifests(path)
    return BundleFacts(_spec(manifests), _declared_hosts(manifests), path.stat().st_size, sha256)


def _manifests(path: Path) -> dict[str, str]:
    """Run the inspection; whatever it did beyond its limits is a refusal too."""
    game = games.season_game()
    try:
        sandbox = cogbox.sandbox(at_most=cogbox.Level.BUBBLEWRAP)
    except cogbox.LevelMissing as error:
        logger.error("Bundles cannot be checked: %s", error)
        raise NotConfigured(
            "This server has no sandbox to read bundles in; `python -m cogbox doctor` says why"
        ) from None
    with path.open("rb") as bundle:
        result = sandbox.run(
            [sys.executable, "-m", game.bundle_inspector],
            env={"PYTHONDONTWRITEBYTECODE": "1"},
            mounts=cogbox.python_runtime(*game.bundle_inspector_packages),
            stdin=bundle,
            limits=_LIMITS,
        )
    if not result.ok:
        logger.warning("Inspection of a bundle %s: %s", result.detail, result.stderr[-2000:].decode(errors="replace"))
        raise BundleRefused(f"it could not be read within the limits, because the inspection {result.detail}")
    output: dict[str, Any] = json.loads(result.stdout)
    if "refused" in output:
        raise BundleRefused(output["refused"])
    manifests: dict[str, str] = output["manifests"]
    return manifests


def _spec(manifests: Mapping[str, str]) -> dict[str, Any]:
    """Return the policy spec from the manifest."""
    with tempfile.TemporaryDirectory(prefix="observatory-") as folder:
        for name, text in manifests.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        try:
            return check_document(games.season_game().read_policy_spec(Path(folder)))
        except FileNotFoundError:
            raise BundleRefused("neither policy_spec.json nor cogames.toml is at its root") from None
        except (ValueError, RecursionError) as error:
            raise BundleRefused(str(error).replace(f"{folder}/", "")) from None


def _declared_hosts(manifests: Mapping[str, str]) -> list[str]:
    """Return `network_hosts` of the manifest: the hosts to which the policy asks to connect."""
    if "policy_spec.json" in manifests:
        hosts = json.loads(manifests["policy_spec.json"]).get("network_hosts")
    else:
        hosts = tomllib.loads(manifests["cogames.toml"])["policy"].get("network_hosts")
    if hosts is None:
        return []
    if not isinstance(hosts, list) or len(hosts) > MAX_HOSTS or not all(isinstance(host, str) for host in hosts):
        raise BundleRefused(f"network_hosts must be a list of at most {MAX_HOSTS} host names")
    wrong = [host for host in hosts if not is_host(host)]
    if wrong:
        raise BundleRefused(f"network_hosts holds {wrong[0][:80]!r}, which is not a host name")
    return sorted(set(hosts))
