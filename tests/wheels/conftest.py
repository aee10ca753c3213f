"""The engine's source archive, its wheel, and an empty environment with the wheel: made once for all tests here."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import workspace

DIST = workspace.ROOT / "dist"
BUILD = workspace.ROOT / "build" / "wheels"
LOG = BUILD / "log"


@pytest.fixture(scope="session")
def sdist() -> Iterator[Path]:
    """dist/mettagrid-VERSION.tar.gz, made from the working tree."""
    with workspace.locked("wheels"):
        yield _make_sdist()


def _make_sdist() -> Path:
    for old in DIST.glob("mettagrid-*"):
        old.unlink()
    make = f"from scikit_build_core.build import build_sdist; print(build_sdist({str(DIST)!r}))"
    name = subprocess.check_output(
        [sys.executable, "-c", make], cwd=workspace.ROOT / "packages" / "mettagrid", text=True
    )
    return DIST / name.splitlines()[-1]


@pytest.fixture(scope="session")
def wheel(sdist: Path) -> Path:
    """dist/mettagrid-VERSION-....whl, made from the source archive alone."""
    arguments = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", DIST, sdist]
    workspace.pip("building the wheel", *arguments, log=LOG)
    (path,) = DIST.glob("mettagrid-*.whl")
    return path


@pytest.fixture(scope="session")
def empty_python(wheel: Path) -> Path:
    """Interpreter of a new environment that holds the wheel and what it depends on, and nothing of ours beside."""
    home = BUILD / "venv"
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    python = home / "bin" / "python"
    workspace.pip("installing the wheel", "install", wheel, log=LOG, python=python)
    return python
