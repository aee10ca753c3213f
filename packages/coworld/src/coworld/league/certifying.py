"""Certify an uploaded Coworld on a worker of a league, and leave the report in a folder.

`results.json` has `certified`, `contract_version`, `label`, `steps` (`id`, `status`, `failure_reason`, `feedback`) and
`transcript`, which is Markdown. `error_info.json` says that this machine cannot certify the Coworld.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coworld.certification.certify import certify
from coworld.certification.report import CertificationReport
from coworld.engines.base import EngineError
from coworld.errors import CoworldError
from coworld.league.playing import LOCAL_ONLY, league_engine, use_what_came_with_the_job
from coworld.league.programs import game_programs
from coworld.manifest.package import MANIFEST_NAME
from coworld.manifest.profiles import PROFILES
from coworld.runner.artifacts import write_document
from coworld.runner.failures import EpisodeFailure

__all__ = ["certify_job"]

MAX_EPISODE_SECONDS = 600.0
_PIECES = 6
"""an episode, a reconnect, a replay and roles share the time of a job"""
_MAX_FEEDBACK = 4000


def certify_job(folder: Path, spec: Mapping[str, Any], *, minimum: str, time_limit_seconds: float) -> None:
    """Run the transcript on the manifest of a job; see the module."""
    package = folder / "package"
    package.mkdir()
    use_what_came_with_the_job(folder)
    manifest = _prepared(spec["manifest"], folder)
    (package / MANIFEST_NAME).write_text(json.dumps(manifest))
    try:
        programs = game_programs(folder)
    except CoworldError as problem:
        write_document(folder / "results.json", _unreachable(str(problem)))
        return
    try:
        engine = league_engine(programs, minimum)
        report = certify(
            package / MANIFEST_NAME,
            engine=engine,
            accepted=PROFILES,  # clients of every generation publish here
            workspace=folder / "episode",
            timeout_seconds=min(MAX_EPISODE_SECONDS, time_limit_seconds / _PIECES),
            uri=str(spec.get("coworld_id", "")),
        )
    except (EngineError, CoworldError) as problem:
        write_document(folder / "error_info.json", EpisodeFailure("platform_error", str(problem)).document())
        return
    if report.failure_reason == "image_unreachable":
        # The server has the image: this machine cannot get or run it.
        feedback = report.failed_step.feedback if report.failed_step else ""
        write_document(folder / "error_info.json", EpisodeFailure("platform_error", feedback or "").document())
        return
    write_document(folder / "results.json", _document(report, folder))


def _unreachable(feedback: str) -> dict[str, Any]:
    """Return the report about a Coworld with a program that cannot be started, which its author has to change."""
    step = {"id": "images-reachable", "status": "fail", "failure_reason": "image_unreachable", "feedback": feedback}
    return {"certified": False, "steps": [step], "transcript": f"# Certification\n\n{feedback}\n"}


def _document(report: CertificationReport, folder: Path) -> dict[str, Any]:
    def public(text: str | None) -> str | None:
        """Leave out the paths of this machine."""
        return None if text is None else text.replace(f"{folder}/", "")[:_MAX_FEEDBACK]

    steps = [
        {
            "id": step.id,
            "status": step.status,
            "failure_reason": step.failure_reason,
            "feedback": public(step.feedback),
            "detail": public(step.detail),
            "seconds": step.seconds,
        }
        for step in report.steps
    ]
    return {
        "certified": report.certified,
        "contract_version": f"{report.transcript}/{report.schema_version}"[:32],
        "label": report.label,
        "steps": steps,
        "transcript": _transcript(report, steps),
    }


def _transcript(report: CertificationReport, steps: list[dict[str, Any]]) -> str:
    outcome = "certified" if report.certified else f"failed at `{report.failed_step.id}`" if report.failed_step else ""
    lines = [
        f"# Certification of {report.name} {report.version}",
        "",
        f"Outcome: {outcome}. Engine: {report.engine}, isolation: {report.isolation or 'none'}.",
        "",
        "| Step | Status | Seconds | Result |",
        "|---|---|---|---|",
    ]
    for step in steps:
        text = step["feedback"] if step["status"] == "fail" else step["detail"]
        cell = " ".join((text or "").split()).replace("|", "\\|")
        lines.append(f"| {step['id']} | {step['status']} | {step['seconds']:.1f} | {cell} |")
    for warning in report.warnings:
        lines += ["", f"Warning: {warning.path}: {warning.message} ({warning.fix})"]
    return "\n".join(lines) + "\n"


def _prepared(manifest: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the manifest with paths in place of the digests of files that came with the lease.

    As in an episode of a league, the game cannot ask for anything of this machine.
    """
    document = copy.deepcopy(dict(manifest))
    game = document["game"]["runnable"]
    game["env"] = {name: value for name, value in (game.get("env") or {}).items() if not name.startswith(LOCAL_ONLY)}
    files = folder / "player-files"
    if files.is_dir():
        files.rename(folder / "package" / "player-files")
    for player in document.get("player", []):
        digest = str(player.get("file") or "").removeprefix("sha256:")
        if digest and (folder / "package" / "player-files" / digest).is_file():
            player["file"] = f"player-files/{digest}"
    return document
