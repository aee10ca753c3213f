"""Manifests are checked in this process, which is quicker than a sandbox; tests of the sandbox ask for `sandboxed`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from coworld.league import inspection as program
from observatory.coworlds.inspection import ManifestRefused


@pytest.fixture(autouse=True)
def quick_inspection(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sandboxed" not in request.fixturenames:
        monkeypatch.setattr("observatory.coworlds.publishing.inspect_manifest", _inspect)


@pytest.fixture
def sandboxed() -> None:
    """Check manifests as servers do."""


def _inspect(manifest: Mapping[str, Any]) -> None:
    answer = program.inspect("manifest", json.dumps(manifest).encode())
    if "refused" in answer:
        raise ManifestRefused(str(answer["refused"]))
