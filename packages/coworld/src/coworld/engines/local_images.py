"""Map image references to a local folder and a command, for machines without container images.

Three tables are asked, in this order: `--map IMAGE=DIR` of the command line, `coworld_local.json` beside the manifest,
and the images that installed packages bring along (`register`). The side file reads

    {"images": {"IMAGE": {"root": DIR, "argv": [...], "env": {}, "workdir": DIR, "at": DIR, "mounts": [DIR],
                          "python": DIR, "packages": [...]}}}

`root` is mounted read-only, at `at` when that is given and else under its own path; `mounts` are further folders the
program needs. `workdir` is `root` unless said otherwise. Relative folders start at the side file. The manifest's `run`
replaces `argv`.

`python` in a command is the virtual environment that `python` names, else `.venv` or `venv` in `root`, else a clean
interpreter without our packages (`coworld.engines.interpreters`). A program that imports `coworld` or `mettagrid` from
here names them in `packages` and runs on the interpreter that runs `coworld`.
"""

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coworld.engines.base import EngineError, ImageUnreachable
from coworld.engines.image_refs import is_unresolved_image_id

SIDE_FILE = "coworld_local.json"
KEYS = frozenset({"root", "argv", "env", "workdir", "at", "mounts", "python", "packages"})

BUILT_IN = ("coworld.examples.images", "coworld.roles.images", "coworld.templates.images")
"""modules of ours that call `register` when they are imported"""

ENTRY_POINTS = "coworld.images"
"""group of entry points by which other packages name such modules"""


class LocalImagesError(EngineError):
    """A side file or a mapping that cannot be used."""


@dataclass(frozen=True, kw_only=True)
class LocalImage:
    """One image as a local program."""

    image: str
    argv: tuple[str, ...] = ()
    root: Path | None = None
    """mounted read-only; None for a program that comes with an installed package"""
    at: Path | None = None
    """the path of `root` inside the sandbox; None: its own path"""
    env: Mapping[str, str] = field(default_factory=dict)
    workdir: Path | None = None
    """path inside; None: the root, or the program's own folder"""
    mounts: tuple[Path, ...] = ()
    """further folders it sees, read-only under their own paths"""
    python: Path | None = None
    """virtual environment that `python` of the command means; None: that of the root, or a clean one"""
    packages: tuple[str, ...] = ()
    """packages of ours that the program imports; with any it runs on the interpreter that runs us"""
    packages_are_default: bool = False
    """the mapping did not request them: a folder with its own program runs without them"""
    how: str = "built in"


_registered: dict[str, LocalImage] = {}


def register(
    image: str,
    argv: Sequence[str],
    *,
    root: Path | None = None,
    env: Mapping[str, str] | None = None,
    packages: Sequence[str] = ("coworld",),
) -> None:
    """Register the command of one of our own images. `argv[0]` may be `python`: the current interpreter."""
    _registered[image] = LocalImage(
        image=image, argv=tuple(argv), root=root, env=dict(env or {}), packages=tuple(packages)
    )


@cache
def _load_built_in() -> None:
    for name in BUILT_IN:
        if find_spec(name) is not None:
            import_module(name)
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        entry.load()


@dataclass(frozen=True)
class LocalImages:
    """The tables of one run."""

    tables: tuple[Mapping[str, LocalImage], ...] = ()
    side_file: Path | None = None
    """the file where a mapping could be added, for the hint of an error"""

    @classmethod
    def beside(cls, manifest: Path | None, mappings: Sequence[str] = ()) -> "LocalImages":
        """Return the images of a manifest's folder and of `--map` options."""
        side_file = manifest.parent / SIDE_FILE if manifest is not None else None
        tables = [dict(parse_mapping(text) for text in mappings)]
        if side_file is not None and side_file.is_file():
            tables.append(read_side_file(side_file))
        return cls(tuple(tables), side_file)

    def has(self, image: str) -> bool:
        """Return whether a local program stands for a reference."""
        try:
            self.find(image)
        except ImageUnreachable:
            return False
        return True

    def find(self, image: str) -> LocalImage:
        """Return the local image of a reference; raises ImageUnreachable, which says how to map it."""
        if is_unresolved_image_id(image):
            raise ImageUnreachable(image, "it is the id of a hosted image that was never resolved to a reference")
        for table in self.tables:
            if image in table:
                return table[image]
        _load_built_in()
        if image in _registered:
            return _registered[image]
        place = self.side_file or SIDE_FILE
        raise ImageUnreachable(
            image,
            f"no local command stands for it. Map it in {place}, as "
            f'{{"images": {{"{image}": {{"root": "DIR", "argv": ["PROGRAM"]}}}}}}, '
            f"or with `--map {shlex.quote(image)}=DIR`",
        )


