"""Mounts: the files of the machine that a box can see."""

import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cogbox.errors import BadRequest


@dataclass(frozen=True)
class Mount:
    """A folder or file of the machine inside the box, read-only by default.

    Without `target` it has the same path inside, which every level supports; another path needs a mount namespace
    (every level except `landlock` and `none`).
    """

    source: Path
    target: Path | None = None
    writable: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", Path(os.path.abspath(self.source)))
        if self.target is not None:
            object.__setattr__(self, "target", Path(os.path.normpath(self.target)))
        for path in (self.source, self.inside):
            if not path.is_absolute() or str(path) == "/" or "\n" in str(path) or "\0" in str(path):
                raise BadRequest(f"cannot mount {str(path)!r}: use an absolute path below `/` without line breaks")

    @property
    def inside(self) -> Path:
        return self.target or self.source


def python_runtime(*packages: str) -> list[Mount]:
    """Return mounts of this interpreter with its installed packages, and of the sources of editable installs."""
    folders = [Path(sys.base_prefix), Path(sys.prefix), Path(os.path.realpath(sys.executable)).parent.parent]
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise BadRequest(f"package {name!r} is not installed")
        folders += [Path(place) for place in spec.submodule_search_locations or [spec.origin or ""] if place]
    return without_nested(Mount(folder) for folder in folders if folder.exists() and str(folder) != "/")


def without_nested(mounts: Iterable[Mount]) -> list[Mount]:
    """Return the mounts, shortest paths first, without read-only mounts that another such mount already contains."""
    selected: list[Mount] = []
    for mount in sorted(set(mounts), key=lambda mount: (len(mount.inside.parts), mount.inside, mount.writable)):
        plain = mount.target is None and not mount.writable
        if plain and any(k.target is None and mount.source.is_relative_to(k.source) for k in selected):
            continue
        selected.append(mount)
    return selected


def pip_settings() -> list[Path]:
    """Return pip's config files in folders that boxes see; they may contain credentials, so boxes get empty files."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix), Path("/usr"), Path("/usr/local")}
    files = [prefix / "pip.conf" for prefix in prefixes]
    return sorted({path.resolve() if path.is_symlink() else path for path in files if path.is_file()})


SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/etc/alternatives",
    "/etc/localtime",
)


def system_mounts() -> tuple[list[Mount], list[tuple[str, str]]]:
    """Return the mounts of the machine's programs and libraries, and its symbolic links as (target, path)."""
    mounts, links = [], []
    for name in SYSTEM_FOLDERS:
        if os.path.islink(name):
            links.append((os.readlink(name), name))
        elif os.path.isdir(name):
            mounts.append(Mount(Path(name)))
    mounts += [Mount(Path(os.path.realpath(name)), Path(name)) for name in SYSTEM_FILES if os.path.exists(name)]
    return mounts, links


def check_readable(mounts: Sequence[Mount]) -> None:
    """Raise `BadRequest` for a mount that other users cannot read: a box started by root runs as its own user."""
    for mount in mounts:
        try:
            mode = mount.source.stat().st_mode
        except OSError as error:
            raise BadRequest(f"cannot mount {mount.source}: {error.strerror}") from None
        required = 0o005 if mount.source.is_dir() else 0o004
        if mode & required != required:
            raise BadRequest(
                f"{mount.source} is closed to other users, so a box started by root cannot read it: chmod o+rX it"
            )
