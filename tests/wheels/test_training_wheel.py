"""The trainer as a user gets it: the wheel has every module, and `cogames` finds its commands without PyTorch."""

import configparser
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import workspace

PACKAGE = workspace.ROOT / "packages" / "cogames-training"

pytestmark = pytest.mark.slow

# A finder that refuses what a small installation lacks, in front of all others, with the wheel before the sources.
WITHOUT_TORCH = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "wandb", "optuna", "tensorboard"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path[:] = [Missing(), *(f for f in sys.meta_path if "cogames_training" not in type(f).__module__)]
sys.path.insert(0, sys.argv[1])
import cogames_training.entries
assert cogames_training.entries.__file__.startswith(sys.argv[1]), cogames_training.entries.__file__
print(*(entry.name for entry in cogames_training.entries.COMMANDS))
"""


@pytest.fixture(scope="module")
def wheel(pure_wheels: dict[str, Path]) -> Path:
    return pure_wheels["cogames-training"]


def test_the_wheel_has_every_module_and_the_commands(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        (listed,) = [archive.read(name).decode() for name in held if name.endswith("entry_points.txt")]
    source = PACKAGE / "src"
    files = (path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert {str(path.relative_to(source)) for path in files} <= held
    assert "cogames_training/py.typed" in held
    assert any(name.endswith("licenses/LICENSE") for name in held)
    points = configparser.ConfigParser(delimiters="=")
    points.optionxform = str  # type: ignore[assignment, method-assign]
    points.read_string(listed)
    declared = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]
    assert {group: dict(points[group]) for group in points.sections()} == declared


def test_the_commands_are_listed_without_pytorch(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert {"runs", "sweep"} <= set(done.stdout.split())
