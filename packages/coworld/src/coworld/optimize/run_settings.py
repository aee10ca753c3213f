"""The settings of a run, the checks before it plays, and the run itself: one path for command line and workbench."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coworld.engines.local_images import LocalImages
from coworld.engines.process import ProcessEngine
from coworld.manifest.package import CoworldPackage
from coworld.optimize.arena import EpisodeArena
from coworld.optimize.boxed_optimizer import boxed_optimizer
from coworld.optimize.errors import OptimizeError
from coworld.optimize.improver import Improver, program
from coworld.optimize.loop import Outcome, optimize
from coworld.optimize.manifest_roles import ManifestRoles
from coworld.optimize.optimizer_source import DEFAULT_OPTIMIZER, optimizer_of
from coworld.optimize.statistics import MIN_PAIRS
from coworld.optimize.versions import files

ADVICE_ONLY = "The default optimizer gives advice and changes nothing: name a command with `--improve` to try changes"


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """All settings of a run, besides the manifest."""

    player_folder: Path
    player: str | None = None
    variants: Sequence[str] = ()
    opponents: Sequence[str] = ()
    improve: Sequence[str] = ()
    """a command; empty: `optimizer_folder`, else the manifest's optimizer"""
    optimizer_folder: Path | None = None
    build: Sequence[str] = ()
    iterations: int = 3
    pairs: int = 12
    workers: int = 1
    seed: int = 0
    timeout_seconds: float = 300.0
    unsafe: bool = False

    def document(self) -> dict[str, Any]:
        """Return the settings as JSON, for the process that runs it."""
        paths = {"player_folder": self.player_folder, "optimizer_folder": self.optimizer_folder}
        return {**vars(self), **{name: str(path) if path else None for name, path in paths.items()}}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> RunSettings:
        folder = document["optimizer_folder"]
        return cls(
            **{
                **document,
                "player_folder": Path(document["player_folder"]),
                "optimizer_folder": Path(folder) if folder else None,
            }
        )


@dataclass(frozen=True)
class PreparedRun:
    """A run whose inputs were checked."""

    settings: RunSettings
    package: CoworldPackage
    arena: EpisodeArena
    analyst: ManifestRoles
    improver: Improver
    warnings: Sequence[str]
    """one sentence for each input that the run cannot use"""

    def execute(self, state: Path, *, tell: Callable[[str], None], warn: Callable[[str], None]) -> Outcome:
        """Run it in a state folder; raises what `optimize` raises."""
        settings = self.settings
        for warning in self.warnings:
            warn(warning)
        return optimize(
            settings.player_folder,
            self.arena,
            self.improver,
            state=state,
            iterations=settings.iterations,
            pairs=settings.pairs,
            workers=settings.workers,
            seed=settings.seed,
            build=settings.build,
            manifest=self.package.path,
            analyst=self.analyst,
            identity=self.arena.identity(),
            tell=tell,
            warn=warn,
        )


def prepare(package: CoworldPackage, settings: RunSettings) -> PreparedRun:
    """Check every input of a run; nothing is played.

    Raises:
        CoworldError: a folder, an id, a command or a number is wrong, or this machine cannot run a program.
    """
    if settings.pairs < MIN_PAIRS:
        raise OptimizeError(
            f"{settings.pairs} pairs are too few for an interval", hint=f"use at least {MIN_PAIRS} pairs"
        )
    folder = settings.player_folder
    if not folder.is_dir():
        raise OptimizeError(f"There is no folder {folder}", hint="make a player with `coworld init player DIR`")
    if not files(folder):
        raise OptimizeError(f"{folder} is empty", hint="make a player with `coworld init player DIR`")
    arena = EpisodeArena(
        package,
        player=settings.player,
        variants=settings.variants,
        opponents=settings.opponents,
        budget_seconds=settings.timeout_seconds,
        unsafe=settings.unsafe,
    )
    arena.check(folder)
    warnings = []
    if settings.improve:
        check_command(settings.improve[0], folder, option="--improve")
        improver = program(settings.improve)
    else:
        entry, engine = optimizer_of(package, settings.optimizer_folder, unsafe=settings.unsafe)
        improver = boxed_optimizer(entry, engine)
        if entry.image == DEFAULT_OPTIMIZER:
            warnings.append(ADVICE_ONLY)
    if settings.build and "/" not in settings.build[0]:
        check_command(settings.build[0], folder, option="--build")
    engine = ProcessEngine(LocalImages.beside(package.path), unsafe=settings.unsafe)
    analyst = ManifestRoles(package, engine, timeout_seconds=settings.timeout_seconds)
    return PreparedRun(settings, package, arena, analyst, improver, [*warnings, *analyst.problems])


def check_command(word: str, folder: Path, *, option: str) -> None:
    """Refuse a command that cannot be started. It runs in a copy of the player's folder, where relative paths start.

    Raises:
        OptimizeError: there is no such program.
    """
    path = str(folder / word) if "/" in word and not os.path.isabs(word) else word
    if shutil.which(path) is None:
        where = f" in {folder}" if path != word else ""
        raise OptimizeError(
            f"There is no program {word!r}{where} for `{option}`",
            hint="name a program on PATH, an absolute path, or an executable file of the player's folder",
        )
