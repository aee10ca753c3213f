"""Run a reporter, grader or diagnoser of a Coworld on a finished episode, on a worker of a league.

A job has `role`, `role_id`, for a diagnoser `target` (a seat), and for an uploaded reporter its `attributes`. The lease
brings the episode's files in the folder `finished`, and an uploaded reporter as `component.wasm`. Player logs and
artifacts are not among them: they belong to the owners of the policies.

`results.json` lists the outputs, which are files of the folder; `error_info.json` says why there are none.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coworld.bundle.archives import opened_archive
from coworld.bundle.writer import write_bundle
from coworld.engines.base import EngineError
from coworld.errors import CoworldError
from coworld.league.playing import league_engine, use_what_came_with_the_job
from coworld.league.programs import game_programs
from coworld.manifest.package import MANIFEST_NAME, load_package
from coworld.roles.report_checks import read_report
from coworld.roles.role_runner import RoleOutput, check_diagnosis, check_grade, run_role
from coworld.runner.artifacts import write_document

__all__ = ["run_role_job"]

MAX_SECONDS = 900.0
_MAX_LOG_CHARACTERS = 20_000


@dataclass(frozen=True)
class _Part:
    name: str
    type: str
    file: str
    data: bytes


def run_role_job(folder: Path, spec: Mapping[str, Any], *, minimum: str, time_limit_seconds: float) -> None:
    """Run a role and write its outputs to the folder; see the module."""
    package = folder / "package"
    package.mkdir()
    use_what_came_with_the_job(folder)
    (package / MANIFEST_NAME).write_text(json.dumps(_prepared(spec, folder)))
    bundle = folder / "bundle.zip"
    events = folder / "finished" / "events.json"
    try:
        write_bundle(_workspace(folder), bundle, ereq_id=spec.get("episode_request_id"))
        output = run_role(
            load_package(package / MANIFEST_NAME, strict=False),
            spec["role"],
            bundle,
            engine=league_engine(game_programs(folder), minimum),
            role_id=spec["role_id"],
            target=spec.get("target") or None,
            timeout_seconds=min(MAX_SECONDS, time_limit_seconds / 2),
            events=events if events.is_file() else None,
        )
        parts = _parts(output)
    except EngineError as problem:
        _fail(folder, "platform_error", problem)
        return
    except CoworldError as problem:
        _fail(folder, "role_failed", problem)
        return
    for part in parts:
        (folder / part.file).write_bytes(part.data)
    outputs = [
        {"name": part.name, "type": part.type, "file": part.file, "size_bytes": len(part.data)} for part in parts
    ]
    write_document(folder / "results.json", {"outputs": outputs, "log": output.log[-_MAX_LOG_CHARACTERS:]})


def _prepared(spec: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the manifest; an uploaded reporter becomes a component of the package."""
    manifest = copy.deepcopy(dict(spec["manifest"]))
    component = folder / "component.wasm"
    if component.is_file():
        component.rename(folder / "package" / "component.wasm")
        entry = {"wasm": "component.wasm", "id": spec["role_id"], "attributes": spec["attributes"]}
        manifest["reporter"] = [entry]
    return manifest


def _workspace(folder: Path) -> Path:
    """Return the episode's files as a folder of `coworld run-episode` has them."""
    finished = folder / "finished"
    log = finished / "game.log"
    if log.is_file():
        (finished / "logs").mkdir()
        log.rename(finished / "logs" / "game.stdout.log")
    return finished


def _parts(output: RoleOutput) -> list[_Part]:
    """Check what a role wrote and return the parts that people read or programs take; raise CoworldError."""
    if output.role == "grader":
        check_grade(output.data)
        return [_Part("grade", "json", "grade.json", output.data)]
    if output.role == "diagnoser":
        document, _ = check_diagnosis(output.data)
        render = (document or {}).get("render")
        page = render if isinstance(render, str) and render.endswith(".md") else None
        return _with_page(_Part("diagnosis", "file", "diagnosis.zip", output.data), page, "diagnosis.md")
    report = read_report(output.data)
    whole = _Part("report", "file", "report.zip", output.data)
    parts = _with_page(whole, report.manifest.render, "report.md")
    if report.manifest.event_log is not None:
        with opened_archive(output.data, name="the report") as archive:
            data = archive.read(report.manifest.event_log)
        parts.append(_Part("event_log", "event-log", "event_log.parquet", data))
    return parts


def _with_page(whole: _Part, page: str | None, markdown: str) -> list[_Part]:
    """Return an archive and, if it has one, its page. `read_report` has checked that a page in HTML is safe."""
    if page is None:
        return [whole]
    with opened_archive(whole.data, name=f"the {whole.name}") as archive:
        data = archive.read(page)
    is_html = page.lower().endswith((".html", ".htm"))
    file, kind = ("report.html", "render-html") if is_html else (markdown, "render-markdown")
    return [whole, _Part("page", kind, file, data)]


def _fail(folder: Path, error_type: str, problem: Exception) -> None:
    message = str(problem).replace(f"{folder}/", "")
    write_document(folder / "error_info.json", {"error_type": error_type, "message": message})
