"""Propose changes: with a function, or with any program.

An improver gets a copy of the player's folder and edits it in place. Its task lists reports, grades and diagnoses of
some episodes of the version it starts from.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class ImproverFailed(Exception):
    """The improver has no proposal; the message says why. The loop continues with the next iteration."""


@dataclass(frozen=True)
class Task:
    """The inputs of one proposal."""

    workspace: Path
    """the player's folder to edit"""
    iteration: int
    """from 0 on"""
    seed: int
    """for improvers that use random numbers; the same when a killed run continues"""
    manifest: Path | None = None
    reports: Sequence[Path] = ()
    grades: Sequence[Path] = ()
    diagnoses: Sequence[Path] = ()
    history: Sequence[Mapping[str, object]] = field(default_factory=tuple)
    """the decisions so far, oldest first"""
    folder: Path | None = None
    """the iteration's folder, for outputs beside the workspace"""

    def variables(self) -> dict[str, str]:
        """Return the task as environment variables: those of the optimizer role, and paths of the other inputs."""

        def listed(paths: Sequence[Path]) -> str:
            return ",".join(path.resolve().as_uri() for path in paths)

        return {
            "COGAME_POLICY_WORKSPACE_URI": self.workspace.resolve().as_uri(),
            "COGAME_REPORT_URIS": listed(self.reports),
            "COGAME_GRADER_OUTPUT_URIS": listed(self.grades),
            "COGAME_DIAGNOSER_OUTPUT_URIS": listed(self.diagnoses),
            "COWORLD_MANIFEST_URI": self.manifest.resolve().as_uri() if self.manifest is not None else "",
            "COWORLD_OPTIMIZE_ITERATION": str(self.iteration),
            "COWORLD_OPTIMIZE_SEED": str(self.seed),
        }


Improver = Callable[[Task], str | None]
"""edits `task.workspace` and may return a note about the change; raises ImproverFailed"""


def program(argv: Sequence[str], *, timeout_seconds: float = 3600.0) -> Improver:
    """Return an improver that runs a program in the workspace, with `Task.variables` added to the caller's
    environment; the last line it prints is the note. The program is trusted: it runs without a sandbox."""

    def improve(task: Task) -> str | None:
        try:
            result = subprocess.run(
                argv,
                cwd=task.workspace,
                env=os.environ | task.variables(),
                capture_output=True,
                text=True,
                timeout=timeout_seconds,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ImproverFailed(f"{argv[0]}: {error}") from None
        if result.returncode != 0:
            last = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise ImproverFailed(f"{argv[0]} ended with status {result.returncode}: {last}")
        lines = result.stdout.strip().splitlines()
        return lines[-1] if lines else None

    return improve
