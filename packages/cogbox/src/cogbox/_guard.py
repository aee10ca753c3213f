"""Locate the guard: the native program that creates boxes and supervises them."""

import functools
import sys
from pathlib import Path

import cogbox


@functools.cache
def guard_path() -> Path:
    for folder in cogbox.__path__:
        if (Path(folder) / "guard").is_file():
            return Path(folder) / "guard"
    raise FileNotFoundError(missing_guard() or "the guard is missing")


@functools.cache
def missing_guard() -> str | None:
    if any((Path(folder) / "guard").is_file() for folder in cogbox.__path__):
        return None
    if not sys.platform.startswith("linux"):
        return "the guard runs only on Linux"
    return "the guard is missing from the installed package: reinstall `cogbox`"
