"""Serve the workbench of `coworld optimize` from a program: where an optimizer's repository is, and a whole session."""

from __future__ import annotations

import json
import shutil
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coworld.cli.browser import open_page
from coworld.manifest.package import MANIFEST_NAME
from coworld.optimize.checkouts import checkout, checkout_root
from coworld.optimize.errors import OptimizeError
from coworld.optimize.optimizer_source import OptimizerSource
from coworld.optimize.run_settings import RunSettings
from coworld.optimize.server import WorkbenchServer
from coworld.optimize.states import set_aside
from coworld.optimize.workbench import Workbench
from softmax.cli.output import note

__all__ = [
    "OptimizerContext",
    "OptimizerRepoSpec",
    "OptimizerSetupError",
    "check_prerequisites",
    "ensure_optimizer_project",
    "optimizer_cache_root",
    "parse_github_repo",
    "resolve_optimizer_context",
    "resolve_optimizer_repository",
    "run_optimizer_session",
    "serve_workbench",
]

IMAGES_NAME = "coworld_images.json"


class OptimizerSetupError(OptimizeError, RuntimeError):
    """The workbench cannot start; the message says why."""


@dataclass(frozen=True)
class OptimizerRepoSpec:
    """A repository with an optimizer: where it is cloned from, the branch or tag, and a name for its folder."""

    clone_url: str
    ref: str
    slug: str


@dataclass(frozen=True)
class OptimizerContext:
    """A downloaded Coworld: its manifest, its folder, the list of its images and its id, if they are known."""

    manifest_path: Path
    download_dir: Path
    images_path: Path | None
    coworld_id: str | None


def parse_github_repo(url: str, *, default_ref: str = "main") -> tuple[str, str, str]:
    """Split the address of a GitHub repository, or of a folder in it, into the address to clone, the ref and a slug."""
    parts = urlsplit(url)
    names = [name for name in parts.path.split("/") if name]
    if parts.scheme != "https" or parts.hostname != "github.com" or len(names) < 2:
        raise OptimizerSetupError(f"{url!r} is not a GitHub repository; write https://github.com/OWNER/REPO")
    owner, repository = names[0], names[1].removesuffix(".git")
    ref = names[3] if len(names) > 3 and names[2] == "tree" else default_ref
    return f"https://github.com/{owner}/{repository}.git", ref, f"{owner}-{repository}".lower()


def resolve_optimizer_repository(
    manifest_path: Path | None, *, override_repo: str | None = None, override_ref: str | None = None
) -> OptimizerRepoSpec:
    """Return the repository that is given, or the one that the first optimizer of the manifest names.

    Raises:
        OptimizerSetupError: neither names one. No other repository is a default.
    """
    url = override_repo or _named_repository(manifest_path)
    if url is None:
        raise OptimizerSetupError("Neither the caller nor the manifest names the repository of an optimizer")
    clone_url, ref, slug = parse_github_repo(url)
    return OptimizerRepoSpec(clone_url, override_ref or ref, slug)


def _named_repository(manifest_path: Path | None) -> str | None:
    if manifest_path is None or not manifest_path.is_file():
        return None
    entries = _document(manifest_path).get("optimizer") or []
    urls = [entry.get("repository_url") for entry in entries if isinstance(entry, dict)]
    return next((url for url in urls if isinstance(url, str)), None)


def resolve_optimizer_context(manifest_path: Path | None) -> OptimizerContext | None:
    """Return what is beside a manifest; without one, beside that of the current folder, or None.

    Raises:
        OptimizerSetupError: there is no manifest at this path.
    """
    path = manifest_path or Path(MANIFEST_NAME)
    if not path.is_file():
        if manifest_path is None:
            return None
        raise OptimizerSetupError(f"{manifest_path} is not a manifest file")
    path = path.resolve()
    images = path.with_name(IMAGES_NAME)
    has_images = images.is_file()
    coworld_id = _document(images).get("coworld_id") if has_images else None
    return OptimizerContext(
        path, path.parent, images if has_images else None, coworld_id if isinstance(coworld_id, str) else None
    )


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise OptimizerSetupError(f"{path} cannot be read: {error}") from None
    return document if isinstance(document, dict) else {}


def optimizer_cache_root() -> Path:
    """Return the folder in which repositories of optimizers are cloned."""
    return checkout_root()


def check_prerequisites() -> list[str]:
    """Return what is missing on this machine, as sentences. The workbench itself needs only this package."""
    return [] if shutil.which("git") else ["git is not installed; repositories of optimizers cannot be cloned"]


def ensure_optimizer_project(repo_spec: OptimizerRepoSpec, install_root: Path, *, refresh: bool) -> Path:
    """Return the folder of a clone, which is made if it is missing or `refresh` is set.

    Raises:
        OptimizeError: git is missing or fails.
    """
    return checkout(repo_spec.clone_url, repo_spec.ref, root=install_root, refresh=refresh)


def run_optimizer_session(
    manifest_path: Path | None,
    *,
    port: int,
    open_browser: bool,
    refresh: bool,
    optimizer_repo: str | None,
    optimizer_ref: str | None,
    install_root: Path | None = None,
) -> None:
    """Serve the workbench until Ctrl-C, as `coworld optimize` does.

    Raises:
        OptimizeError: the repository cannot be cloned. `CoworldError`: the manifest cannot be read.
    """
    source = OptimizerSource(optimizer_repo, optimizer_ref, install_root if optimizer_repo else None)
    settings = RunSettings(player_folder=Path("."), optimizer_folder=source.resolve(refresh=refresh))
    manifest = None if manifest_path is None else str(manifest_path)
    serve_workbench(manifest, settings, None, port=port, open_browser=open_browser, refresh=refresh)


def serve_workbench(
    manifest: str | None, settings: RunSettings, root: Path | None, *, port: int, open_browser: bool, refresh: bool
) -> None:
    """Serve the workbench until Ctrl-C."""
    workbench = Workbench(settings, root=root, keep_root=root is not None, suggest_player=True)
    given = manifest or (MANIFEST_NAME if Path(MANIFEST_NAME).is_file() else None)
    if given is not None:
        workbench.open(given)
    with closing(workbench), WorkbenchServer(workbench, port=port) as server, suppress(KeyboardInterrupt):
        if refresh and workbench.root is not None and (old := set_aside(workbench.root)):
            note(f"Earlier runs: {old}")
        print(f"Workbench: {server.address}", flush=True)
        if open_browser and not open_page(server.address):
            note("Open this address in a browser")
        note("Press Ctrl-C to end")
        server.wait()
