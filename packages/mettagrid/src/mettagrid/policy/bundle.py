"""Write bundles. The same inputs give the same bytes: names are sorted, times fixed, permissions 0644 or 0755."""

from __future__ import annotations

import difflib
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mettagrid.policy.archive import extract_submission_archive
from mettagrid.policy.bundle_cache import is_own_file
from mettagrid.policy.policy_registry import get_policy_registry
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.policy.submission import (
    POLICY_SPEC_FILENAME,
    SubmissionPolicySpec,
    read_submission_policy_spec,
    submission_spec_json,
)

__all__ = ["CreatedBundle", "create_bundle"]

_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
_LEFT_OUT = frozenset({"__pycache__", ".git", ".DS_Store"})
_NEEDS_SETUP = "metta.agent."
_TRAINER_STATE = "trainer_state.pt"


@dataclass(frozen=True)
class CreatedBundle:
    """A written bundle and a summary of its content.

    `source` is the bundle it was created from, if any; `included` are the added paths, as given; `warnings` describe
    what may not work where the bundle is used.
    """

    path: Path
    spec: SubmissionPolicySpec
    source: Path | None
    included: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size


def create_bundle(
    policy: PolicySpec | Path,
    output: Path,
    *,
    include_files: Sequence[str] = (),
    init_kwargs: Mapping[str, Any] | None = None,
    setup_script: str | None = None,
    network_hosts: Sequence[str] = (),
    compat_version: str | None = None,
    cwd: Path | None = None,
) -> CreatedBundle:
    """Write a bundle and return a summary of it.

    `policy` is a description, or the path of a bundle (folder or archive) to pack again with changes. `include_files`
    are files and folders inside `cwd`, by default the working directory; without any, a description brings the source
    of its class, if that is inside `cwd`. They keep their place relative to it, except
    a file that is the class's whole module, which goes to the root. `__init__.py` of the folders above them are added.
    The weights of a description and `setup_script`, a Python file, are included in the same way. `init_kwargs` override
    those of the policy; dashes in their names become underscores. `network_hosts` are hosts that the policy asks to
    connect to, in addition to those of an existing bundle; `compat_version` is the game version it was built for.

    Raises `FileNotFoundError` for paths that do not exist, `ValueError` for paths outside `cwd`, for two files with the
    same path in the bundle, and for a policy that cannot run from such a bundle. The output is written atomically.
    """
    base = (Path.cwd() if cwd is None else cwd).resolve()
    output = Path(os.path.expanduser(output)).absolute()
    if output.is_dir():
        raise ValueError(f"{output} is a folder; give the path of the bundle file")
    with tempfile.TemporaryDirectory(prefix="mettagrid-bundle-") as temporary:
        members: dict[str, Path] = {}
        if isinstance(policy, Path):
            spec = _read_bundle(policy, Path(temporary), members, output)
        else:
            spec = SubmissionPolicySpec(**{name: getattr(policy, name) for name in PolicySpec.model_fields})
        given = list(include_files)
        if not isinstance(policy, Path) and not given:
            given += _class_source(spec.class_path, base)
        if not isinstance(policy, Path) and spec.data_path is not None:
            spec.data_path = _inside(spec.data_path, base).as_posix()
            given.append(spec.data_path)
        if setup_script is not None:
            spec.setup_script = _setup_script(setup_script, base)
            given.append(setup_script)
        spec.init_kwargs = spec.init_kwargs | {
            name.replace("-", "_"): value for name, value in (init_kwargs or {}).items()
        }
        spec.compat_version = compat_version or spec.compat_version
        spec.network_hosts = sorted({*(spec.network_hosts or ()), *network_hosts}) or None
        _include(members, given, base, spec.class_path, output)
        members.pop(POLICY_SPEC_FILENAME, None)
        warnings = _check_runnable(spec, members)
        _write(output, submission_spec_json(spec), members)
    source = policy if isinstance(policy, Path) else None
    return CreatedBundle(output, spec, source, tuple(given), tuple(warnings))


def _read_bundle(bundle: Path, temporary: Path, members: dict[str, Path], output: Path) -> SubmissionPolicySpec:
    """Add the files of an existing bundle; of a training run only those that the policy needs."""
    root = bundle
    if not bundle.is_dir():
        root = temporary / "content"
        extract_submission_archive(bundle, root)
    spec = read_submission_policy_spec(root)
    is_run = (root / _TRAINER_STATE).is_file()  # beside it are older weights, metrics and reports
    for path in _files(root, output):
        place = path.relative_to(root).as_posix()
        if not is_own_file(path.name) and (not is_run or place in (spec.data_path, spec.setup_script)):
            members[place] = path
    return spec


