"""Collect what a boxed policy needs, its description and its folders, without running any of its code."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mettagrid.policy.bundle_cache import exclusive_file_lock, unpacked_bundle, usable_cache_dir
from mettagrid.policy.import_roots import find_package_source_root
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.policy.submission import SubmissionPolicySpec, read_submission_policy_spec
from mettagrid.runner.boxed.setup import SETUP_SECONDS, prepared_bundle

__all__ = ["PolicyMaterial", "material_from_spec", "material_from_uri"]

MAX_FOLDER_BYTES = 4 << 30
MAX_FOLDER_FILES = 50_000


@dataclass(frozen=True)
class PolicyMaterial:
    """A policy as plain data, which can be pickled and written as JSON."""

    name: str
    class_path: str
    data_path: str | None = None
    init_kwargs: Mapping[str, Any] = field(default_factory=dict)
    import_roots: tuple[str, ...] = ()
    """folders for the import path, the most important first"""
    libraries: tuple[str, ...] = ()
    """folders after all installed packages: what a setup script has installed"""
    folders: tuple[str, ...] = ()
    """folders and files that are visible in the box, read-only"""
    recorded_interface: Mapping[str, Any] | None = None
    """the game that the policy was made for, as its bundle records it"""


def material_from_uri(uri: str, *, may_use_index: bool = True, setup_seconds: float = SETUP_SECONDS) -> PolicyMaterial:
    """Return the policy that a URI, a path or a name means.

    A bundle is downloaded and unpacked, and its setup script is run in a box, with access to the package index of this
    machine if allowed. Raises what `policy_spec_from_uri` raises, and `RuntimeError` if the setup script fails.
    """
    from mettagrid.util.uri_resolvers.schemes import localize_uri, parse_init_kwargs_from_query, parse_uri

    base, _, query = uri.partition("?")
    parsed = parse_uri(base, allow_none=True)
    kwargs = parse_init_kwargs_from_query(query)
    place = localize_uri(base) if parsed is not None and parsed.scheme not in ("mock", "metta") else None
    if place is None:
        from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

        return material_from_spec(policy_spec_from_uri(uri))
    return material_from_bundle(place, kwargs, may_use_index=may_use_index, setup_seconds=setup_seconds)


def material_from_bundle(
    place: Path,
    kwargs: Mapping[str, Any] | None = None,
    *,
    may_use_index: bool = True,
    setup_seconds: float = SETUP_SECONDS,
) -> PolicyMaterial:
    """Return the policy of a bundle, which is a folder or an archive."""
    root = copied_folder(place) if place.is_dir() else unpacked_bundle(place)
    submission = read_submission_policy_spec(root)
    libraries: tuple[Path, ...] = ()
    if submission.setup_script is not None:
        script = submission.setup_script
        root, libraries = prepared_bundle(root, script, may_use_index=may_use_index, seconds=setup_seconds)
    source_root = find_package_source_root(root, submission.class_path)
    roots = [*([] if source_root in (None, root) else [source_root]), root]
    return PolicyMaterial(
        name=submission.name,
        class_path=submission.class_path,
        data_path=_data_path(submission, root),
        init_kwargs={**submission.init_kwargs, **(kwargs or {})},
        import_roots=tuple(str(folder) for folder in roots),
        libraries=tuple(str(folder) for folder in libraries),
        folders=tuple(str(folder) for folder in (root, *libraries)),
        recorded_interface=_dumped(submission.policy_env_interface),
    )


def material_from_spec(spec: PolicySpec) -> PolicyMaterial:
    """Return a policy of installed code, or of code on the import path such as the working folder, as given to `-p`."""
    # A spec of a bundle that was loaded in this process has its folders.
    roots = [str(folder) for folder in spec.import_roots] or code_folders(spec.class_path)
    folders = [*roots, *([spec.data_path] if spec.data_path else [])]
    return PolicyMaterial(
        name=spec.name,
        class_path=spec.class_path,
        data_path=spec.data_path,
        init_kwargs=dict(spec.init_kwargs),
        import_roots=tuple(roots),
        folders=tuple(folders),
        recorded_interface=_dumped(spec.policy_env_interface),
    )


def _dumped(interface: PolicyEnvInterface | None) -> dict[str, Any] | None:
    return None if interface is None else interface.model_dump(mode="json")


def code_folders(class_path: str) -> list[str]:
    """Return the folder on the import path that has a class; none for installed code and our short names."""
    import importlib.util
    import sysconfig

    from mettagrid.policy.policy_registry import OUR_PACKAGES

    top = class_path.partition(".")[0]
    if top == class_path or top in OUR_PACKAGES:
        return []
    try:
        module = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        module = None
    if module is None:
        return [os.getcwd()]
    place = Path(next(iter(module.submodule_search_locations or []), module.origin or os.getcwd()))
    installed = [Path(sysconfig.get_paths()[name]) for name in ("purelib", "platlib", "stdlib")]
    return [] if any(place.is_relative_to(folder) for folder in installed) else [str(place.parent)]


def _data_path(submission: SubmissionPolicySpec, root: Path) -> str | None:
    """Return the weights, which must be inside the bundle: the policy may not read other files."""
    if submission.data_path is None:
        return None
    path = (root / submission.data_path).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ValueError(f"Policy data path {submission.data_path!r} leads out of the bundle")
    if not path.exists():
        raise FileNotFoundError(f"Policy data path {submission.data_path!r} not found in the bundle")
    return str(path)


def copied_folder(folder: Path) -> Path:
    """Copy a folder's regular files to the cache, by content, readable inside boxes; links are skipped."""
    digest = hashlib.sha256()
    total = count = 0
    entries = list(plain_files(folder))
    for relative, path in entries:
        total, count = total + path.stat().st_size, count + 1
        if total > MAX_FOLDER_BYTES or count > MAX_FOLDER_FILES:
            raise ValueError(
                f"{folder} is too large for a bundle: more than {MAX_FOLDER_BYTES} bytes or {MAX_FOLDER_FILES} files"
            )
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        digest.update(relative.encode() + b"\0" + bytes([path.stat().st_mode & stat.S_IXUSR != 0]) + content)
    cache = usable_cache_dir()
    target = cache / f"{digest.hexdigest()}.f"
    with exclusive_file_lock(cache / f"{target.name}.lock"):
        if not target.exists():
            temporary = Path(tempfile.mkdtemp(dir=cache, prefix=".folder."))
            try:
                copy_plain(entries, temporary)
                temporary.rename(target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    return target


def plain_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield (path in the folder, path) of every regular file, in order; links are not followed."""
    for place, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name != "__pycache__" and not (Path(place) / name).is_symlink())
        for name in sorted(files):
            path = Path(place) / name
            if stat.S_ISREG(path.lstat().st_mode):
                yield str(path.relative_to(folder)), path


def copy_plain(entries: list[tuple[str, Path]], target: Path) -> None:
    """Copy files with new permissions: world-readable, writable by us, executable where they were."""
    target.chmod(0o755)
    for relative, path in entries:
        to = target / relative
        to.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        shutil.copyfile(path, to, follow_symlinks=False)
        to.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
