"""The setup script of a bundle: a Python file that prepares the bundle before its policy is first loaded.

The script of a trusted bundle runs in a process of this interpreter. For other bundles the caller passes a runner that
sandboxes it: `run_setup_script` decides when it runs, the runner how.
"""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mettagrid.policy.bundle_cache import exclusive_file_lock

__all__ = ["SetupResult", "SetupRunner", "run_setup_script", "run_setup_script_here"]

logger = logging.getLogger(__name__)

SETUP_TIMEOUT_S = 300.0


@dataclass(frozen=True)
class SetupResult:
    """The result of a setup script.

    `import_roots` are folders to put on the import path in addition to the bundle, for runners that store installed
    packages outside it.
    """

    exit_code: int
    output: str
    import_roots: tuple[Path, ...] = ()


SetupRunner = Callable[[Path, Path], SetupResult]
"""Runs a script: called with the root of the bundle and the path of the script in it. A runner, except the trusted one,
is called every time a bundle is loaded, and caches its own results."""


def run_setup_script(bundle_root: Path, script: str, *, runner: SetupRunner | None = None) -> tuple[Path, ...]:
    """Run the setup script of the bundle in `bundle_root`; return additional folders for the import path.

    `script` is relative to the root and must be inside it. Without a `runner` it runs once per content, in a process of
    this interpreter with the root as working directory. Raises `ValueError` if it is not a Python file of the bundle,
    `FileNotFoundError` if it is missing, `RuntimeError` with its output if it fails.
    """
    path = (bundle_root / script).resolve()
    if path.suffix != ".py":
        raise ValueError(f"Setup script must be a .py file: {script}")
    if not path.is_relative_to(bundle_root.resolve()):
        raise ValueError(f"Setup script must lie in the bundle: {script}")
    if not path.is_file():
        raise FileNotFoundError(f"Setup script not found: {path}")
    if runner is not None:
        return _checked(runner(bundle_root, path)).import_roots
    name = hashlib.sha256(script.encode() + b"\0" + path.read_bytes()).hexdigest()[:16]
    marker = bundle_root / f".setup-{name}.done"
    with exclusive_file_lock(bundle_root / f".setup-{name}.lock"):
        if not marker.exists():
            _checked(run_setup_script_here(bundle_root, path))
            marker.touch()
    return ()


def run_setup_script_here(bundle_root: Path, script: Path) -> SetupResult:
    """Run a script of a trusted bundle in a process of this interpreter."""
    logger.info("Running setup script: %s", script)
    try:
        done = subprocess.run(
            [sys.executable, str(script)],
            cwd=bundle_root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SETUP_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"Setup script took longer than {SETUP_TIMEOUT_S:.0f} seconds: {script}") from None
    return SetupResult(done.returncode, f"stdout: {done.stdout}\nstderr: {done.stderr}")


def _checked(result: SetupResult) -> SetupResult:
    if result.exit_code != 0:
        raise RuntimeError(f"Setup script failed with exit code {result.exit_code}:\n{result.output}")
    return result
