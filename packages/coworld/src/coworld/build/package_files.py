"""Put the files that a manifest names beside it: pages of the replay viewer, player files, reporter components."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from coworld.build.errors import BuildError
from coworld.models.manifest import CoworldManifest
from coworld.models.reporters import CoworldReporterWasmReference
from coworld.models.runnables import is_package_path, is_sha256_reference
from coworld.runner.player_files import resolve_player_file

__all__ = ["VIEWER_SCRIPT", "build_viewer", "copy_files"]

VIEWER_SCRIPT = Path("tools") / "build_replay_viewer.sh"
"""in the project: builds the pages of the viewer into the folder that is its argument"""


def build_viewer(manifest: CoworldManifest, project: Path, target: Path) -> Path | None:
    """Build the replay viewer of a manifest below `target`, and return its folder; None if the manifest has none.

    Runs `tools/build_replay_viewer.sh FOLDER`. Without that script the folder of the project is copied.

    Raises:
        BuildError: the script fails, or its folder has no `index.html` or contains links.
    """
    viewer = manifest.game.replay_viewer
    if viewer is None or is_sha256_reference(viewer.bundle):
        return None
    folder = (target / viewer.bundle).resolve()
    script = project / VIEWER_SCRIPT
    if not script.is_file():
        _replace(project / viewer.bundle, folder)
    elif not os.access(script, os.X_OK):
        raise BuildError(f"{script} is not executable", hint=f"chmod +x {script}")
    else:
        ran = subprocess.run([str(script.resolve()), str(folder)], cwd=project, stdout=sys.stderr.fileno(), check=False)
        if ran.returncode:
            raise BuildError(f"{script} failed (exit code {ran.returncode})", hint="its output is above")
    if not (folder / "index.html").is_file():
        raise BuildError(f"{folder} has no index.html", hint=f"let {VIEWER_SCRIPT} write the pages into that folder")
    if link := next((path for path in folder.rglob("*") if path.is_symlink()), None):
        raise BuildError(f"{link} is a link", hint="a viewer contains plain files only")
    return folder


def copy_files(manifest: CoworldManifest, project: Path, target: Path) -> list[Path]:
    """Copy player files and reporter components of a manifest from the project; existing copies are replaced.

    Raises:
        CoworldError: one is missing, is a link or is outside the project.
    """
    names = [player.file for player in manifest.player if player.file and not is_sha256_reference(player.file)]
    names += [entry.wasm for entry in manifest.reporter if isinstance(entry, CoworldReporterWasmReference)]
    copied = []
    for name in dict.fromkeys(names):
        if not is_package_path(name):
            raise BuildError(f"{name} is not a path inside the project", hint="write a relative path without `..`")
        source = resolve_player_file(Path(name), package_root=project)
        if source.is_dir() and (link := next((path for path in source.rglob("*") if path.is_symlink()), None)):
            raise BuildError(f"{link} is a link", hint="a player's folder contains plain files only")
        _replace(source, target / name)
        copied.append(target / name)
    return copied


def _replace(source: Path, target: Path) -> None:
    """Copy a file or folder; whatever is at the target is removed before."""
    if not source.exists():
        raise BuildError(f"{source} does not exist", hint=f"add it, or build it with {VIEWER_SCRIPT}")
    if source.resolve() == target.resolve():
        return
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copyfile(source, target)
