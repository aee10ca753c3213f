"""The sandbox as a user gets it: from the source archive, in an empty environment, with its guard."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import workspace
from tests.wheels.environments import build_wheel, empty_environment, install

BUILD = workspace.ROOT / "build" / "wheels"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    make = f"from scikit_build_core.build import build_sdist; print(build_sdist({str(folder)!r}))"
    package = workspace.ROOT / "packages" / "cogbox"
    name = subprocess.check_output([sys.executable, "-c", make], cwd=package, text=True).splitlines()[-1]
    return build_wheel(folder / name, folder)


def test_the_wheel_contains_every_module_and_the_guard(wheel: Path) -> None:
    source = workspace.ROOT / "packages" / "cogbox" / "src"
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        mode = archive.getinfo("cogbox/guard").external_attr >> 16
    expected = {
        str(path.relative_to(source))
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected - held == set()
    assert mode & 0o111
    # One program for every Python of the platform.
    assert wheel.name.split("-")[2:4] == ["py3", "none"]


def test_the_wheel_runs_sandboxes_in_an_empty_environment(wheel: Path) -> None:
    python = empty_environment(BUILD / "venv-cogbox")
    install(python, "--no-index", wheel)
    command = [python, "-m", "cogbox", "run", "--level", "namespaces", "--json", "--", "python3", "-c", "print(6 * 7)"]
    result = json.loads(subprocess.check_output(command, cwd=BUILD))
    assert (result["verdict"], result["level"], result["stdout"]) == ("ok", "namespaces", "42\n")
