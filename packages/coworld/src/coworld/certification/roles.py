"""Check the supporting roles of a Coworld, as far as a certification does."""

import asyncio
import re
import secrets
from importlib.util import find_spec
from pathlib import Path
from uuid import UUID

from coworld.commissioner.client import CommissionerError, ask_commissioner
from coworld.commissioner.protocol import (
    DivisionInfo,
    LeagueInfo,
    MembershipInfo,
    ScheduleRoundsRequest,
    ScheduleRoundsResponse,
)
from coworld.engines.base import Engine, EngineError, Place, RunnableSpec
from coworld.engines.missing_packages import missing_package_advice
from coworld.errors import CoworldError
from coworld.manifest.package import CoworldPackage
from coworld.models.reporters import CoworldReporterPlatformReference, CoworldReporterWasmReference
from coworld.models.runnables import CoworldRunnableSpec
from coworld.roles.report_checks import PART_TYPES
from coworld.roles.wasm.limits import requested_limits
from coworld.roles.wasm.run import WasmReporterFailed, check_component
from coworld.runner import launch, probes
from coworld.runner.artifacts import write_file
from coworld.runner.budget import Budget

STARTUP_SECONDS = 30.0


class ReporterCertificationError(CoworldError, RuntimeError):
    """A reporter reference that cannot be resolved."""


class CommissionerProbeError(CoworldError, RuntimeError):
    """A commissioner whose response breaks the protocol."""


def certification_schedule_rounds_request() -> ScheduleRoundsRequest:
    """Build a request with one division, two champions and no rounds yet."""
    league, division = UUID(int=1), UUID(int=2)
    return ScheduleRoundsRequest(
        league=LeagueInfo(id=league),
        divisions=[DivisionInfo(id=division, name="Certification", level=1)],
        active_memberships=[
            MembershipInfo(
                id=UUID(int=number),
                league_id=league,
                division_id=division,
                policy_version_id=UUID(int=number + 10),
                is_champion=True,
            )
            for number in (3, 4)
        ],
        recent_rounds=[],
    )


def check_supporting_roles(
    package: CoworldPackage, engine: Engine, workspace: Path, *, budget_seconds: float
) -> tuple[list[str], str]:
    """Check reporters and commissioners and count the other roles; return the reporters' kinds and a sentence.

    Raises ReporterCertificationError, CommissionerProbeError.
    """
    reporters = check_reporters(package)
    answered = ask_commissioners(package, engine, workspace, budget_seconds=budget_seconds)
    others = {name: len(getattr(package.manifest, name)) for name in ("grader", "diagnoser", "optimizer")}
    counted = ", ".join(f"{count} {name}" for name, count in others.items())
    return reporters, f"{answered} commissioner answered, {len(reporters)} reporter valid, counted: {counted}"


def check_reporters(package: CoworldPackage) -> list[str]:
    """Return the kind of each reporter; components must be in the package and declare their outputs.

    Raises ReporterCertificationError.
    """
    lines = []
    for index, reporter in enumerate(package.manifest.reporter):
        if isinstance(reporter, CoworldReporterWasmReference):
            checked = _check_component(package, index, reporter)
            description = f"wasm component {reporter.wasm} (id {reporter.id}){checked}"
        elif isinstance(reporter, CoworldReporterPlatformReference):
            description = f"platform reference {reporter.reporter}"
        else:
            description = f"legacy container {reporter.image} (id {reporter.id})"
        lines.append(f"reporter[{index}]: {description}")
    return lines


