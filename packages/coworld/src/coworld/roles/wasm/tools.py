"""The calls of a component: files of the episode, and the parts of its report. Every call counts against a budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coworld.bundle.reader import EpisodeBundle
from coworld.errors import CoworldError
from coworld.roles.wasm.errors import ToolError
from coworld.roles.wasm.limits import LARGEST_VALUE, ReporterLimits
from coworld.roles.wasm.parts import Part, declared_outputs, encode_part

__all__ = ["IgnoredBudget", "Tools"]

REFUSED_CALLS = 1000
"""calls after the budget is spent before the component is stopped"""
LOG_BYTES = 1 << 20
REFUSED_BYTES = 1 << 20
"""bytes of unsafe pages that are kept, to be shown as text"""


class IgnoredBudget(Exception):
    """A component that continues to call after its budget is spent."""


class Tools:
    """The calls of one run. Methods raise ToolError, which the component gets as the error of the call."""

    def __init__(
        self, bundle: EpisodeBundle, events: bytes | None, attributes: Mapping[str, Any], limits: ReporterLimits
    ) -> None:
        self.bundle, self.events, self.limits = bundle, events, limits
        self.outputs = declared_outputs(attributes)
        self.parts: dict[str, Part] = {}
        self.refused: dict[str, str] = {}
        self.calls = self.read_bytes = self.log_bytes = 0

    # --- episodes

    def results(self, ereq: str) -> bytes:
        return self._file(ereq, "results")

    def event_stream(self, ereq: str) -> bytes | str:
        """Return the events, or why there are none."""
        self._episode(ereq)
        if isinstance(self.bundle.manifest.files.get("events"), str):
            return self._file(ereq, "events", counted=False)
        if self.events is None:
            return "the episode has no event stream"
        return self._read(self.events, "events")

    def replay(self, ereq: str) -> bytes:
        self._episode(ereq)
        data = _readable(self.bundle.replay)
        if data is None:
            raise ToolError("not-found", "the bundle has no replay")
        return self._read(data, "replay")

    def game_logs(self, ereq: str) -> str:
        self._episode(ereq)
        logs = _readable(self.bundle.game_logs)
        if not logs:
            raise ToolError("not-found", "the bundle has no game logs")
        return self._text(b"".join(logs.values()))

    def player_logs(self, ereq: str, seat: int) -> str:
        self._episode(ereq)
        logs = _readable(self.bundle.player_logs)
        if seat not in logs:
            raise ToolError("not-found", f"the bundle has no log of seat {seat}")
        return self._text(logs[seat])

    def error_info(self, ereq: str) -> str | None:
        self._episode(ereq)
        name = self.bundle.manifest.files.get("error_info")
        return self._text(self.bundle.archive.read(name)) if isinstance(name, str) else None

    # --- what only a league's server has

    def platform_get(self, path: str, query: str) -> str:
        self._count()
        raise ToolError("forbidden", "a local run has no league's server to read from")

    def no_runs(self, query: str = "") -> str:
        """Return the other reports that a local run can see."""
        self._count()
        return "[]"

    def missing_run(self, run_id: str, part: str = "") -> bytes:
        self._count()
        raise ToolError("not-found", f"there is no run {run_id[:100]!r} here")

    def missing_model(self, body: str) -> str:
        self._count()
        raise ToolError("forbidden", "a local run has no language model")

    # --- output

    def emit(self, name: str, kind: str, payload: Any) -> None:
        # With a spent budget a component may still emit what it has, once for each declared part.
        try:
            self._count()
        except ToolError:
            if name not in self.outputs or name in self.parts:
                raise
        try:
            part = encode_part(name, kind, payload, self.outputs)
        except ToolError:
            if kind == "render-html" and name in self.outputs:
                self.refused[name] = payload[: max(0, REFUSED_BYTES - sum(map(len, self.refused.values())))]
            raise
        others = sum(len(other.data) for other in self.parts.values() if other.name != name)
        if others + len(part.data) > self.limits.output_bytes:
            raise ToolError("budget-exhausted", f"the report would exceed {self.limits.output_mib:g} MiB")
        self.parts[name] = part
        self.refused.pop(name, None)

    def progress(self, percent: int, note: str) -> None:
        self.log(f"{percent} %", note)

    def log(self, level: str, message: str) -> None:
        """Print a line; drop it when the budget of calls or of output is spent."""
        try:
            self._count()
        except ToolError:
            return
        self.write_log(f"{level[:20]}: {message}\n".encode(errors="replace"))

    def write_log(self, data: bytes) -> None:
        data = data[: max(0, LOG_BYTES - self.log_bytes)]
        self.log_bytes += len(data)
        print(data.decode(errors="replace"), end="", flush=True)

    # --- budgets

    def usage(self) -> dict[str, float]:
        written = sum(len(part.data) for part in self.parts.values())
        return {"tool_calls": self.calls, "read_bytes": self.read_bytes, "output_bytes": written}

    def _count(self) -> None:
        self.calls += 1
        if self.calls > self.limits.tool_calls + REFUSED_CALLS:
            raise IgnoredBudget(f"it made {self.calls} calls; its budget is {self.limits.tool_calls}")
        if self.calls > self.limits.tool_calls:
            raise ToolError("budget-exhausted", f"the budget of {self.limits.tool_calls} calls is spent")

    def _episode(self, ereq: str) -> None:
        self._count()
        if ereq != self.bundle.id:
            raise ToolError("not-found", f"there is no episode {ereq[:100]!r} here; there is {self.bundle.id!r}")

    def _file(self, ereq: str, token: str, *, counted: bool = True) -> bytes:
        if counted:
            self._episode(ereq)
        name = self.bundle.manifest.files.get(token)
        if not isinstance(name, str):
            raise ToolError("not-found", f"the bundle has no {token}")
        return self._read(_readable(lambda: self.bundle.archive.read(name)), token)

    def _read(self, data: bytes, name: str) -> bytes:
        if len(data) > LARGEST_VALUE:
            size = f"{len(data) / (1 << 20):.1f} MiB; this host passes at most {LARGEST_VALUE >> 20} MiB at once"
            raise ToolError("budget-exhausted", f"the file of {name} has {size}")
        self.read_bytes += len(data)
        if self.read_bytes > self.limits.read_bytes:
            raise ToolError("budget-exhausted", f"the budget of {self.limits.read_mib:g} MiB of reads is spent")
        return data

    def _text(self, data: bytes) -> str:
        return self._read(data, "logs").decode(errors="replace")


def _readable(read: Any) -> Any:
    try:
        return read()
    except CoworldError as error:
        raise ToolError("internal", f"the bundle cannot be read: {error}") from None
