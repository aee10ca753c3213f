"""The host process of a reporter component. It runs in a box; see `coworld.roles.wasm.run` for its caller.

In: the folder `COWORLD_WASM_FOLDER` with `request.json`, `component.wasm`, `bundle.zip` and, if the episode has them,
`events.json`. Out: `outcome.json`, and `report.zip` after a success.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

from coworld.bundle.archives import ArchiveLimits
from coworld.bundle.reader import opened_bundle
from coworld.errors import CoworldError
from coworld.roles.report_checks import declared_parts_missing
from coworld.roles.wasm import values
from coworld.roles.wasm.component import compile_component, new_engine, run_component
from coworld.roles.wasm.errors import ToolError
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
from coworld.roles.wasm.parts import report_archive
from coworld.roles.wasm.tools import Tools
from coworld.roles.wasm.watchdog import GRACE, Watchdog

COMPILE_SECONDS = 240.0
"""wall-clock limit of compiling a component of the largest size"""
BUNDLE_LIMITS = ArchiveLimits(member_bytes=256 << 20, total_bytes=2 << 30)


def main() -> int:
    """Run the component of the request and write the outcome."""
    folder = Path(os.environ[FOLDER_VARIABLE])
    request = HostRequest.model_validate_json((folder / REQUEST).read_bytes())
    outcome = _run(folder, request)
    _write_outcome(folder, outcome)
    sys.stdout.flush()
    # The runtime's threads and memory need no orderly end, which a hostile component could delay.
    os._exit(0)


def _run(folder: Path, request: HostRequest) -> Outcome:
    def abandon(reason: str) -> None:
        """End the process with a verdict: its main thread does not come back."""
        _write_outcome(folder, Outcome(error="budget-exhausted", message=reason))
        os._exit(0)

    values.install()
    engine = new_engine()
    reason = f"compiling it took more than {COMPILE_SECONDS:g} seconds"
    timer = threading.Timer(COMPILE_SECONDS, abandon, [reason])
    timer.daemon = True
    timer.start()
    try:
        component = compile_component(engine, (folder / COMPONENT).read_bytes())
    except ToolError as error:
        return Outcome(error=error.kind, message=error.message)
    finally:
        timer.cancel()
    if request.check_only:
        return Outcome()
    scratch = folder / "scratch"
    scratch.mkdir()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    largest_file = max(request.limits.scratch_bytes, request.limits.output_bytes + (16 << 20))
    _lower_limit(resource.RLIMIT_FSIZE, largest_file)
    # A call that keeps Python's lock keeps the watchdog from running; then the system ends the process.
    cpu_seconds = math.ceil(time.process_time() + request.limits.cpu_seconds + 2 * GRACE)
    _lower_limit(resource.RLIMIT_CPU, cpu_seconds)
    events = (folder / EVENTS).read_bytes() if (folder / EVENTS).is_file() else None
    try:
        with opened_bundle(folder / BUNDLE, limits=BUNDLE_LIMITS) as bundle:
            tools = Tools(bundle, events, request.attributes, request.limits)
            watchdog = Watchdog(request.limits, scratch, engine.increment_epoch, abandon)
            failure: ToolError | None = None
            try:
                run_component(
                    engine, component, tools, watchdog, scratch=scratch, run_id=request.run_id, params=request.params
                )
            except ToolError as raised:
                failure = raised
            return _outcome(folder, request, tools, failure, {**tools.usage(), **watchdog.usage()})
    except CoworldError as error:
        return Outcome(error="internal", message=f"the bundle cannot be read: {error}")


def _outcome(
    folder: Path, request: HostRequest, tools: Tools, error: ToolError | None, usage: dict[str, float]
) -> Outcome:
    """Return the outcome of a run, and write the report of a successful one."""
    if error is None and (missing := declared_parts_missing(request.attributes, tools.parts)):
        refused = [name for name in missing if name in tools.refused]
        message = f"it did not emit its declared parts: {', '.join(missing)}"
        if refused:
            message += f" (the page of {', '.join(refused)} is unsafe to embed)"
        error = ToolError("invalid", message)
    if error is not None:
        return Outcome(error=error.kind, message=error.message, usage=usage, refused=tools.refused)
    order = [tools.parts[name] for name in tools.outputs if name in tools.parts]
    (folder / REPORT).write_bytes(report_archive(request.reporter_id, order, tools.outputs))
    return Outcome(parts=len(order), usage=usage, refused=tools.refused)


def _lower_limit(kind: int, value: int) -> None:
    _soft, hard = resource.getrlimit(kind)
    ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (ceiling, hard))


def _write_outcome(folder: Path, outcome: Outcome) -> None:
    partial = folder / f"{OUTCOME}.partial"
    partial.write_text(outcome.model_dump_json())
    partial.replace(folder / OUTCOME)


if __name__ == "__main__":
    sys.exit(main())
