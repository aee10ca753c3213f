"""Run a reporter component of a package in a host process of its own, inside a box without network.

    run = run_wasm_reporter(component, bundle, reporter_id="recap", attributes=attributes)
    read_report(run.data)

The box bounds memory, disk, processes and time of the host, so a crash or a runaway of the runtime ends there.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coworld.engines.base import ResourceLimits, RunnableSpec
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.process import ProcessEngine
from coworld.errors import CoworldError
from coworld.roles.failures import RoleFailed
from coworld.roles.wasm.errors import ToolErrorKind
from coworld.roles.wasm.limits import LARGEST_COMPONENT, LARGEST_VALUE, ReporterLimits, requested_limits
from coworld.roles.wasm.outcome import (
    BUNDLE,
    COMPONENT,
    EVENTS,
    FOLDER_VARIABLE,
    OUTCOME,
    REPORT,
    REQUEST,
    HostRequest,
    Outcome,
)

__all__ = ["WasmReport", "WasmReporterFailed", "check_component", "require_wasmtime", "run_wasm_reporter"]

IMAGE = "coworld/wasm-host:local"
HOST_MEMORY = (1 << 30) + 90 * LARGEST_VALUE
"""bytes for Python, the compiler and the values of one call, beside the component's own memory"""
START_SECONDS = 270.0
"""to start and to compile; the host itself limits compiling to a shorter time"""


class WasmReporterFailed(RoleFailed):
    """A component that returned an error, exceeded a limit, crashed or does not fit its world."""

    def __init__(self, reporter_id: str, verdict: ToolErrorKind, reason: str, refused: Mapping[str, str]) -> None:
        super().__init__(f"The reporter {reporter_id!r} failed ({verdict}): {reason}", hint=_hint(verdict))
        self.verdict = self.error_type = verdict
        self.reason = reason
        self.refused = dict(refused)
        """unsafe pages by the name of their part; show them as text only"""


@dataclass(frozen=True)
class WasmReport:
    """The output of a successful run."""

    data: bytes
    """a zip that `read_report` reads"""
    log: str
    outcome: Outcome


def require_wasmtime() -> None:
    """Raise CoworldError when the runtime of components is not installed."""
    if find_spec("wasmtime") is None:
        raise CoworldError("reporters in WebAssembly need wasmtime", hint="pip install 'coworld[reporters]'")


def run_wasm_reporter(
    component: Path,
    bundle: Path,
    *,
    reporter_id: str,
    attributes: Mapping[str, Any],
    limits: ReporterLimits | None = None,
    events: Path | None = None,
    params: str | None = None,
    timeout_seconds: float | None = None,
) -> WasmReport:
    """Run a component on the episode of a bundle. `timeout_seconds` shortens the wall-clock limit.

    Raises:
        WasmReporterFailed: no report; `verdict` is the kind of the error.
        CoworldError: wasmtime is not installed, or the requested limits are too high.
    """
    limits = limits or requested_limits(attributes)
    if timeout_seconds is not None:
        limits = limits.model_copy(update={"wall_seconds": min(limits.wall_seconds, timeout_seconds)})
    request = HostRequest(
        run_id=f"rrun_{secrets.token_hex(8)}",
        reporter_id=reporter_id,
        attributes=dict(attributes),
        params=params,
        limits=limits,
    )
    files = {BUNDLE: bundle, **({EVENTS: events} if events is not None else {})}
    outcome, data, log = _host(component, request, files)
    if outcome.error is not None:
        raise WasmReporterFailed(reporter_id, outcome.error, _printable(outcome.message), outcome.refused)
    if data is None:
        raise WasmReporterFailed(reporter_id, "internal", "the host wrote no report", outcome.refused)
    return WasmReport(data, "\n".join(map(_printable, log.splitlines())), outcome)


def check_component(component: Path, reporter_id: str) -> None:
    """Compile a component and compare its imports and exports with the world; run nothing of it.

    Raises:
        WasmReporterFailed: it does not fit.
        CoworldError: wasmtime is not installed.
    """
    request = HostRequest(
        run_id="check", reporter_id=reporter_id, attributes={}, limits=ReporterLimits(), check_only=True
    )
    outcome, _data, _log = _host(component, request, {})
    if outcome.error is not None:
        raise WasmReporterFailed(reporter_id, outcome.error, _printable(outcome.message), {})


def _host(component: Path, request: HostRequest, files: Mapping[str, Path]) -> tuple[Outcome, bytes | None, str]:
    """Start the host in a box and wait for it; return the outcome, the report and the log."""
    require_wasmtime()
    size = component.stat().st_size
    if size > LARGEST_COMPONENT:
        reason = f"the component has {size} bytes, more than {LARGEST_COMPONENT}"
        return Outcome(error="invalid", message=reason), None, ""
    limits = request.limits
    wall_seconds = START_SECONDS + limits.wall_seconds
    image = LocalImage(image=IMAGE, argv=("python", "-m", "coworld.roles.wasm.host"), packages=("coworld",))
    # The component is confined by the runtime; where no box works, the host still runs with limits.
    engine = ProcessEngine(LocalImages(({IMAGE: image},)), unsafe=True)
    running = engine.start(
        RunnableSpec(
            role="reporter",
            name=f"coworld-wasm-reporter-{secrets.token_hex(4)}",
            image=IMAGE,
            variables=lambda place: {FOLDER_VARIABLE: place.folder},
            files={REQUEST: request.model_dump_json().encode(), COMPONENT: component, **files},
            combined_log=True,
            limits=ResourceLimits(
                memory_bytes=HOST_MEMORY + limits.memory_bytes + 10 * size,
                wall_seconds=wall_seconds,
                disk_bytes=limits.scratch_bytes + limits.output_bytes + (4 << 30),
                log_bytes=4 << 20,
            ),
        )
    )
    try:
        try:
            ended = running.wait(wall_seconds + 30.0)
        except TimeoutError:
            return (
                Outcome(error="budget-exhausted", message=f"the host did not end in {wall_seconds:g} seconds"),
                None,
                "",
            )
        log = running.log("stdout").decode(errors="replace")
        outcome = _read_outcome(running.read(OUTCOME, 32 << 20))
        if outcome is None:
            exceeded = ended.code is None
            last = " / ".join(log.strip().splitlines()[-3:])
            message = f"the host {ended.reason}{f': {last}' if last and not exceeded else ''}"
            return Outcome(error="budget-exhausted" if exceeded else "internal", message=message), None, log
        data = running.read(REPORT, limits.output_bytes + (16 << 20)) if outcome.error is None else None
        return outcome, data, log
    finally:
        running.close()


def _read_outcome(data: bytes | None) -> Outcome | None:
    try:
        return None if data is None else Outcome.model_validate_json(data)
    except ValidationError:
        return None


def _printable(text: str) -> str:
    """Return a component's text without characters that control a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _hint(verdict: ToolErrorKind) -> str:
    if verdict == "budget-exhausted":
        return "use less, or ask for more in attributes.requested_limits"
    if verdict == "invalid":
        return "build it for the world softmax:reporter@0.6.0 and emit every declared part"
    return "run it on an episode of your own and read its log"
