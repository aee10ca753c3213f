"""Sandboxes for the tests of this package, and a look at what they leave."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cogbox import Level, Sandbox
from cogbox.selftest import proof
from packages.cogbox.tests.hostile.world import control_groups, mounts
from tests.support import missing


def available(level: Level) -> Sandbox:
    """Return a sandbox of that level, or the test is skipped (in CI: fails) with the reason why there is none."""
    if reason := proof(level).reason:
        missing(f"{level.value}: {reason}")
    return Sandbox(level)


@pytest.fixture(params=[Level.BUBBLEWRAP, Level.NAMESPACES], ids=lambda level: level.value)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """The two levels that start quickly and hold everything a box can have."""
    return available(request.param)


@pytest.fixture
def quick() -> Sandbox:
    """One level, for what has nothing to do with levels."""
    return available(Level.NAMESPACES)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for the boxes of one test, which must be empty again at its end; so must the control groups."""
    folder = Path("/tmp") / f"cogbox-state-{os.getpid()}-{tmp_path.name}"
    monkeypatch.setenv("COGBOX_STATE", str(folder))
    before = mounts()
    yield folder
    assert list(folder.glob("*")) == []
    assert control_groups() == []
    assert mounts() == before
    if folder.exists():
        folder.rmdir()


def python(code: str) -> list[str]:
    """Return a command that runs a few lines of Python."""
    return [sys.executable, "-S", "-E", "-c", code]
