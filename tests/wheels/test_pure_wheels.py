"""The distributions without native code: their wheels hold every module, map and marker, and the way to the game."""

import sys
import zipfile
from pathlib import Path

import pytest

import workspace

LOG = workspace.ROOT / "build" / "wheels" / "log"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["cogsguard", "cogames", "observatory", "softmax", "coworld"])
def test_the_wheel_contains_every_file(name: str, tmp_path: Path) -> None:
    package = workspace.ROOT / "packages" / name
    how = ["--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path]
    workspace.pip(f"building {name}", "wheel", *how, package, log=LOG, python=Path(sys.executable))
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        entry_points = [archive.read(item).decode() for item in held if item.endswith("entry_points.txt")]
    source = package / "src"
    expected = {
        str(path.relative_to(source))
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected - held == set()
    assert f"{name}/py.typed" in held
    assert any(item.endswith("licenses/LICENSE") for item in held)
    if name == "cogsguard":
        assert "cogsguard = cogsguard.game.game" in "".join(entry_points)
