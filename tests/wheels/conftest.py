"""The engine's source archive, its wheel, and an empty environment with the wheel: made once for all tests here."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import workspace
from tests.wheels.environments import BUILD_TYPE, LOG, build_wheel, empty_environment, install

BUILD = workspace.ROOT / "build" / "wheels"
DIST = workspace.ROOT / "dist" if BUILD_TYPE == "Release" else BUILD / "dist"


@pytest.fixture(scope="session")
def sdist() -> Iterator[Path]:
    """mettagrid-VERSION.tar.gz, made from the working tree; in dist/ with `make wheels`."""
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
    """mettagrid-VERSION-....whl, made from the source archive alone."""
    return build_wheel(sdist, DIST)


@pytest.fixture(scope="session")
def empty_python(wheel: Path) -> Path:
    """Interpreter of a new environment that holds the wheel and what it depends on, and nothing of ours beside."""
    python = empty_environment(BUILD / "venv")
    install(python, wheel)
    return python


PURE = ("cogsguard", "cogames", "cogames-training", "observatory", "softmax", "coworld")


@pytest.fixture(scope="session")
def pure_wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of the packages without native code, by the names of their folders; one pip builds all."""
    folder = tmp_path_factory.mktemp("wheels")
    packages = [workspace.ROOT / "packages" / name for name in PURE]
    how = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    workspace.pip("building the wheels", "wheel", *how, *packages, log=LOG)
    names = {
        name: tomllib.loads((path / "pyproject.toml").read_text())["project"]["name"]
        for name, path in zip(PURE, packages, strict=True)
    }
    return {name: next(folder.glob(f"{project.replace('-', '_')}-*.whl")) for name, project in names.items()}
