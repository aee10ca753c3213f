"""Prepare a bundle on this machine or in a bucket for loading."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mettagrid.policy.archive import extract_submission_archive, validate_submission_archive_member
from mettagrid.policy.bundle_cache import DEFAULT_POLICY_CACHE_DIR, remove_at_exit, unpacked_bundle, usable_cache_dir
from mettagrid.policy.import_roots import (
    activate_import_roots,
    find_package_source_root,
    prefer_installed_package_code,
)
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.policy.setup_script import SetupRunner, run_setup_script
from mettagrid.policy.submission import (
    POLICY_MANIFEST_FILENAME,
    POLICY_SPEC_FILENAME,
    SubmissionPolicySpec,
    load_policy_manifest,
    read_submission_policy_spec,
)

__all__ = [
    "DEFAULT_POLICY_CACHE_DIR",
    "POLICY_MANIFEST_FILENAME",
    "POLICY_SPEC_FILENAME",
    "SubmissionPolicySpec",
    "download_policy_spec_from_s3_as_zip",
    "extract_submission_archive",
    "find_package_source_root",
    "load_policy_manifest",
    "load_policy_spec_from_path",
    "prefer_installed_package_code",
    "validate_submission_archive_member",
]


def load_policy_spec_from_path(
    local_path: Path,
    *,
    device: str | None = None,
    remove_downloaded_copy_on_exit: bool = False,
    force_dest: Path | None = None,
    setup_runner: SetupRunner | None = None,
) -> PolicySpec:
    """Return the policy of a bundle: a folder, or an archive, which is unpacked into the cache or into `force_dest`.

    The setup script is run, by `setup_runner` if given, and the code of the bundle becomes importable. `device`
    replaces the argument of that name if the bundle has one. Raises `FileNotFoundError` if the bundle, its manifest,
    its weights or its setup script are missing, `ValueError` if they are invalid.
    """
    if not local_path.exists():
        raise FileNotFoundError(f"Policy bundle not found: {local_path}")
    root = local_path
    if not local_path.is_dir():
        root = unpacked_bundle(local_path, destination=force_dest)
        if remove_downloaded_copy_on_exit:
            remove_at_exit(root)
    submission = read_submission_policy_spec(root)
    extra_roots: tuple[Path, ...] = ()
    if submission.setup_script is not None:
        extra_roots = run_setup_script(root, submission.setup_script, runner=setup_runner)
    spec = PolicySpec(
        class_path=submission.class_path,
        data_path=_resolve_data_path(submission.data_path, root),
        init_kwargs=dict(submission.init_kwargs),
        policy_env_interface=submission.policy_env_interface,
    )
    if device is not None and "device" in spec.init_kwargs:
        spec.init_kwargs["device"] = device
    source_root = find_package_source_root(root, spec.class_path)
    roots = [*([] if source_root in (None, root) else [source_root]), root, *extra_roots]
    spec.import_roots = tuple(path.resolve() for path in roots if path is not None)
    activate_import_roots(spec.class_path, spec.import_roots)
    return spec


def download_policy_spec_from_s3_as_zip(
    s3_path: str, cache_dir: Path | None = None, remove_downloaded_copy_on_exit: bool = False
) -> Path:
    """Download a bundle from a bucket and return its path. Raises `ValueError` if it is not a `.zip`."""
    if not s3_path.endswith(".zip"):
        raise ValueError(f"Expected a .zip submission archive, got: {s3_path}")
    from mettagrid.util.file import read, write_data

    # Cached by content, like the unpacked bundle: the object may be replaced under the same name.
    content = read(s3_path)
    path = usable_cache_dir(cache_dir) / f"{hashlib.sha256(content).hexdigest()}.zip"
    if not path.exists():
        write_data(str(path), content)
    if remove_downloaded_copy_on_exit:
        remove_at_exit(path)
    return path


def _resolve_data_path(data_path: str | None, root: Path) -> str | None:
    """Return the weights as an absolute path: inside the bundle, or anywhere if the manifest has an absolute path."""
    if data_path is None:
        return None
    given = Path(data_path)
    path = given if given.is_absolute() else root / given
    if not given.is_absolute() and ".." in given.parts:
        raise ValueError(f"Policy data path {data_path!r} leads out of the bundle {root}")
    if not path.exists():
        raise FileNotFoundError(f"Policy data path {data_path!r} not found in submission directory {root}")
    return str(path.resolve() if not given.is_absolute() else path)
