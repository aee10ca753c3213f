"""Run the manifest's own reporters, graders and diagnosers; default roles only where a section is empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coworld.engines.base import Engine
from coworld.errors import CoworldError
from coworld.manifest.package import CoworldPackage
from coworld.models.reporters import CoworldReporterContainer, CoworldReporterPlatformReference
from coworld.optimize.findings import Analysis, DefaultRoles
from coworld.roles.images import reporter_image
from coworld.roles.report_checks import read_report
from coworld.roles.role_runner import RoleName, check_diagnosis, check_grade, run_role

ROLES: tuple[RoleName, ...] = ("reporter", "grader", "diagnoser")


@dataclass(frozen=True)
class RoleEntry:
    """An entry of a manifest's role section, and whether this machine can run it."""

    role: RoleName
    id: str
    problem: str | None = None


class ManifestRoles:
    """An analyst that runs every role of a manifest in a sandbox."""

    def __init__(self, package: CoworldPackage, engine: Engine, *, timeout_seconds: float = 300.0) -> None:
        self.package, self.engine, self.timeout_seconds = package, engine, timeout_seconds
        self.entries = list(_entries(package, engine))

    @property
    def problems(self) -> list[str]:
        """Return a sentence for each role that this machine cannot run."""
        return [
            f"The {entry.role} {entry.id!r} is left out: {entry.problem}" for entry in self.entries if entry.problem
        ]

    def analyze(self, bundle: Path, slot: int) -> Iterable[Analysis]:
        missing = [role for role in ROLES if not any(entry.role == role for entry in self.entries)]
        if missing:
            yield from (analysis for analysis in DefaultRoles().analyze(bundle, slot) if analysis.role in missing)
        for entry in self.entries:
            if entry.problem is None:
                yield self._run(entry, bundle, slot)

    def _run(self, entry: RoleEntry, bundle: Path, slot: int) -> Analysis:
        target = f"slot={slot}" if entry.role == "diagnoser" else None
        try:
            output = run_role(
                self.package,
                entry.role,
                bundle,
                engine=self.engine,
                role_id=entry.id,
                target=target,
                timeout_seconds=self.timeout_seconds,
            )
            _check(entry.role, output.data)
        except CoworldError as error:
            return Analysis(entry.role, entry.id, error=str(error))
        return Analysis(entry.role, entry.id, output.data)


def _check(role: RoleName, data: bytes) -> None:
    if role == "reporter":
        read_report(data)
    elif role == "grader":
        check_grade(data)
    else:
        check_diagnosis(data)


def _entries(package: CoworldPackage, engine: Engine) -> Iterator[RoleEntry]:
    for reporter in package.manifest.reporter:
        if isinstance(reporter, CoworldReporterContainer):
            yield _entry("reporter", reporter.id, reporter.image, reporter.run, engine)
        elif isinstance(reporter, CoworldReporterPlatformReference):
            image = reporter_image(reporter.reporter)
            if image is None:
                yield RoleEntry("reporter", reporter.reporter, "it is published elsewhere and not installed here")
            else:
                yield _entry("reporter", reporter.reporter, image, [], engine)
        else:
            yield RoleEntry("reporter", reporter.id, "it is a WebAssembly component, which needs a host")
    for grader in package.manifest.grader:
        yield _entry("grader", grader.id, grader.image or "", grader.run, engine)
    for diagnoser in package.manifest.diagnoser:
        yield _entry("diagnoser", diagnoser.id, diagnoser.image or "", diagnoser.run, engine)


def _entry(role: RoleName, role_id: str, image: str, run: list[str], engine: Engine) -> RoleEntry:
    return RoleEntry(role, role_id, image_problem(engine, image, run))


def image_problem(engine: Engine, image: str, run: list[str]) -> str | None:
    """Return why this machine cannot run an image with a command; None if it can."""
    try:
        resolved = engine.resolve(image)
    except CoworldError as error:
        return str(error)
    return None if run or resolved.has_command else f"{image} is {resolved.how}, which names no command"