def _class_source(class_path: str, base: Path) -> list[str]:
    """Return the path of a class's source below `base`: its file, or the outermost package around it; else nothing."""
    parts = class_path.split(".")[:-1]
    if not parts or not all(part.isidentifier() for part in parts):
        return []
    place = Path(*parts)
    if (base / place).with_suffix(".py").is_file():
        place = place.with_suffix(".py")
    elif not (base / place / "__init__.py").is_file():
        return []
    packages = [folder for folder in place.parents if (base / folder / "__init__.py").is_file() and folder != Path()]
    return [str(packages[-1] if packages else place)]


def _setup_script(text: str, base: Path) -> str:
    path = _inside(text, base)
    if path.suffix != ".py":
        raise ValueError(f"Setup script must be a .py file: {text}")
    return path.as_posix()


def _include(members: dict[str, Path], given: Sequence[str], base: Path, class_path: str, output: Path) -> None:
    """Add paths below `base`, and the `__init__.py` of the folders they are in."""
    module, _, _ = class_path.rpartition(".")
    added: dict[str, Path] = {}
    for text in given:
        relative = _inside(text, base)
        source = base / relative
        for path in [source] if source.is_file() else _files(source, output):
            _inside(str(path), base)  # a link may point outside
            is_whole_module = "." not in module and path.name == f"{module}.py" and path == source
            place = path.name if is_whole_module else path.relative_to(base).as_posix()
            _add(added, place, path)
        for folder in relative.parents:
            init = base / folder / "__init__.py"
            if folder != Path() and init.is_file():
                _add(added, init.relative_to(base).as_posix(), init)
    members.update(added)


def _add(members: dict[str, Path], place: str, path: Path) -> None:
    known = members.setdefault(place, path)
    if known != path:
        raise ValueError(f"{known} and {path} would both become {place} in the bundle; include one of them")


def _inside(text: str, base: Path) -> Path:
    """Return a path below `base`, relative to it."""
    path = Path(os.path.expanduser(text))
    path = Path(os.path.normpath(path if path.is_absolute() else base / path))
    if not path.resolve().is_relative_to(base):
        raise ValueError(f"Path must be within the current directory: {text}")
    if not path.exists():
        raise FileNotFoundError(f"Path does not exist: {text}")
    return path.relative_to(base) if path.is_relative_to(base) else path.resolve().relative_to(base)


def _files(folder: Path, output: Path) -> Iterator[Path]:
    """Yield all files in a folder, without caches, version control and the bundle being written."""
    for path in sorted(folder.iterdir()):
        if path.name in _LEFT_OUT or path.suffix == ".pyc" or path == output:
            continue
        if path.is_dir():
            yield from _files(path, output)
        elif path.is_file():
            yield path
        elif path.is_symlink():
            raise FileNotFoundError(f"Path does not exist: {path} is a link to nothing")


def _check_runnable(spec: SubmissionPolicySpec, members: Mapping[str, Path]) -> list[str]:
    """Raise ValueError for a policy that cannot run anywhere; return warnings about what may not run elsewhere."""
    module = spec.class_path.rpartition(".")[0]
    top = module.partition(".")[0]
    has_code = any(
        f"/{place}".endswith((f"/{module.replace('.', '/')}.py", f"/{module.replace('.', '/')}/__init__.py"))
        for place in members
    )
    if has_code or spec.setup_script is not None:
        return []
    if spec.class_path.startswith(_NEEDS_SETUP):
        raise ValueError(
            f"{spec.class_path} needs code that is not in the bundle; "
            "include it with -f PATH, or install it in a script given with --setup-script SETUP.py"
        )
    if not module:
        near = difflib.get_close_matches(spec.class_path, list(get_policy_registry()), n=3, cutoff=0.7)
        advice = f"did you mean {' or '.join(near)}?" if near else "write it as module.Class"
        return [f"{spec.class_path} is not a known policy name; {advice}"]
    if _is_installed(top):
        return []
    return [f"{spec.class_path} is not in the bundle; include its source with -f PATH"]


def _is_installed(top: str) -> bool:
    """Return whether a package comes from an installed distribution, and not from the working directory."""
    try:
        module = find_spec(top)
    except (ImportError, ValueError):
        return False
    if module is None or module.origin is None:
        return module is not None
    return not Path(module.origin).resolve().is_relative_to(Path.cwd()) or "site-packages" in module.origin


def _write(output: Path, spec_json: str, members: Mapping[str, Path]) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            _write_member(archive, POLICY_SPEC_FILENAME, spec_json.encode(), can_execute=False)
            for place in sorted(members):
                path = members[place]
                can_execute = bool(path.stat().st_mode & 0o100)
                _write_member(archive, place, path.read_bytes(), can_execute=can_execute)
        temporary.chmod(0o644)
        temporary.replace(output)
    finally:
        temporary.unlink(missing_ok=True)


def _write_member(archive: zipfile.ZipFile, place: str, content: bytes, *, can_execute: bool) -> None:
    entry = zipfile.ZipInfo(place, _FIXED_TIME)
    entry.create_system = 3  # Unix, on every platform
    entry.external_attr = (0o100755 if can_execute else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 6)
