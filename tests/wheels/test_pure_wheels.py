"""The distributions without native code: their wheels hold every module, map and marker, and the way to the game."""

import zipfile
from pathlib import Path

import pytest

import workspace

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["cogsguard", "cogames", "observatory", "softmax", "coworld"])
def test_the_wheel_contains_every_file(name: str, pure_wheels: dict[str, Path]) -> None:
    package = workspace.ROOT / "packages" / name
    with zipfile.ZipFile(pure_wheels[name]) as archive:
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
