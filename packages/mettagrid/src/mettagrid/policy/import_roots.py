"""Make the code of a bundle importable, without mixing it up with that of another bundle.

Two bundles often have a module of the same name, such as `my_policy`. Before a bundle's class is imported its folders
are put first on the import path, and modules that were imported from elsewhere under names the bundle uses are removed
from `sys.modules`; existing objects keep working. Our own packages and Python's are never replaced.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import importlib.machinery
import importlib.util
import logging
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

from mettagrid.policy.policy_registry import OUR_PACKAGES, forget_policy_classes

__all__ = ["activate_import_roots", "find_package_source_root", "prefer_installed_package_code"]

logger = logging.getLogger(__name__)

_MODULE_ENDINGS = (".py", ".ipynb", *importlib.machinery.EXTENSION_SUFFIXES)
_PROTECTED = OUR_PACKAGES | sys.stdlib_module_names | {"__main__"}

_prefer_installed = contextvars.ContextVar("_prefer_installed_package_code", default=False)


@contextlib.contextmanager
def prefer_installed_package_code() -> Iterator[None]:
    """Prefer installed code to a bundle's copy inside the block, where the class can be imported without the bundle."""
    token = _prefer_installed.set(True)
    try:
        yield
    finally:
        _prefer_installed.reset(token)


def find_package_source_root(extraction_root: Path, class_path: str) -> Path | None:
    """Return the folder in the bundle from which the module of `class_path` can be imported, or None if it has none.

    Folders count as packages with or without `__init__.py`. The folder nearest to the root wins. A module of a single
    file at the root gives None too: the root is on the import path anyway.
    """
    parts = _module_parts(class_path)
    if not parts:
        return None
    for folder in _folders(extraction_root):
        if _has_module(folder, parts):
            is_file_at_root = folder == extraction_root and len(parts) == 1 and not (folder / parts[0]).is_dir()
            return None if is_file_at_root else folder
    return None


def activate_import_roots(class_path: str, roots: Sequence[Path]) -> None:
    """Make the class importable from a bundle whose folders are `roots`, the most important first."""
    top = class_path.partition(".")[0]
    if top in OUR_PACKAGES or (_prefer_installed.get() and _is_installed(class_path, roots)):
        return
    folders = [folder.resolve() for folder in roots]
    for package in sorted(OUR_PACKAGES):
        if package not in sys.modules and any((folder / package).exists() for folder in folders):
            logger.warning("The bundle's copy of %s is not used", package)
            with contextlib.suppress(ImportError):
                importlib.import_module(package)  # now, while ours comes first on the import path
    own_names = {name for folder in folders for name in _module_names(folder)}
    stale = [name for name, module in list(sys.modules.items()) if _is_stale(name, module, top, own_names, folders)]
    for name in stale:
        del sys.modules[name]
    forget_policy_classes(stale)
    entries = [str(folder) for folder in folders]
    sys.path[:] = [*entries, *(place for place in sys.path if place not in entries)]
    importlib.invalidate_caches()


def _is_stale(name: str, module: ModuleType, top_name: str, own_names: set[str], folders: list[Path]) -> bool:
    """Return whether an imported module shadows one of the bundle's."""
    top = name.partition(".")[0]
    place = None if top in _PROTECTED else _place_of(module)
    if place is None or _is_in(place, folders):
        return False
    return top == top_name or (top in own_names and not _is_in(place, _libraries()))


def _place_of(module: ModuleType) -> str | None:
    """Return the path that a module was imported from, or None for modules without a file."""
    file = getattr(module, "__file__", None)
    if isinstance(file, str):
        return file
    place = next(iter(getattr(module, "__path__", ())), None)
    return place if isinstance(place, str) else None


def _is_in(place: str, folders: Iterable[Path]) -> bool:
    return any(place.startswith(f"{folder}{os.sep}") or place == str(folder) for folder in folders)


def _module_names(folder: Path) -> Iterator[str]:
    """Yield the names that can be imported from a folder."""
    for entry in os.scandir(folder):
        if entry.is_dir() or entry.name.endswith(_MODULE_ENDINGS):
            yield entry.name.partition(".")[0]


@functools.cache
def _libraries() -> frozenset[Path]:
    return frozenset(Path(sysconfig.get_paths()[name]).resolve() for name in ("purelib", "platlib"))


def _is_installed(class_path: str, roots: Sequence[Path]) -> bool:
    """Return whether the class can be imported without these folders."""
    hidden = {str(root) for root in roots} | {str(root.resolve()) for root in roots}
    path = sys.path[:]
    sys.path[:] = [place for place in path if place not in hidden]
    try:
        parts = _module_parts(class_path)
        return bool(parts) and importlib.util.find_spec(".".join(parts)) is not None
    except (ImportError, ValueError):
        return False
    finally:
        sys.path[:] = path


def _module_parts(class_path: str) -> list[str]:
    """Return the module of a class path, also for a class inside a class."""
    parts = class_path.split(".")[:-1]
    while len(parts) > 1 and parts[-1][:1].isupper():
        parts.pop()
    return parts if all(part.isidentifier() for part in parts) else []


def _folders(root: Path) -> Iterator[Path]:
    """Yield the root and the folders in it, nearest first, without hidden ones and caches."""
    level = [root]
    while level:
        yield from level
        level = [
            Path(entry.path)
            for folder in level
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith((".", "__pycache__"))
        ]


def _has_module(folder: Path, parts: list[str]) -> bool:
    target = folder.joinpath(*parts)
    if (target / "__init__.py").is_file():
        return True
    return any(target.with_name(target.name + ending).is_file() for ending in _MODULE_ENDINGS)
