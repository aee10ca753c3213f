"""Versions of a player: whole copies of its folder, named by their contents.

A version's folder appears complete or not at all and never changes. Two equal folders are one version.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from coworld.optimize.errors import OptimizeError

JOURNAL = "journal.jsonl"
"""a folder with this file is the state of an optimization"""
LEFT_OUT = frozenset({".git", ".venv", "__pycache__", "node_modules", "results"})
"""folders that a snapshot of a player leaves out"""


class Versions:
    """The versions stored under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def path(self, version: str) -> Path:
        return self.root / version

    def keep(self, folder: Path) -> str:
        """Take a copy of a folder; returns its version."""
        version = digest(folder)
        if not self.path(version).exists():
            beside = self.scratch(f".{version}")
            copy(folder, beside)
            os.replace(beside, self.path(version))
        return version

    def scratch(self, name: str) -> Path:
        """Return an empty folder for a copy; remove what a killed run left there."""
        path = self.root / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def write(self, version: str, target: Path) -> None:
        """Put a version's files over a folder's; files that the version no longer has are removed."""
        here = self.path(version)
        relative_paths = {path.relative_to(here) for path in files(here)}
        for path in files(target) if target.is_dir() else []:
            if path.relative_to(target) not in relative_paths:
                path.unlink()
        for relative in sorted(relative_paths):
            place = target / relative
            place.parent.mkdir(parents=True, exist_ok=True)
            beside = place.with_name(f".{place.name}.part")
            shutil.copy2(here / relative, beside)
            os.replace(beside, place)


def files(folder: Path) -> list[Path]:
    """Return the files of a player's folder, in order. Links are not followed out of it."""
    paths = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT and not Path(place, name, JOURNAL).exists()]
        for name in names:
            path = Path(place, name)
            if path.is_symlink():
                raise OptimizeError(f"{path} is a link", hint="a player's folder is copied: put the file itself there")
            paths.append(path)
    return sorted(paths)


def copy(folder: Path, target: Path) -> None:
    for path in files(folder):
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)
    target.mkdir(parents=True, exist_ok=True)


def digest(folder: Path) -> str:
    """Return a digest of a folder: file names, contents and executable bits."""
    total = hashlib.sha256()
    for path in files(folder):
        contents = hashlib.sha256(path.read_bytes()).hexdigest()
        runs = "x" if os.access(path, os.X_OK) and path.stat().st_mode & 0o111 else "-"
        total.update(f"{path.relative_to(folder).as_posix()}\0{runs}\0{contents}\n".encode())
    return total.hexdigest()[:16]
