"""Run setup scripts in a box: once per content, with access only to the package index; results are cached read-only.

pip in the box connects to a proxy outside (`index`), which adds the credentials of the index; they never enter the box.

Packages that the script installs with pip go to a separate folder, which comes after all installed packages on the
import path: it can add packages and cannot replace ours.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mettagrid.policy.bundle_cache import exclusive_file_lock, usable_cache_dir
from mettagrid.runner.boxed.index import IndexProxy, package_index
from mettagrid.runner.episode.errors import MachineFault
from mettagrid.runner.episode.faults import disk_is_full

__all__ = ["package_index", "prepared_bundle"]

SETUP_SECONDS = 180
SETUP_MEMORY = 4 << 30
SETUP_DISK = 8 << 30
NO_GRANT = (
    "it asked for packages, and this policy has no grant for the package index; "
    "put what it needs into the bundle, or ask an administrator for `observatory admin network grant`"
)


def prepared_bundle(
    bundle: Path, script: str, *, may_use_index: bool = True, seconds: float = SETUP_SECONDS
) -> tuple[Path, tuple[Path, ...]]:
    """Return (the bundle after its setup script, folders with installed packages).

    Without `may_use_index` the script has no network access. It is killed after `seconds`.

    Raises `ValueError` if the script is not a Python file of the bundle, `FileNotFoundError` if it is missing,
    `RuntimeError` with its output if it fails, `MachineFault` if this machine could not run it.
    """
    path = (bundle / script).resolve()
    if path.suffix != ".py":
        raise ValueError(f"Setup script must be a .py file: {script}")
    if not path.is_relative_to(bundle.resolve()):
        raise ValueError(f"Setup script must lie in the bundle: {script}")
    if not path.is_file():
        raise FileNotFoundError(f"Setup script not found: {script}")
    # The result of a script with index access must not reach a policy without it.
    version = f"{sys.implementation.cache_tag}\0{script}\0{bundle.name}" + ("" if may_use_index else "\0no index")
    name = hashlib.sha256(version.encode()).hexdigest()
    cache = usable_cache_dir()
    target = cache / f"{name}.s"
    with exclusive_file_lock(cache / f"{name}.s.lock"):
        if not target.exists():
            temporary = Path(tempfile.mkdtemp(dir=cache, prefix=".setup."))
            try:
                with _proxy(may_use_index=may_use_index) as proxy:
                    _run(bundle, script, temporary, proxy, seconds)
                temporary.rename(target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    return target / "bundle", (target / "site",)


def _proxy(*, may_use_index: bool) -> IndexProxy:
    """Return the proxy to the package index; raises `MachineFault` if this machine's settings are invalid."""
    try:
        return IndexProxy(package_index() if may_use_index else None)
    except (ValueError, OSError) as error:
        # The error may quote a setting, which may contain credentials.
        name = type(error).__name__
        raise MachineFault(f"The package index of this machine cannot be used: {name}; see `pip config list`") from None


def _run(bundle: Path, script: str, target: Path, proxy: IndexProxy, seconds: float) -> None:
    """Run the script in a box on a copy of the bundle; the result goes to `target`."""
    import cogbox
    from mettagrid.runner.boxed.index.proxy import INDEX_PORT
    from mettagrid.runner.boxed.material import copy_plain, plain_files

    files = {f"bundle/{relative}": path.read_bytes() for relative, path in plain_files(bundle)}
    limits = cogbox.Limits(
        memory=SETUP_MEMORY,
        wall_seconds=seconds,
        processes=256,
        file_bytes=SETUP_DISK,
        disk_bytes=SETUP_DISK,
        disk_files=200_000,
        scratch_bytes=1 << 30,
    )
    sandbox = cogbox.sandbox(minimum="namespaces", at_most="bubblewrap")
    # pip works in TMPDIR; the private folder has more space than the box's /tmp.
    box = sandbox.start(
        [sys.executable, "-c", _STARTER, script],
        files={**files, "site/.keep": b"", "temporary/.keep": b""},
        env=proxy.variables() | _PIP_VARIABLES,
        mounts=[cogbox.Mount(folder) for folder in proxy.folders],
        links=[cogbox.Link(INDEX_PORT, proxy.address, max_connections=16)],
        limits=limits,
    )
    with box:
        result = box.wait()
        internal = (cogbox.Verdict.START_FAILURE, cogbox.Verdict.INTERNAL_ERROR)
        if result.verdict in internal or (not result.ok and disk_is_full(box.work)):
            raise MachineFault(f"A setup script could not be run: its box {result.detail}")
        if not result.ok and proxy.outage is not None:
            raise MachineFault(f"A setup script could not install packages: {proxy.outage}")
        if not result.ok:
            reason = f" ({NO_GRANT})" if proxy.was_refused else ""
            output = (
                f"stdout: {result.stdout.decode(errors='replace')}\nstderr: {result.stderr.decode(errors='replace')}"
            )
            raise RuntimeError(f"Setup script {result.detail}{reason}:\n{output[-8000:]}")
        for name in ("bundle", "site"):
            (target / name).mkdir()
            copy_plain(list(_checked(box.work / name)), target / name)
    target.chmod(0o755)


_PIP_VARIABLES = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_NO_CACHE_DIR": "1"}

# Runs inside the box: pip always installs into a folder of the box.
_STARTER = """
import os, runpy, sys
work = os.getcwd()
os.environ["PIP_TARGET"] = work + "/site"
os.environ["TMPDIR"] = work + "/temporary"
os.environ["PYTHONPATH"] = work + "/site"
os.chdir("bundle")
sys.path.append(work + "/site")
sys.path[0] = os.getcwd()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def _checked(folder: Path) -> Iterator[tuple[str, Path]]:
    from mettagrid.runner.boxed.material import plain_files

    for relative, path in plain_files(folder):
        if relative != ".keep" and len(os.fsencode(relative)) < 2048:
            yield relative, path
