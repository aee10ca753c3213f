"""Send what policies need of this machine's disk to another one: folders of bundles, weights, Python files.

`pack` replaces the paths in plans by digests, and `unpack` writes the files to a cache folder of the node and replaces
the digests by its paths.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.boxed.material import PolicyMaterial, code_folders
from mettagrid.runner.boxed.policy import BoxedPolicy
from softmax.cli.errors import CommandError

if TYPE_CHECKING:
    from mettagrid.runner.episode.holder import PolicySource
    from mettagrid.runner.episode.plan import EpisodePlan

__all__ = ["ShippedFiles", "pack", "unpack"]

MAX_BYTES = 500 << 20
_LEFT_OUT = {"__pycache__", "node_modules", "outputs", "build", "dist"}

Files = dict[str, bytes]
"""content by relative path; a single file has the path of its name"""
Move = Callable[[str], str]


@dataclass
class ShippedFiles:
    """Files by digest of what they belong to, and the digests of folders with the user's Python modules."""

    parts: dict[str, Files] = field(default_factory=dict)
    import_path: list[str] = field(default_factory=list)


def pack(plans: Sequence[EpisodePlan]) -> tuple[list[EpisodePlan], ShippedFiles]:
    """Return plans whose paths are digests, and the files. Raise `CommandError` if there is too much to send."""
    shipped = ShippedFiles()
    known: dict[tuple[str, bool], str] = {}

    def move(path: str, *, code_only: bool = False) -> str:
        if (path, code_only) not in known:
            files = dict(_files(Path(path), code_only=code_only))
            digest = hashlib.sha256(b"".join(f"{n}\0{len(files[n])}\0".encode() + files[n] for n in sorted(files)))
            name = digest.hexdigest()
            shipped.parts[name] = files
            known[path, code_only] = name if Path(path).is_dir() else f"{name}/{Path(path).name}"
            if sum(len(data) for part in shipped.parts.values() for data in part.values()) > MAX_BYTES:
                raise CommandError(f"The policies have more than {MAX_BYTES >> 20} MB of files to send to other nodes")
        return known[path, code_only]

    for policy in {id(policy): policy for plan in plans for policy in plan.policies}.values():
        if isinstance(policy, PolicySpec) and not policy.import_roots:
            for folder in code_folders(policy.class_path):
                digest = move(folder, code_only=True)
                if digest not in shipped.import_path:
                    shipped.import_path.append(digest)
    return [_moved(plan, move) for plan in plans], shipped


def unpack(plans: Sequence[EpisodePlan], shipped: ShippedFiles) -> list[EpisodePlan]:
    """Write the files to this machine, and return plans that use them."""
    cache = Path(tempfile.gettempdir()) / f"cogames-shipped-{os.getuid()}"
    cache.mkdir(mode=0o700, exist_ok=True)
    if cache.is_symlink() or cache.stat().st_uid != os.getuid():
        raise PermissionError(f"{cache} belongs to another user")
    for digest, files in shipped.parts.items():
        _write(cache / digest, files)
    for digest in shipped.import_path:
        if str(cache / digest) not in sys.path:
            sys.path.insert(0, str(cache / digest))
    return [_moved(plan, lambda path: str(cache / path)) for plan in plans]


def _moved(plan: EpisodePlan, move: Move) -> EpisodePlan:
    return replace(plan, policies=[_policy(policy, move) for policy in plan.policies])


def _policy(policy: PolicySpec | PolicySource, move: Move) -> PolicySpec | PolicySource:
    if isinstance(policy, BoxedPolicy):
        return replace(policy, material=_material(policy.material, move))
    if not isinstance(policy, PolicySpec):
        return policy
    copy = policy.model_copy(
        update={"data_path": None if policy.data_path is None else _inside(policy.data_path, policy.import_roots, move)}
    )
    copy.import_roots = tuple(Path(move(str(root))) for root in policy.import_roots)
    return copy


def _material(material: PolicyMaterial, move: Move) -> PolicyMaterial:
    folders = [Path(folder) for folder in material.folders]
    return replace(
        material,
        data_path=None if material.data_path is None else _inside(material.data_path, folders, move),
        import_roots=tuple(_inside(root, folders, move) for root in material.import_roots),
        libraries=tuple(_inside(library, folders, move) for library in material.libraries),
        folders=tuple(move(folder) for folder in material.folders),
    )


def _inside(path: str, folders: Sequence[Path], move: Move) -> str:
    """Move a path with the folder that it is in, or alone."""
    for folder in folders:
        if Path(path) != folder and Path(path).is_relative_to(folder):
            return str(Path(move(str(folder))) / Path(path).relative_to(folder))
    return move(path)


def _files(path: Path, *, code_only: bool) -> Iterator[tuple[str, bytes]]:
    if path.is_file():
        yield path.name, path.read_bytes()
        return
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if not _is_left_out(Path(folder) / name, code_only=code_only))
        for name in sorted(files):
            file = Path(folder) / name
            if file.is_file() and (not code_only or name.endswith(".py")):
                yield str(file.relative_to(path)), file.read_bytes()


def _is_left_out(folder: Path, *, code_only: bool) -> bool:
    if folder.name == "__pycache__":
        return True
    is_environment = (folder / "pyvenv.cfg").exists()
    return code_only and (folder.name in _LEFT_OUT or folder.name.startswith(".") or is_environment)


def _write(folder: Path, files: Files) -> None:
    """Write a folder as a whole; another process may do the same at the same time."""
    if folder.exists():
        return
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    for name, data in files.items():
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_bytes(data)
    try:
        os.replace(part, folder)
    except OSError:  # the other process was first
        shutil.rmtree(part, ignore_errors=True)
