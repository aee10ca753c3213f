"""The distributions as a user gets them: from the source archive, in an empty environment, with another C++ library.

An editable install hides a file that is missing from the wheel, so nothing here uses the packages of `.venv/`. The
build with a second standard library takes minutes the first time and runs in `make wheels` only.
"""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import workspace
from tests.wheels.environments import LOG, install

ROOT = workspace.ROOT
BUILD = ROOT / "build" / "wheels"
# One small episode of each of these, and all of them where the time is there.
SOME_CASES = ["mixed_00", "events_00", "limits_00", "territory_00", "obs_vision_00"]

pytestmark = pytest.mark.slow


def python_output(python: str | Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """Standard output of the interpreter, started outside the repository."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    command = [str(python), *arguments]
    return subprocess.run(
        command, cwd=BUILD, env={**clean, **(env or {})}, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def compare(oracle: Path, folder: str, python: str | Path, *names: str, env: dict[str, str] | None = None) -> str:
    """Last line of the comparer for a folder of recorded episodes."""
    command = [str(oracle / "compare_traces.py"), str(oracle / folder), str(python), *names]
    result = subprocess.run(
        [sys.executable, *command], env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, text=True
    )
    assert result.returncode == 0, result.stdout
    return result.stdout.splitlines()[-1]


def test_the_source_archive_contains_sources_and_no_build_outputs(sdist: Path) -> None:
    package = ROOT / "packages" / "mettagrid"
    with tarfile.open(sdist) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    expected = {
        str(path.relative_to(package))
        for folder in ("src", "native")
        for path in (package / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected - held == set()
    assert not [name for name in held if name.startswith("build/") or name.endswith((".so", ".pyc"))]


def test_the_wheel_contains_every_module_and_the_extension(wheel: Path) -> None:
    source = ROOT / "packages" / "mettagrid" / "src"
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    expected = {
        str(path.relative_to(source))
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected - held == set()
    assert any(name.startswith("mettagrid/_native") and name.endswith(".so") for name in held)
    assert not [name for name in held if "__pycache__" in name or name.startswith("native/")]
    assert any(name.endswith("licenses/LICENSE") for name in held)


def test_the_wheel_imports_in_an_empty_environment(empty_python: Path) -> None:
    program = "import mettagrid, mettagrid._native, mettagrid.simulator; print(mettagrid._native.__file__)"
    place = Path(python_output(empty_python, "-c", program).strip())
    assert place.is_relative_to(BUILD / "venv")


def test_the_extra_installs_the_dependencies_of_environments(wheel: Path, empty_python: Path) -> None:
    program = "from mettagrid.envs import MettaGridPettingZooEnv, MettaGridPufferEnv, MettaGridVectorEnv"
    without = subprocess.run([empty_python, "-c", program], cwd=BUILD, capture_output=True, text=True)
    assert without.stderr.endswith("is not installed: `pip install mettagrid[envs]`\n")
    install(empty_python, f"{wheel}[envs]")
    python_output(empty_python, "-W", "error", "-c", program)


def test_the_wheel_plays_the_demo(empty_python: Path) -> None:
    assert "reward" in python_output(empty_python, "-m", "mettagrid.demo", "--render", "none", "--steps", "50")


def test_the_wheel_plays_recorded_episodes(empty_python: Path, oracle_dir: Path) -> None:
    last = compare(oracle_dir, "cases", empty_python, *SOME_CASES)
    assert last == f"{len(SOME_CASES)}/{len(SOME_CASES)} cases equal"


@pytest.fixture(scope="module")
def zig_build() -> tuple[str, dict[str, str]]:
    """The engine compiled by zig's clang against libc++: (interpreter, environment)."""
    home = workspace.CACHE / "ziglang"
    if not (home / "ziglang" / "zig").exists():
        workspace.pip("installing zig", "install", "--target", home, "ziglang", log=LOG)
    out = BUILD / "zig"
    env = {
        "CXX": f"{home / 'ziglang' / 'zig'} c++",
        "ZIG_GLOBAL_CACHE_DIR": str(workspace.CACHE / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(workspace.CACHE / "zig"),
    }
    return workspace.overlay(workspace.build_wheel(out, env=env), out / "site")


@pytest.mark.second_library
def test_a_build_with_a_second_standard_library_plays_the_same_demo(
    empty_python: Path, zig_build: tuple[str, dict[str, str]]
) -> None:
    python, env = zig_build
    (extension,) = (BUILD / "zig" / "site" / "mettagrid").glob("_native*.so")
    assert b"libstdc++.so" not in extension.read_bytes(), "zig's build uses the first standard library"
    demo = ["-m", "mettagrid.demo", "--render", "log", "--steps", "200", "--seed", "3"]
    assert python_output(python, *demo, env=env) == python_output(empty_python, *demo)


@pytest.mark.second_library
@pytest.mark.parametrize("folder", ["cases", "missions"])
def test_a_build_with_a_second_standard_library_plays_every_recorded_episode(
    folder: str, oracle_dir: Path, zig_build: tuple[str, dict[str, str]]
) -> None:
    python, env = zig_build
    total = len(list((oracle_dir / folder).glob("*.meta.json")))
    assert compare(oracle_dir, folder, python, env=env) == f"{total}/{total} cases equal"