def _check_component(package: CoworldPackage, index: int, reporter: CoworldReporterWasmReference) -> str:
    """Check a component's file and its attributes; return a remark on what was not checked."""
    where = f"reporter[{index}]"
    if Path(reporter.wasm).is_absolute() or ".." in Path(reporter.wasm).parts:
        raise ReporterCertificationError(f"{where}.wasm must be a path inside the package")
    try:
        path = package.file(reporter.wasm)
    except CoworldError as error:
        raise ReporterCertificationError(f"{where}.wasm: {error}") from None
    if not path.is_file() or path.stat().st_size == 0:
        raise ReporterCertificationError(f"{where}.wasm is not a file with something in it")
    attributes = reporter.attributes
    for name in ("purpose", "world"):
        if not isinstance(attributes.get(name), str) or not attributes[name]:
            raise ReporterCertificationError(f"{where}.attributes.{name} must say something")
    outputs = attributes.get("outputs")
    if not isinstance(outputs, list) or not outputs:
        raise ReporterCertificationError(f"{where}.attributes.outputs must list at least one output")
    for number, output in enumerate(outputs):
        for name in ("name", "type", "description"):
            if not isinstance(output, dict) or not isinstance(output.get(name), str) or not output[name]:
                raise ReporterCertificationError(f"{where}.attributes.outputs[{number}].{name} must say something")
        if output["type"] not in PART_TYPES:
            known = ", ".join(PART_TYPES)
            raise ReporterCertificationError(f"{where}.attributes.outputs[{number}].type is none of: {known}")
    if find_spec("wasmtime") is None:
        return "; its imports were not checked: pip install 'coworld[reporters]'"
    try:
        requested_limits(attributes)
        check_component(path, reporter.id)
    except WasmReporterFailed as error:
        raise ReporterCertificationError(f"{where}.wasm: {error.reason}") from None
    except CoworldError as error:
        raise ReporterCertificationError(f"{where}: {error}") from None
    return ""


def ask_commissioners(package: CoworldPackage, engine: Engine, workspace: Path, *, budget_seconds: float) -> int:
    """Start each and ask it to schedule rounds; raises CommissionerProbeError. Their logs stay in the workspace."""
    for entry in package.manifest.commissioner:
        ask_to_schedule(entry.id, entry.runnable(), engine, workspace, budget_seconds=budget_seconds)
    return len(package.manifest.commissioner)


def _folder_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", text).lstrip(".") or "commissioner"


def ask_to_schedule(
    commissioner_id: str, entry: CoworldRunnableSpec, engine: Engine, workspace: Path, *, budget_seconds: float
) -> ScheduleRoundsResponse:
    """Start a commissioner, ask it to schedule rounds and end it; raises CommissionerProbeError."""
    folder = workspace / "commissioners" / _folder_name(commissioner_id)
    budget = Budget(min(budget_seconds, STARTUP_SECONDS))

    def variables(place: Place) -> dict[str, str]:
        return {"COGAME_HOST": place.host, "COGAME_PORT": str(place.port)}

    spec = RunnableSpec(
        role="commissioner",
        name=f"coworld-cert-commissioner-{secrets.token_hex(8)}",
        image=entry.image,
        run=entry.run,
        env=entry.env,
        variables=variables,
        listens=True,
        limits=launch.limits_of(entry.resources, budget_seconds + 120),
    )
    try:
        running = engine.start(spec)
    except EngineError as error:
        raise CommissionerProbeError(f"commissioner {commissioner_id!r} did not start: {error}") from None
    try:
        address = running.endpoint
        assert address is not None
        problem = asyncio.run(probes.wait_healthy(address, "/healthz", lambda: running.poll() is not None, budget))
        if problem is not None:
            ended = running.poll()
            advice = missing_package_advice(running.log("stderr").decode(errors="replace"), entry.image)
            raise CommissionerProbeError(
                f"commissioner {commissioner_id!r} was not healthy: {ended.reason if ended else problem}"
                + (f" ({advice})" if advice else "")
            )
        return ask_commissioner(
            f"ws://{address[0]}:{address[1]}/round",
            certification_schedule_rounds_request(),
            ScheduleRoundsResponse,
            timeout_seconds=max(1.0, budget.at_most(STARTUP_SECONDS)),
        )
    except CommissionerError as error:
        raise CommissionerProbeError(f"commissioner {commissioner_id!r}: {error}") from None
    finally:
        running.end()
        running.wait(30)
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / "commissioner.stdout.log", running.log("stdout"))
        write_file(folder / "commissioner.stderr.log", running.log("stderr"))
        running.close()
