"""Find the bundle that a typed path means: `./train_dir/my_run:v5`, `./train_dir/my_run`, `my_run:latest`.

For a path that ends in `:vN` or `:latest`, the base is the path without that ending; for any other path it is the path
itself. Tried in this order, the first match wins:

1. the path is a bundle: a folder with a manifest, or a file;
2. the requested `:vN` child of the base, the highest for `:latest` and for a path without version;
3. the same inside `<base>/checkpoints`;
4. the same among the siblings `<base>:vN`;
5. for `:latest`, the base itself as a bundle; for a path without version, `<path>.zip`.

A child or sibling counts when it is a folder with a manifest or a `.zip` file. Numbers are compared as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mettagrid.util.uri_resolvers.base import POLICY_MANIFEST_FILENAME, POLICY_SPEC_FILENAME, run_and_epoch

_VERSION = re.compile(r"(?P<base>.+):(?:v(?P<epoch>[0-9]+)|latest)(?:\.zip)?", re.DOTALL)


def find_bundle(path: Path) -> Path | None:
    """Return the bundle that `path` means, or None. Raises `ValueError` if several runs have the version."""
    if is_bundle(path):
        return path
    match = _VERSION.fullmatch(path.name)
    base = path if match is None else path.with_name(match["base"])
    epoch = None if match is None or match["epoch"] is None else int(match["epoch"])
    bundle = (
        _choose(_versions_in(base), epoch, base.name)
        or _choose(_versions_in(base / "checkpoints"), epoch, base.name)
        or _choose(_versions_in(base.parent, lambda run: run == base.name), epoch, base.name)
    )
    if bundle is not None or (match is not None and epoch is not None):
        return bundle
    last = base.with_name(f"{base.name}.zip") if match is None else base
    return last if is_bundle(last) else None


def is_bundle(path: Path) -> bool:
    """Return whether `path` can be loaded: a file, or a folder with a manifest at its root."""
    return path.is_file() or any((path / name).is_file() for name in (POLICY_SPEC_FILENAME, POLICY_MANIFEST_FILENAME))


def versions_near(path: Path) -> list[str]:
    """Return the names of similar versions, for messages about a path that was not found."""
    base = path.with_name(path.name.rpartition(":")[0] or path.name)
    versions = [*_versions_in(base), *_versions_in(base / "checkpoints"), *_versions_in(base.parent)]
    return [each.name for _, _, each in sorted(versions, key=lambda entry: entry[1])]


def _versions_in(folder: Path, accepts: Callable[[str], bool] = lambda run: True) -> list[tuple[str, int, Path]]:
    """Return (run, epoch, path) of each versioned bundle in `folder` whose run name is accepted."""
    return list(_iterate_versions(folder, accepts))


def _iterate_versions(folder: Path, accepts: Callable[[str], bool]) -> Iterator[tuple[str, int, Path]]:
    try:
        children = sorted(folder.iterdir())
    except OSError:
        return
    for child in children:
        version = run_and_epoch(child.name)
        is_right_kind = child.suffix == ".zip" if child.is_file() else is_bundle(child)
        if version is not None and accepts(version[0]) and is_right_kind:
            yield *version, child


def _choose(versions: list[tuple[str, int, Path]], epoch: int | None, run_name: str) -> Path | None:
    """Return the bundle with number `epoch`, or with the highest; a folder wins over a zip of the same number."""
    if not versions:
        return None
    chosen = max(number for _, number, _ in versions) if epoch is None else epoch
    matching = [(run, path) for run, number, path in versions if number == chosen]
    same_run = [(run, path) for run, path in matching if run == run_name] or matching
    runs = {run for run, _ in same_run}
    if epoch is not None and len(runs) > 1:
        raise ValueError(
            f"Version {epoch} exists for several runs: {', '.join(sorted(runs))}; give the path of the one you mean"
        )
    return min((path for _, path in same_run), key=lambda path: (path.is_file(), path.name), default=None)