def read_side_file(path: Path) -> dict[str, LocalImage]:
    """Read the images of a `coworld_local.json`."""
    try:
        document: Any = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise LocalImagesError(f"cannot read {path}: {error}") from None
    images = document.get("images") if isinstance(document, dict) else None
    if not isinstance(images, dict):
        raise LocalImagesError(f"{path} needs the form {{'images': {{'IMAGE': {{'root', 'argv', 'env', 'workdir'}}}}}}")
    return {image: _entry(path, image, entry) for image, entry in images.items()}


def _entry(path: Path, image: str, entry: object) -> LocalImage:
    where = f"images[{image!r}] of {path}"
    if not isinstance(entry, dict) or (unknown := entry.keys() - KEYS):
        known = f"an object with {', '.join(f'`{key}`' for key in sorted(KEYS))}"
        raise LocalImagesError(
            f"{where} must be {known}" + (f", not {sorted(unknown)}" if isinstance(entry, dict) else "")
        )
    argv, env = entry.get("argv", []), entry.get("env", {})
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        raise LocalImagesError(f"`argv` in {where} must be a list of strings")
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise LocalImagesError(f"`env` in {where} must be an object of strings")
    folders: dict[str, Path | None] = {}
    for name in ("root", "workdir", "at", "python"):
        value = entry.get(name)
        if value is not None and not isinstance(value, str):
            raise LocalImagesError(f"`{name}` in {where} must be a path")
        folders[name] = None if value is None else _folder(path, name, value)
    root = folders["root"] or path.parent.resolve()
    if not root.is_dir():
        raise LocalImagesError(f"`root` in {where} is not a folder: {root}")
    mounts = entry.get("mounts", [])
    if not isinstance(mounts, list) or not all(
        isinstance(word, str) and (path.parent / word).exists() for word in mounts
    ):
        raise LocalImagesError(f"`mounts` in {where} must be a list of folders that exist")
    return LocalImage(
        image=image,
        argv=tuple(argv),
        root=root,
        at=folders["at"],
        mounts=tuple((path.parent / word).resolve() for word in mounts),
        python=_venv(folders["python"], where),
        packages=_packages(entry.get("packages", []), where),
        env=env,
        workdir=_workdir(root, folders["at"], folders["workdir"]),
        how=f"mapped to {root} by {path.name}",
    )


def _folder(path: Path, name: str, value: str) -> Path:
    if name == "at":
        return Path(value)
    if name == "python":  # the program of an environment is a link that must not be followed
        return Path(os.path.abspath(path.parent.resolve() / value))
    return (path.parent / value).resolve()


def _venv(folder: Path | None, where: str) -> Path | None:
    """Return the virtual environment that `python` names, directly or by the program in it."""
    if folder is None or folder.is_dir():
        return folder
    if folder.parent.name == "bin" and (folder.parent.parent / "pyvenv.cfg").is_file():
        return folder.parent.parent
    raise LocalImagesError(f"`python` in {where} must be the folder of a virtual environment, not {folder}")


def _packages(names: object, where: str) -> tuple[str, ...]:
    from coworld.engines.interpreters import OURS

    if not isinstance(names, list) or not all(name in OURS for name in names):
        raise LocalImagesError(f"`packages` in {where} must be a list of {', '.join(OURS)}")
    if missing := [name for name in names if find_spec(name) is None]:
        raise LocalImagesError(f"`packages` in {where} names {missing[0]!r}, which is not installed")
    return tuple(names)


def _workdir(root: Path, at: Path | None, workdir: Path | None) -> Path:
    inside = workdir or root
    if at is not None and inside.is_relative_to(root):
        return at / inside.relative_to(root)
    return inside


def parse_mapping(text: str) -> tuple[str, LocalImage]:
    """Parse `IMAGE=DIR`. The command comes from the folder's side file, else from the manifest's `run`. An image that
    an installed package provides runs its own program in the folder."""
    image, equals, folder = text.rpartition("=")
    root = Path(folder).resolve()
    if not equals or not image or not root.is_dir():
        raise LocalImagesError(f"`--map {text}` must be IMAGE=DIR with a folder that exists")
    side_file = root / SIDE_FILE
    if side_file.is_file():
        entries = read_side_file(side_file)
        if entry := entries.get(image) or (next(iter(entries.values())) if len(entries) == 1 else None):
            return image, entry
    how = f"mapped to {root} by --map"
    _load_built_in()
    if image in _registered:
        return image, replace(_registered[image], root=root, workdir=root, how=how, packages_are_default=True)
    return image, LocalImage(image=image, root=root, workdir=root, how=how)
