"""Run a role that analyzes a finished episode: a reporter, a grader or a diagnoser.

    output = run_role(package, "grader", bundle, engine=engine)
    check_grade(output.data)

A role is a program that reads an episode bundle, writes one file and ends. It runs in a box without any network.
Reporters may also be WebAssembly components, which `coworld.roles.wasm` runs.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from coworld.bundle.archives import opened_archive
from coworld.engines.base import Engine, Place, RunnableSpec
from coworld.engines.missing_packages import missing_package_advice
from coworld.errors import CoworldError
from coworld.manifest.package import CoworldPackage
from coworld.models.reporters import (
    CoworldReporterContainer,
    CoworldReporterPlatformReference,
    CoworldReporterWasmReference,
)
from coworld.models.runnables import CoworldRunnableResources
from coworld.roles.failures import RoleFailed
from coworld.roles.older_reporters import STATS_NAME, older_reporter_inputs, stats_report
from coworld.runner.launch import limits_of

__all__ = ["RoleFailed", "RoleName", "RoleOutput", "check_diagnosis", "check_grade", "run_role"]

RoleName = Literal["reporter", "grader", "diagnoser"]

_OUTPUTS: Mapping[RoleName, tuple[str, str]] = {
    "reporter": ("COGAME_REPORT_URI", "report.zip"),
    "grader": ("COGAME_GRADE_URI", "grade.json"),
    "diagnoser": ("COGAME_DIAGNOSIS_URI", "diagnosis.zip"),
}
MAX_BYTES = 256 << 20
LAST_LINES = 3
DEFAULT_SECONDS = 300.0
"""time for a program; a component has the time of its limits"""


@dataclass(frozen=True)
class RoleOutput:
    """The output of a role."""

    role: RoleName
    id: str
    data: bytes
    log: str
    """its log"""


@dataclass(frozen=True)
class _Entry:
    id: str
    image: str
    run: list[str]
    env: dict[str, str]
    resources: CoworldRunnableResources | None


def run_role(
    package: CoworldPackage,
    role: RoleName,
    bundle: Path,
    *,
    engine: Engine,
    role_id: str | None = None,
    target: str | None = None,
    timeout_seconds: float | None = None,
    events: Path | None = None,
) -> RoleOutput:
    """Run the role with this id, by default the first of its section, on a bundle. `target` names the policy for
    a diagnoser: a slot's number, a name, any text. `events` is the episode's event stream, for components.

    Raises:
        RoleFailed: it did not do its work (WasmReporterFailed for a component).
        CoworldError: the package has no such role, or one that only a league's server can run.
    """
    entry = _entry(package, role, role_id)
    if isinstance(entry, CoworldReporterWasmReference):
        return _run_component(package, entry, bundle, timeout_seconds=timeout_seconds, events=events)
    timeout_seconds = DEFAULT_SECONDS if timeout_seconds is None else timeout_seconds
    variable, name = _OUTPUTS[role]
    older = older_reporter_inputs(bundle) if role == "reporter" else None

    def variables(place: Place) -> dict[str, str]:
        env = {
            "COGAME_EPISODE_BUNDLE_URI": f"file://{place.folder}/bundle.zip",
            variable: f"file://{place.folder}/{name}",
            f"COGAME_{role.upper()}_ID": entry.id,
        }
        if older is not None:
            env |= older.variables(place.folder, name)
        if role == "diagnoser":
            env["COGAME_DIAGNOSIS_OUTPUT_URI"] = env[variable]
        return env if target is None else {**env, "COGAME_TARGET_POLICY_URI": target, "COGAME_POLICY_URI": target}

    spec = RunnableSpec(
        role=role,
        name=f"coworld-{role}-{secrets.token_hex(4)}",
        image=entry.image,
        run=entry.run,
        env=entry.env,
        variables=variables,
        files={"bundle.zip": bundle, **(older.files if older is not None else {})},
        combined_log=True,
        limits=limits_of(entry.resources, timeout_seconds + 60.0),
    )
    running = engine.start(spec)
    try:
        try:
            ended = running.wait(timeout_seconds)
        except TimeoutError:
            raise RoleFailed(
                f"The {role} {entry.id!r} did not end in {timeout_seconds:g} seconds",
                hint="give it more with --timeout-seconds",
            ) from None
        log = running.log("stdout").decode(errors="replace")
        if not ended.clean:
            last_lines = " / ".join(log.strip().splitlines()[-LAST_LINES:])
            raise RoleFailed(
                f"The {role} {entry.id!r} {ended.reason}{f': {last_lines}' if last_lines else ''}",
                hint=missing_package_advice(log, entry.image),
            )
        data = running.read(name, MAX_BYTES)
        if not data and (stats := running.read(STATS_NAME, MAX_BYTES)):
            data = stats_report(stats, entry.id)
    finally:
        running.close()
    if not data:
        raise RoleFailed(
            f"The {role} {entry.id!r} ended without writing its output",
            hint=f"it must write to the URI in {variable}, at most {MAX_BYTES >> 20} MiB",
        )
    return RoleOutput(role, entry.id, data, log)


def check_grade(data: bytes) -> dict[str, Any]:
    """Check and return a grade: a JSON object with a number `score`."""
    try:
        document = json.loads(data)
    except ValueError as error:
        raise RoleFailed(f"The grade is not JSON: {error}") from None
    score = document.get("score") if isinstance(document, dict) else None
    if isinstance(score, bool) or not isinstance(score, int | float) or score - score != 0:
        raise RoleFailed("The grade has no number `score`", hint='write {"score": NUMBER, "grader_id": "..."}')
    assert isinstance(document, dict)
    return document


def check_diagnosis(data: bytes) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Check a diagnosis, which must be a zip; return (its manifest, if it has one; the names of its files)."""
    with opened_archive(data, name="the diagnosis") as archive:
        names = tuple(name for name in archive.names if not name.endswith("/"))
        if "manifest.json" not in names:
            return None, names
        try:
            document = json.loads(archive.read("manifest.json"))
        except ValueError as error:
            raise RoleFailed(f"The diagnosis has a manifest.json that is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise RoleFailed("The diagnosis has a manifest.json that is not an object")
    render = document.get("render")
    if isinstance(render, str) and render not in names:
        raise RoleFailed(f"The diagnosis has no {render}, which its manifest names")
    return document, names


def _run_component(
    package: CoworldPackage,
    reporter: CoworldReporterWasmReference,
    bundle: Path,
    *,
    timeout_seconds: float | None,
    events: Path | None,
) -> RoleOutput:
    from coworld.roles.wasm.run import run_wasm_reporter

    component = package.file(reporter.wasm)
    if not component.is_file():
        raise CoworldError(f"{reporter.wasm} of the package is missing", hint="build the component first")
    report = run_wasm_reporter(
        component,
        bundle,
        reporter_id=reporter.id,
        attributes=reporter.attributes,
        events=events,
        timeout_seconds=timeout_seconds,
    )
    return RoleOutput("reporter", reporter.id, report.data, report.log)


def _entry(package: CoworldPackage, role: RoleName, role_id: str | None) -> _Entry | CoworldReporterWasmReference:
    if role != "reporter":
        spec = package.role(role, role_id)
        assert spec.image is not None
        return _Entry(spec.id, spec.image, list(spec.run), dict(spec.env), spec.resources)
    from coworld.roles.images import reporter_image

    known = []
    for reporter in package.manifest.reporter:
        entry: _Entry | CoworldReporterWasmReference
        if isinstance(reporter, CoworldReporterContainer):
            entry = _Entry(reporter.id, reporter.image, list(reporter.run), dict(reporter.env), reporter.resources)
        elif isinstance(reporter, CoworldReporterPlatformReference):
            image = reporter_image(reporter.reporter)
            if image is None:
                continue
            entry = _Entry(reporter.reporter, image, [], {}, None)
        else:
            entry = reporter
        known.append(entry.id)
        if role_id in (None, entry.id):
            return entry
    missing = f"no reporter {role_id!r}" if role_id else "no reporter"
    raise CoworldError(
        f"{package.manifest.game.name} has {missing} that can be run here", hint=f"it has: {', '.join(known) or 'none'}"
    )
