"""The workbench behind the page: the manifest, the choices, and the runs in its state folder."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coworld.bundle import opened_bundle
from coworld.manifest.package import CoworldPackage
from coworld.optimize.child import Child, start_replay, start_run
from coworld.optimize.choices import CHOICES, chosen
from coworld.optimize.errors import OptimizeError
from coworld.optimize.progress import progress
from coworld.optimize.run_settings import RunSettings, prepare
from coworld.optimize.states import run_id, workbench_folder
from coworld.optimize.versions import JOURNAL, Versions, digest
from coworld.optimize.world_view import opened_manifest, world_of
from coworld.runner.artifacts import write_document, write_file
from coworld.schema.validation import load_json_object

SETTINGS = "settings.json"


@dataclass
class Workbench:
    """The state and the actions of the page. Methods may be called from several threads."""

    defaults: RunSettings
    manifest: str | None = None
    """as it was typed; None until the author names one"""
    world: dict[str, Any] | None = None
    root: Path | None = None
    """the folder of the runs"""
    watching: bool = False
    """`root` is the one run, and the command line executes it: the page only shows it"""
    suggest_player: bool = False
    """the author named no player: the folder of a local manifest is the default"""
    keep_root: bool = False
    """`root` was named by the author and stays when another manifest is opened"""
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _replay_lock: threading.Lock = field(default_factory=threading.Lock)
    _run: Child | None = None
    _run_name: str | None = None
    _replay: Child | None = None

    def open(self, manifest: str) -> None:
        """Choose the manifest: a path, a folder, an address or the name of an installed Coworld.

        Raises:
            CoworldError: it cannot be read, or a run is in progress.
        """
        with self._lock:
            self._refuse_busy()
            with opened_manifest(manifest) as package:
                world, folder = world_of(package), package.root
            if self.suggest_player and Path(manifest).exists():
                self.defaults = replace(self.defaults, player_folder=folder.resolve())
            root = self.root if self.keep_root else workbench_folder(manifest, world["name"])
            self.manifest, self.world, self.root = manifest, world, root

    def view(self, name: str | None = None) -> dict[str, Any]:
        """Return the whole page as one document; `name` selects a run, by default the newest."""
        with self._lock:
            runs = self._runs()
            if name not in runs:
                name = runs[0] if runs else None
            defaults = self.defaults.document()
            return {
                "watching": self.watching,
                "busy": self._busy,
                "manifest": self.manifest,
                "world": self.world,
                "defaults": {key: defaults[key] for key in CHOICES},
                "proposer": " ".join(self.defaults.improve) or defaults["optimizer_folder"],
                "runs": runs,
                "name": name,
                "settings": self._settings(name) if name is not None else None,
                "run": self._progress(name) if name is not None else None,
            }

    def start(self, choices: Mapping[str, Any]) -> str:
        """Check the choices and start a run, or continue the run with the same choices; returns its name.

        Raises:
            CoworldError: an input is wrong, or a run is in progress.
        """
        with self._lock:
            self._refuse_busy()
            if self.manifest is None:
                raise OptimizeError("No manifest is open", hint="open one first")
            settings = chosen(self.defaults, choices)
            with opened_manifest(self.manifest) as package:
                prepare(package, settings)
                name = run_id(_key(package, settings))
            folder = self._folder(name)
            folder.mkdir(parents=True, exist_ok=True)
            write_document(folder / SETTINGS, settings.document())
            if self._run is not None:
                self._run.close()
            self._run, self._run_name = start_run(self.manifest, settings, folder), name
            return name

    def stop(self) -> None:
        """Stop the run; a later start with the same choices continues it."""
        run = self._run
        if run is None or not run.running:
            raise OptimizeError("No run is in progress", hint="start one")
        run.stop()

    def write_best(self, name: str) -> str:
        """Copy the best version of a run into the player's folder; returns that folder.

        Raises:
            OptimizeError: there is no such run, or it has kept nothing.
        """
        with self._lock:
            self._refuse_busy()
            folder = self._folder(self._known(name))
            settings, state = self._settings(name), progress(folder)
            if settings is None or state.get("best") in (None, state.get("first")):
                raise OptimizeError("The run has kept no change", hint="there is nothing to copy")
            target = Path(settings["player_folder"])
            Versions(folder / "versions").write(state["best"], target)
            return str(target)

    def watch(self, name: str, iteration: int, file: str) -> str:
        """Show the replay of an analyzed episode; returns the link.

        Raises:
            CoworldError: there is no such episode, or it has no replay.
        """
        bundle = self.file(name, iteration, file)
        with opened_bundle(bundle) as opened:
            replay = opened.replay()
        if replay is None:
            raise OptimizeError(f"{file} has no replay", hint="the game saved none")
        path = bundle.with_suffix(".replay")
        write_file(path, replay)
        with self._replay_lock:
            if self._replay is not None:
                self._replay.close()
                self._replay = None
            self._replay, link = start_replay(str(self.manifest), path, unsafe=self.defaults.unsafe)
            return link

    def file(self, name: str, iteration: int, file: str) -> Path:
        """Return the path of a file that the journal of a run names.

        Raises:
            OptimizeError: there is none.
        """
        folder = self._folder(self._known(name))
        for row in progress(folder)["iterations"]:
            names = {row["plan"], *(finding["file"] for finding in row["findings"])} - {None}
            if row["iteration"] == iteration and file in names:
                return folder / "findings" / str(iteration) / file
        raise OptimizeError(f"There is no file {file!r} in iteration {iteration}")

    def close(self) -> None:
        """Stop every child process."""
        for child in (self._run, self._replay):
            if child is not None:
                child.close()
        self._run = self._replay = None

    @property
    def _busy(self) -> bool:
        return self.watching or (self._run is not None and self._run.running)

    def _refuse_busy(self) -> None:
        if self._busy:
            raise OptimizeError("A run is in progress", hint="stop it first")

    def _folder(self, name: str) -> Path:
        assert self.root is not None
        return self.root if self.watching else self.root / name

    def _runs(self) -> list[str]:
        """Return the names of the runs, newest first."""
        if self.root is None:
            return []
        if self.watching:
            return ["run"]
        journals = sorted(self.root.glob(f"*/{JOURNAL}"), key=lambda path: path.stat().st_mtime, reverse=True)
        names = [path.parent.name for path in journals]
        started = self._run_name
        is_new = started is not None and started not in names and self._folder(started).is_dir()
        return [started, *names] if is_new and started is not None else names

    def _known(self, name: str) -> str:
        if name not in self._runs():
            raise OptimizeError(f"There is no run {name!r}")
        return name

    def _settings(self, name: str) -> dict[str, Any] | None:
        if self.watching:
            return self.defaults.document()
        path = self._folder(name) / SETTINGS
        return load_json_object(path) if path.is_file() else None

    def _progress(self, name: str) -> dict[str, Any]:
        """Return the progress in the journal, corrected by the state of the process."""
        state, child = progress(self._folder(name)), self._run if name == self._run_name else None
        if child is None:
            return state
        if child.running and state["status"] != "running":
            return {**state, "status": "running"}
        if not child.running and child.error is not None:
            return {**state, "status": "failed", "reason": state["reason"] or child.error}
        return state


def _key(package: CoworldPackage, settings: RunSettings) -> dict[str, Any]:
    """Return the identity of a run: the settings that change a result, and the contents of player and manifest."""
    document = settings.document()
    for name in ("iterations", "workers", "timeout_seconds", "unsafe"):
        del document[name]
    manifest = hashlib.sha256(package.path.read_bytes()).hexdigest()
    return document | {"version": digest(settings.player_folder), "manifest": manifest}
