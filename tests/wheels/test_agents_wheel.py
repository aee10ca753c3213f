"""The players as a user gets them: the wheel from the source archive has every module, the planner and the names."""

import configparser
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import workspace
from tests.wheels.environments import build_wheel

PACKAGE = workspace.ROOT / "packages" / "cogames-agents"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    make = f"from scikit_build_core.build import build_sdist; print(build_sdist({str(folder)!r}))"
    return folder / subprocess.check_output([sys.executable, "-c", make], cwd=PACKAGE, text=True).splitlines()[-1]


def test_the_source_archive_has_the_planner_and_no_build_outputs(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {str(path.relative_to(PACKAGE)) for path in (PACKAGE / "native").rglob("*.?pp")} <= held
    assert not [name for name in held if name.startswith("build/") or name.endswith((".so", ".pyc"))]


def test_the_wheel_has_every_module_the_planner_and_the_names(sdist: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(build_wheel(sdist, tmp_path)) as archive:
        held = set(archive.namelist())
        (listed,) = [archive.read(name).decode() for name in held if name.endswith("entry_points.txt")]
    source = PACKAGE / "src"
    modules = {str(path.relative_to(source)) for path in source.rglob("*.py")}
    assert modules | {"cogames_agents/py.typed"} <= held
    assert any(name.startswith("cogames_agents/_native") and name.endswith(".so") for name in held)
    assert any(name.endswith("licenses/LICENSE") for name in held)
    points = configparser.ConfigParser(delimiters="=")
    points.optionxform = str  # type: ignore[assignment, method-assign]
    points.read_string(listed)
    declared = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]
    assert {group: dict(points[group]) for group in points.sections()} == declared
