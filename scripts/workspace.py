"""Helpers of the scripts: paths, running a command quietly, and builds of the engine separate from `.venv/`."""

import fcntl
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CACHE = ROOT / ".cache"
PYTHON = VENV / "bin" / "python"


def shared_dir() -> Path | None:
    """Return the folder of recorded episodes: $LEAGUE_SHARED, or `shared` beside the repository; None if missing."""
    path = Path(os.environ.get("LEAGUE_SHARED") or ROOT.parent / "shared")
    return path if (path / "oracle").is_dir() else None


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def fail(message: str) -> NoReturn:
    """End the script with one line on stderr."""
    raise SystemExit(message)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold .cache/NAME.lock, so that two `make` calls at once wait for each other."""
    CACHE.mkdir(exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{name}: waiting for another make")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def quiet(task: str, command: Sequence[str | Path], *, log: Path, env: Mapping[str, str] | None = None) -> None:
    """Run a command with its output in `log`; when it fails, show the end of the log and stop."""
    log.parent.mkdir(parents=True, exist_ok=True)
    words: list[str | Path] = [str(word) for word in command]
    with open(log, "a") as file:
        print("$", *words, file=file, flush=True)
        result = subprocess.run(
            words, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})}
        )
    if result.returncode:
        # pip warns about every index it skips; that is never the reason of a failure.
        lines = [line for line in log.read_text().splitlines() if not line.startswith("WARNING: Location")]
        say("\n".join(lines[-40:]))
        fail(f"{task} failed; the whole log is {log.relative_to(ROOT)}")


def pip(task: str, *arguments: str | Path, log: Path, python: Path = PYTHON, constrained: bool = True) -> None:
    """Run a pip command, by default with constraints.txt; other PIP_* variables still apply."""
    env = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt") if constrained else "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    quiet(task, [python, "-m", "pip", *arguments], log=log, env=env)


def build_wheel(
    out: Path,
    *,
    package: str = "mettagrid",
    defines: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Path:
    """Build a wheel of a package in `out`, with its CMake folder inside; `.venv/` stays unchanged."""
    settings = [f"--config-settings=build-dir={out / 'cmake'}", "--config-settings=install.strip=false"]
    settings += [f"--config-settings=cmake.define.{key}={value}" for key, value in (defines or {}).items()]
    for old in out.glob("*.whl"):
        old.unlink()
    words = ["wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={out}", *settings, f"packages/{package}"]
    quiet(f"building {package}", [str(PYTHON), "-m", "pip", *words], log=out / "build.log", env=env)
    (wheel,) = out.glob("*.whl")
    return wheel


def overlay(wheel: Path, site: Path) -> tuple[str, dict[str, str]]:
    """Unpack a wheel and return (interpreter, environment variables) with which that build is imported instead of ours.

    The interpreter is the base of `.venv/`: an editable install hooks into every import of the venv itself.
    """
    shutil.rmtree(site, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    ask = "import sys, sysconfig; print(sys._base_executable); print(sysconfig.get_path('platlib'))"
    python, packages = subprocess.check_output([PYTHON, "-c", ask], text=True).splitlines()
    return python, {"PYTHONPATH": f"{site}{os.pathsep}{packages}"}
