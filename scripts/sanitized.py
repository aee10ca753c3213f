"""Build engine, planner and pixel games with the address and undefined-behaviour sanitizers, for `sanitize` and `soak`.

The builds are in build/sanitize/, that of the engine with METTAGRID_DEBUG_CHECKS; `.venv/` stays unchanged.
"""

import os
import re
import subprocess
import zipfile
from pathlib import Path

from workspace import ROOT, build_wheel, fail, overlay

HOME = ROOT / "build" / "sanitize"
FINDING = re.compile(r"ERROR: (?:Address|Leak)Sanitizer: .*|\S*: runtime error: .*")


def sanitized_engine(name: str, site: Path) -> tuple[str, dict[str, str]]:
    """Build, unpack into `site` and return (interpreter, environment variables) that import it. `name` is for messages.

    A finding ends its process.
    """
    return _importing(name, build_wheel(HOME, defines={"METTAGRID_SANITIZE": "ON"}), site, "mettagrid")


def sanitized_bitworld(name: str, site: Path) -> tuple[str, dict[str, str]]:
    """Do the same with the pixel games instead of the engine."""
    return _importing(name, _bitworld_wheel(), site, "bitworld")


def _importing(name: str, wheel: Path, site: Path, module: str) -> tuple[str, dict[str, str]]:
    python, env = overlay(wheel, site)
    _check(name, site / module)
    env |= {
        "LD_PRELOAD": runtime_libraries(name),
        # Python itself leaks memory at exit; tests ask for more memory than there is and expect an exception.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # so that the sanitizer sees each buffer of Python objects
    }
    return python, env


def add_planner(name: str, site: Path) -> None:
    """Build the planner of cogames-agents with sanitizers and unpack it into the `site` of a sanitized engine."""
    options = {"COGAMES_AGENTS_SANITIZE": "ON"}
    _unpack(name, build_wheel(HOME / "agents", package="cogames-agents", defines=options), site, "cogames_agents")


def add_bitworld(name: str, site: Path) -> None:
    """Build the pixel games with sanitizers and unpack them into the `site` of a sanitized engine."""
    _unpack(name, _bitworld_wheel(), site, "bitworld")


def _bitworld_wheel() -> Path:
    return build_wheel(HOME / "bitworld", package="bitworld", defines={"BITWORLD_SANITIZE": "ON"})


def _unpack(name: str, wheel: Path, site: Path, module: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    _check(name, site / module)


def _check(name: str, package: Path) -> None:
    if not is_instrumented(package):
        fail(f"{name}: the build of {package.name} has no sanitizers in it")


def runtime_libraries(name: str) -> str:
    """Return the value of LD_PRELOAD: the sanitizer first, then the C++ library, so that it intercepts exceptions."""
    compiler = os.environ.get("CXX", "c++")
    names = ["libasan.so", "libstdc++.so"]
    paths = [subprocess.check_output([compiler, f"-print-file-name={lib}"], text=True).strip() for lib in names]
    absent = [lib for lib, path in zip(names, paths, strict=True) if not Path(path).is_absolute()]
    if absent:
        fail(f"{name}: {compiler} has no {' and no '.join(absent)}: install g++ (Debian: g++) and set CXX=g++")
    return " ".join(str(Path(path).resolve()) for path in paths)


def is_instrumented(package: Path) -> bool:
    (extension,) = package.glob("_native*.so")
    code = extension.read_bytes()
    return b"__asan_report" in code and b"__ubsan_handle" in code
