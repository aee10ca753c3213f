"""Create or refresh `.venv/`: dependencies, the viewer's pages, the native build. Does nothing if all is up to date.

usage: scripts/setup [run|dev]     run: dependencies of the programs; dev (default): also those of tests and checks

Runs before anything is installed, so it uses only the standard library. Each step has a stamp in `.venv/stamps/` with a
digest of its inputs; an editable install picks up edits to Python by itself, but not to C++.
"""

import compileall
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stamps import STAMPS, digest, files, is_fresh, set_stamp
from web import build_pages
from workspace import PYTHON, ROOT, VENV, fail, locked, pip, say

LOG = VENV / "setup.log"
BUILD_LOG = VENV / "build.log"
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))


def read_toml(path: Path) -> dict:
    return tomllib.loads(path.read_text())


def group(name: str) -> list[str]:
    """Return the requirements of a group in our pyproject.toml."""
    specs: list[str] = read_toml(ROOT / "pyproject.toml")["dependency-groups"][name]
    return specs


def requirements(tier: str) -> list[str]:
    """Return all requirements: dependencies of the packages and build tools; for dev also extras and tools."""
    projects = [read_toml(package / "pyproject.toml")["project"] for package in PACKAGES]
    own = {project["name"] for project in projects}
    specs = [spec for project in projects for spec in project["dependencies"]] + group("build")
    if tier == "dev":
        specs += group("dev")
        extras = [extra for project in projects for extra in project.get("optional-dependencies", {}).values()]
        specs += [spec for extra in extras for spec in extra]
    return sorted({spec for spec in specs if re.split(r"[^\w.-]", spec)[0] not in own})


def find_compiler() -> str:
    """Return a C++20 compiler, in CMake's order ($CXX first)."""
    program = "#include <concepts>\n#include <bit>\nstatic_assert(std::integral<int> && std::popcount(3u) == 2);\n"
    candidates = [os.environ["CXX"]] if os.environ.get("CXX") else ["c++", "g++", "clang++"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(program)
        for compiler in filter(shutil.which, candidates):
            command = [compiler, "-std=c++20", "-fsyntax-only", str(source)]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return compiler
    fail(f"setup: no C++20 compiler among {', '.join(candidates)}: install g++ 10 or newer (Debian: g++), or set CXX")


# Programs that tests start -> Debian package. Root installs them; otherwise the tests that need them are skipped.
TOOLS = {name: name for name in ("chromium", "ffmpeg", "podman", "runc", "tmux")}
TOOLS |= {"bwrap": "bubblewrap", "kubectl": "kubernetes-client"}


def install_tools(tools: Mapping[str, str] = TOOLS) -> None:
    """Install programs that tests use. Never fails: a test without its program is skipped, or fails with CI=true."""
    packages = [package for program, package in tools.items() if not shutil.which(program)]
    if not packages:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"setup: some tests will be skipped without {', '.join(packages)}: install these packages")
        return
    say(f"setup: installing {', '.join(packages)}")
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with open(LOG, "a") as log:
        for command in (install, ["apt-get", "update"], install):
            if (
                subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=env).returncode == 0
                and command is install
            ):
                return
    say(f"setup: could not install {', '.join(packages)}; the log is {LOG.relative_to(ROOT)}")


def make_venv() -> None:
    """Create `.venv/` if it is missing, its interpreter is missing, or the folder was moved."""
    stamp = digest(str(ROOT), sys.version, os.path.realpath(sys.executable))
    if PYTHON.exists() and is_fresh("venv", stamp):
        return
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        fail(f"setup: the headers of {sys.executable} are missing: install them (Debian: python3-dev)")
    find_compiler()  # fail before the downloads
    say(f"setup: creating .venv with Python {sys.version.split()[0]}")
    shutil.rmtree(VENV, ignore_errors=True)
    result = subprocess.run([os.path.realpath(sys.executable), "-m", "venv", str(VENV)], capture_output=True, text=True)
    if result.returncode:
        say(result.stdout + result.stderr)
        fail("setup: could not create .venv: install Python's venv module (Debian: python3-venv)")
    set_stamp("venv", stamp)


def install_build_tools() -> None:
    """Install the build tools first, so that building need not wait for all other requirements."""
    stamp = digest(*group("build"), ROOT / "constraints.txt")
    if not is_fresh("build", stamp):
        pip("setup: installing build tools", "install", *group("build"), log=BUILD_LOG)
        set_stamp("build", stamp)


def install_requirements(tier: str) -> None:
    """Install the requirements; a venv with the dev tier keeps it."""
    if (STAMPS / "dev").exists():
        tier = "dev"
    specs = requirements(tier)
    stamp = digest(*specs, ROOT / "constraints.txt")
    if is_fresh(tier, stamp):
        return
    say(f"setup: installing {len(specs)} requirements and what they need")
    pip("setup: installing requirements", "install", *specs, log=LOG)
    set_stamp(tier, stamp)


def install_packages() -> None:
    for package in PACKAGES:
        native = package / "CMakeLists.txt"
        # The names of modules count, not their contents: the editable install contains a table of the names.
        names = [str(path.relative_to(package)) for path in files(package / "src", "*.py")]
        parts: list[str | Path] = [*names, package / "pyproject.toml"]
        if native.exists():
            parts += [native, *files(package / "native")]
        stamp = digest(*parts)
        if is_fresh(package.name, stamp):
            continue
        if native.exists():
            say(f"setup: building {package.name} with {find_compiler()}")
        else:
            say(f"setup: installing {package.name}")
        how = ["--no-deps", "--no-build-isolation", "--editable"]
        pip(f"setup: building {package.name}", "install", *how, package, log=BUILD_LOG)
        set_stamp(package.name, stamp)
    # As pip does for installed packages; with PYTHONDONTWRITEBYTECODE Python itself writes no bytecode.
    for package in PACKAGES:
        compileall.compile_dir(package / "src", quiet=2)


def main() -> None:
    tier = sys.argv[1] if len(sys.argv) > 1 else "dev"
    if tier not in ("run", "dev"):
        raise SystemExit(__doc__)
    with locked("setup"):
        make_venv()
        if tier == "dev":
            install_tools()
        install_build_tools()
        with ThreadPoolExecutor() as threads:  # downloading and unpacking leave a core idle
            installing = threads.submit(install_requirements, tier)
            build_pages()
            install_packages()
            installing.result()


if __name__ == "__main__":
    main()
