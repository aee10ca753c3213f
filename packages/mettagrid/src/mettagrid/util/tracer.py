"""Trace where an episode spends its time, as a file for Chrome's tracing page or Perfetto.

    tracer = Tracer("trace.json")
    with tracer.span("agent_step", pid=agent_id, step=3) as span:
        ...
        span.set(timed_out=False)
    tracer.flush()

Events are written at once, so that a truncated file is still readable; after `flush` it is valid JSON. A process of the
trace is an agent (its id), the environment or the executor; the first events name the environment. Garbage collections
are spans too.
"""

import gc
import json
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

__all__ = ["NullSpan", "NullTracer", "Span", "Tracer"]


class Span:
    """A time span, from the start of a `with` block to its end."""

    def __init__(self, tracer: "Tracer", name: str, pid: int | None = None, **initial_metadata: Any) -> None:
        self._tracer = tracer
        self._name = name
        self._pid = pid
        self._metadata = initial_metadata
        self._start_ns = 0

    def set(self, **metadata: Any) -> None:
        """Add metadata during the span."""
        self._metadata.update(metadata)

    def __enter__(self) -> Self:
        self._start_ns = time.perf_counter_ns()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        duration_ns = time.perf_counter_ns() - self._start_ns
        start_ns = self._tracer.epoch_ns + self._start_ns
        self._tracer.record_span(self._name, start_ns, duration_ns, pid=self._pid, **self._metadata)


class Tracer:
    """Writes spans to a file. Times are those of `time.time_ns`, so spans of several processes share a time line."""

    PID_ENV = 100000
    PID_EXECUTOR = 200000

    epoch_ns = 0
    """offset from `time.perf_counter_ns` to `time.time_ns`"""

    def __init__(self, output_path: Path | str) -> None:
        self._lock = threading.RLock()
        self._writing = False
        self._named: set[int] = set()
        self.epoch_ns = time.time_ns() - time.perf_counter_ns()
        self._gc_start_ns = 0
        self._file: IO[str] | None = open(output_path, "w", encoding="utf-8")  # noqa: SIM115 - closed by flush
        self._separator = "["
        self._introduce(self.PID_ENV)
        gc.callbacks.append(self._gc_callback)

    def span(self, name: str, pid: int | None = None, **metadata: Any) -> Span:
        """Return a span to use as a context manager; without a `pid` it belongs to the environment."""
        return Span(self, name, pid, **metadata)

    def record_span(self, name: str, start_ns: int, duration_ns: int, pid: int | None = None, **metadata: Any) -> None:
        """Write a span that was measured elsewhere; `start_ns` is a time of `time.time_ns`."""
        self._write_span(name, start_ns, duration_ns, metadata, pid=pid)

    def flush(self) -> None:
        """Finish the file; later events are dropped."""
        if self._gc_callback in gc.callbacks:
            gc.callbacks.remove(self._gc_callback)
        with self._lock:
            if self._file is not None:
                self._writing = True  # no event may follow the closing bracket
                self._file.write("]\n")
                self._file.close()
                self._file = None

    def _write_span(
        self, name: str, ts_ns: int, dur_ns: int, metadata: dict[str, Any], *, pid: int | None = None
    ) -> None:
        pid = self.PID_ENV if pid is None else pid
        with self._lock:
            if self._file is None or self._writing:
                return  # the collector may run while a span is being written
            self._writing = True
            try:
                self._introduce(pid)
                times = {"ts": ts_ns // 1000, "dur": dur_ns // 1000}
                self._write_event({"name": name, "ph": "X", **times, "pid": pid, "tid": 0, "args": metadata})
            finally:
                self._writing = False

    def _introduce(self, pid: int) -> None:
        """Write the name and the position of a process, once."""
        if pid in self._named:
            return
        self._named.add(pid)
        names = {self.PID_ENV: ("Env", -1), self.PID_EXECUTOR: ("Executor", -2)}
        name, order = names.get(pid, (f"Agent {pid}", pid))
        for key, value in (("name", name), ("sort_index", order)):
            event = {"name": f"process_{key}", "ph": "M", "pid": pid, "tid": 0, "args": {key: value}}
            self._write_event(event)

    def _write_event(self, event: dict[str, Any]) -> None:
        assert self._file is not None
        self._file.write(f"{self._separator}{json.dumps(event, default=str)}\n")
        self._separator = ","

    def _gc_callback(self, phase: str, info: dict[str, int]) -> None:
        now = time.time_ns()
        if phase == "start":
            self._gc_start_ns = now
        else:
            metadata = {"generation": info["generation"], "collected": info["collected"]}
            self._write_span("gc", self._gc_start_ns, now - self._gc_start_ns, metadata)


class NullSpan(Span):
    """A span that is not recorded."""

    def __init__(self) -> None: ...

    def set(self, **metadata: Any) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None: ...


_NULL_SPAN = NullSpan()


class NullTracer(Tracer):
    """Records nothing; the default where no tracer is given."""

    def __init__(self) -> None: ...

    def span(self, name: str, pid: int | None = None, **metadata: Any) -> Span:
        return _NULL_SPAN

    def record_span(
        self, name: str, start_ns: int, duration_ns: int, pid: int | None = None, **metadata: Any
    ) -> None: ...

    def flush(self) -> None: ...
