"""Setup scripts in a box: run once per content, with only the package index in reach, their result kept read-only.

What the script installs with pip lands in a folder of its own, which comes after everything installed on the import
path: it can add packages and cannot replace ours.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from mettagrid.policy.bundle_cache import exclusive_file_lock, usable_cache_dir
from mettagrid.runner.episode.errors import MachineFault
from mettagrid.runner.episode.faults import disk_is_full

__all__ = ["PackageIndex", "package_index", "prepared_bundle"]

SETUP_SECONDS = 180
SETUP_MEMORY = 4 << 30
SETUP_DISK = 8 << 30
_PUBLIC_HOSTS = ("pypi.org", "files.pythonhosted.org")


class PackageIndex:
    """Where pip finds packages on this machine: hosts that may be reached, folders to show, variables to set."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.hosts: list[str] = []
        self.folders: list[Path] = []
        self.variables = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings.items()}
        places = [word for name in _PLACES for word in settings.get(name, "").split()]
        self.is_private = "index-url" in settings or any("://" in place for place in places)
        for place in places:
            parts = urlsplit(place)
            if parts.scheme in ("http", "https") and parts.hostname:
                self.hosts.append(f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname)
            else:
                folder = Path(parts.path if parts.scheme == "file" else place)
                self.folders += [folder] if folder.is_dir() else []
        if "index-url" not in settings and "no-index" not in settings:
            self.hosts += _PUBLIC_HOSTS


_PLACES = ("index-url", "extra-index-url", "find-links")
_SETTINGS = (*_PLACES, "no-index", "trusted-host", "cert", "default-timeout", "timeout", "retries")


@functools.cache
def package_index() -> PackageIndex:
    """As `pip config list` tells it, which includes the variables PIP_*."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    settings: dict[str, str] = {}
    for line in answer.stdout.splitlines():
        key, _, value = line.partition("=")
        name = key.rpartition(".")[2]
        if name in _SETTINGS:
            settings.setdefault(name, value.strip("'\"").replace("\\n", " "))
    return PackageIndex(settings)


def prepared_bundle(bundle: Path, script: str) -> tuple[Path, tuple[Path, ...]]:
    """(the bundle as its setup script leaves it, folders with what it has installed).

    `ValueError` when the script is no Python file of the bundle, `FileNotFoundError` when it is missing, `RuntimeError`
    with its output when it fails, `MachineFault` when this machine could not run it.
    """
    path = (bundle / script).resolve()
    if path.suffix != ".py":
        raise ValueError(f"Setup script must be a .py file: {script}")
    if not path.is_relative_to(bundle.resolve()):
        raise ValueError(f"Setup script must lie in the bundle: {script}")
    if not path.is_file():
        raise FileNotFoundError(f"Setup script not found: {script}")
    version = f"{sys.implementation.cache_tag}\0{script}\0{bundle.name}"
    name = hashlib.sha256(version.encode()).hexdigest()
    cache = usable_cache_dir()
    target = cache / f"{name}.s"
    with exclusive_file_lock(cache / f"{name}.s.lock"):
        if not target.exists():
            temporary = Path(tempfile.mkdtemp(dir=cache, prefix=".setup."))
            try:
                _run(bundle, script, temporary)
                temporary.rename(target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    return target / "bundle", (target / "site",)


def _run(bundle: Path, script: str, target: Path) -> None:
    """Run the script in a box on a copy of the bundle; what it leaves goes to `target`."""
    import cogbox
    from mettagrid.runner.boxed.material import copy_plain, plain_files

    index = package_index()
    files = {f"bundle/{relative}": path.read_bytes() for relative, path in plain_files(bundle)}
    limits = cogbox.Limits(
        memory=SETUP_MEMORY,
        wall_seconds=SETUP_SECONDS,
        processes=256,
        file_bytes=SETUP_DISK,
        disk_bytes=SETUP_DISK,
        disk_files=200_000,
        scratch_bytes=1 << 30,
    )
    # pip does its work in TMPDIR; the private folder has more room than the box's /tmp.
    box = cogbox.sandbox(minimum="namespaces", at_most="bubblewrap").start(
        [sys.executable, "-c", _STARTER, script],
        files={**files, "site/.keep": b"", "temporary/.keep": b""},
        env=index.variables | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_NO_CACHE_DIR": "1"},
        mounts=[cogbox.Mount(folder) for folder in index.folders],
        egress=cogbox.Egress(index.hosts, private=index.is_private) if index.hosts else None,
        limits=limits,
    )
    with box:
        result = box.wait()
        internal = (cogbox.Verdict.START_FAILURE, cogbox.Verdict.INTERNAL_ERROR)
        if result.verdict in internal or (not result.ok and disk_is_full(box.work)):
            raise MachineFault(f"A setup script could not be run: its box {result.detail}")
        if not result.ok:
            output = (
                f"stdout: {result.stdout.decode(errors='replace')}\nstderr: {result.stderr.decode(errors='replace')}"
            )
            raise RuntimeError(f"Setup script {result.detail}:\n{output[-8000:]}")
        for name in ("bundle", "site"):
            (target / name).mkdir()
            copy_plain(list(_checked(box.work / name)), target / name)
    target.chmod(0o755)


# Runs inside: pip installs into a folder of the box, whatever the script asks for.
_STARTER = """
import os, runpy, sys
work = os.getcwd()
os.environ["PIP_TARGET"] = work + "/site"
os.environ["TMPDIR"] = work + "/temporary"
os.environ["PYTHONPATH"] = work + "/site"
os.chdir("bundle")
sys.path.append(work + "/site")
sys.path[0] = os.getcwd()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def _checked(folder: Path) -> Iterator[tuple[str, Path]]:
    from mettagrid.runner.boxed.material import plain_files

    for relative, path in plain_files(folder):
        if relative != ".keep" and len(os.fsencode(relative)) < 2048:
            yield relative, path
