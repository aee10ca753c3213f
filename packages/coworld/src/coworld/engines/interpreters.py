"""Choose the Python of an image: its folder's virtual environment, a clean one, or the one that runs `coworld`.

A mapped folder stands for a container, and no container holds our packages by accident. So a program gets our
interpreter, with our packages in it, only where its mapping names them (`packages`). A clean interpreter is the same
Python with the third-party packages installed beside us and without any of ours: a virtual environment of links in the
user's cache, created once and pruned (`coworld.engines.interpreter_cache`).
"""

import contextlib
import hashlib
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cogbox
from coworld.engines.base import EngineError
from coworld.engines.interpreter_cache import hold, prune

OURS = (
    "bitworld",
    "cogames",
    "cogames_agents",
    "cogames_training",
    "cogbox",
    "cogsguard",
    "coworld",
    "mettagrid",
    "observatory",
    "softmax",
)
"""top-level packages of this project"""
VENVS = (".venv", "venv")
_HIDDEN = frozenset({*OURS, "softmax_cli", "pip", "__pycache__"})


@dataclass(frozen=True)
class Interpreter:
    """A Python for one image."""

    path: Path
    """as the program sees it"""
    how: str
    """for records: `clean`, `virtual environment DIR`, `coworld's own`"""
    mounts: tuple[Path, ...] = ()
    """folders that the program must see, besides its root"""
    state: str = ""
    """changes when the interpreter does"""


def own_interpreter(packages: Sequence[str]) -> Interpreter:
    """Return the Python that runs `coworld`, with our packages."""
    mounts = tuple(mount.source for mount in cogbox.python_runtime(*packages))
    return Interpreter(Path(sys.executable), "coworld's own", mounts)


def clean_interpreter() -> Interpreter:
    """Return the Python that runs `coworld`, without our packages."""
    folder = _clean_folder()
    mounts = (folder, *(mount.source for mount in cogbox.python_runtime()))
    return Interpreter(folder / "bin" / "python", "clean", mounts, folder.name)


def venv_interpreter(folder: Path, inside: Path | None = None) -> Interpreter:
    """Return the Python of a virtual environment, which the program may see under another path.

    Raises:
        EngineError: there is no working Python in it.
    """
    python, config = folder / "bin" / "python", folder / "pyvenv.cfg"
    if not python.exists() or not config.is_file():
        raise EngineError(
            f"{folder} is not a working virtual environment: {python if config.is_file() else config} does not exist; "
            f"create it with `python -m venv {folder}`"
        )
    home = re.search(r"^home\s*=\s*(.+?)\s*$", config.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    base = {Path(os.path.realpath(python)).parent.parent, *([Path(home[1]).parent] if home else [])}
    mounts = [folder, *(path for path in sorted(base) if not path.is_relative_to("/usr") and path != Path("/"))]
    site = sorted(path.name for path in folder.glob("lib/python*/site-packages/*"))
    state = hashlib.sha256(repr((config.read_bytes(), site)).encode()).hexdigest()
    return Interpreter((inside or folder) / "bin" / "python", f"virtual environment {folder}", tuple(mounts), state)


def shadowed(folders: Iterable[Path]) -> Path | None:
    """Return a third-party package or module in these folders that has the name of one of our packages."""
    for folder in folders:
        for name in OURS:
            for path in (folder / name, folder / f"{name}.py"):
                is_module = path.is_file() if path.suffix else any(path.rglob("*.py"))
                if is_module and path.resolve() not in _our_folders():
                    return path
    return None


def module_file(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the file that `python -m name` runs from one of these folders."""
    for folder in folders:
        path = folder.joinpath(*name.split("."))
        for candidate in (path.with_suffix(".py"), path / "__main__.py"):
            if candidate.is_file():
                return candidate
    return None


def main_module(argv: Sequence[str]) -> tuple[str | None, str | None]:
    """Return what a Python command runs: (the module after `-m`, None), (None, the script), or (None, None)."""
    if not argv or not re.fullmatch(r"python[0-9.]*", Path(argv[0]).name):
        return None, None
    words = iter(argv[1:])
    for word in words:
        if word == "-m":
            return next(words, None), None
        if word in ("-W", "-X"):
            next(words, None)
        elif word in ("-c", "-"):
            return None, None
        elif not word.startswith("-"):
            return None, word
    return None, None


def python_path(env: Mapping[str, str]) -> list[str]:
    return [word for word in env.get("PYTHONPATH", "").split(":") if word]


def our_module_file(name: str) -> Path | None:
    """Return the file of one of our own modules, without importing it."""
    top, _, rest = name.partition(".")
    for folder in _our_folders():
        if folder.name == top and (path := module_file(rest or "__main__", [folder])):
            return path
    return None


@cache
def _our_folders() -> frozenset[Path]:
    from importlib.util import find_spec

    specs = [find_spec(name) for name in OURS]
    return frozenset(Path(place).resolve() for spec in specs if spec for place in spec.submodule_search_locations or ())


@cache
def _clean_folder() -> Path:
    sites = dict.fromkeys(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))
    entries = {path.name: path for site in reversed(sites) if site.is_dir() for path in site.iterdir()}
    entries = {name: path for name, path in sorted(entries.items()) if _is_third_party(name)}
    base = Path(os.path.realpath(sys.executable))
    facts = repr((1, sys.version, str(base), [str(path) for path in entries.values()]))
    parent = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "coworld" / "python"
    folder = parent / hashlib.sha256(facts.encode()).hexdigest()[:16]
    while not hold(folder):  # another process may remove it between two of our steps
        _make_clean(folder, base, entries.values())
    prune(parent)
    return folder


def _make_clean(folder: Path, base: Path, entries: Iterable[Path]) -> None:
    """Write the environment beside its place and rename it: several processes may do it at once."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-"))
    except OSError as error:
        raise EngineError(
            f"a clean Python cannot be made in {folder.parent}: {error.strerror}; set XDG_CACHE_HOME to a folder "
            "that can be written"
        ) from None
    try:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        site = fresh / "lib" / f"python{version}" / "site-packages"
        site.mkdir(parents=True)
        (fresh / "bin").mkdir()
        for name in ("python", "python3", f"python{version}"):
            (fresh / "bin" / name).symlink_to(base)
        for path in entries:
            (site / path.name).symlink_to(path)
        settings = f"home = {base.parent}\ninclude-system-site-packages = false\nversion = {version}\n"
        (fresh / "pyvenv.cfg").write_text(settings)
        fresh.chmod(0o755)
        with contextlib.suppress(OSError):  # another process was faster
            os.rename(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _is_third_party(name: str) -> bool:
    if name.endswith(".pth") or name.startswith(("_editable_", "__editable__", ".", "~")):
        return False
    return re.split(r"[-.]", name, maxsplit=1)[0].lower() not in _HIDDEN
