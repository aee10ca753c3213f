"""Stop a component that uses too much time, memory or scratch space.

A thread samples the process. Over a limit it raises the runtime's epoch, which interrupts WebAssembly code; a component
that waits inside a call of the runtime, where the epoch has no effect, ends with the process.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from coworld.roles.wasm.limits import ReporterLimits

__all__ = ["GRACE", "Watchdog", "writable_bytes"]

INTERVAL = 0.02
SCRATCH_INTERVAL = 0.25
GRACE = 2.0
"""seconds between the interrupt and the end of the process"""
MEMORY_SLACK = 768 << 20
"""bytes that the process itself may need during a run, beside the component's memory: for parts that it emits"""
VALUE_FACTOR = 90
"""bytes of memory that the runtime needs for each byte of a binary value"""
MANY_FILES = 100_000


def writable_bytes() -> int:
    """Return the private writable memory of this process, touched or not; 0 where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmData:")), 0)


class Watchdog:
    """Watch one run; `reason` says which limit was exceeded. Use it with `with`."""

    def __init__(
        self, limits: ReporterLimits, scratch: Path, interrupt: Callable[[], None], abandon: Callable[[str], None]
    ) -> None:
        self.reason: str | None = None
        self.peak_memory = 0
        self.largest_value = 0
        """bytes of the largest binary value that a call returned"""
        self._limits, self._scratch = limits, scratch
        self._interrupt, self._abandon = interrupt, abandon
        self._ended = threading.Event()
        self._cpu, self._wall, self._memory = time.process_time(), time.monotonic(), writable_bytes()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.memory()
        self._ended.set()
        self._thread.join()

    def usage(self) -> dict[str, float]:
        cpu, wall = time.process_time() - self._cpu, time.monotonic() - self._wall
        return {"cpu_seconds": round(cpu, 3), "wall_seconds": round(wall, 3), "memory_bytes": self.peak_memory}

    def memory(self) -> int:
        """Return the memory that the run has added to the process."""
        memory = max(0, writable_bytes() - self._memory)
        self.peak_memory = max(self.peak_memory, memory)
        return memory

    def _watch(self) -> None:
        next_scan = 0.0
        while self.reason is None and not self._ended.wait(INTERVAL):
            now = time.monotonic()
            self.reason = self._exceeded(now)
            if self.reason is None and now >= next_scan:
                self.reason = self._scratch_exceeded()
                next_scan = time.monotonic() + SCRATCH_INTERVAL
        if self.reason is None:
            return
        self._interrupt()
        if not self._ended.wait(GRACE):
            self._abandon(self.reason)

    def _exceeded(self, now: float) -> str | None:
        limits = self._limits
        if time.process_time() - self._cpu > limits.cpu_seconds:
            return f"it used its {limits.cpu_seconds:g} seconds of CPU time"
        if now - self._wall > limits.wall_seconds:
            return f"it did not end in {limits.wall_seconds:g} seconds"
        if self.memory() > limits.memory_bytes + MEMORY_SLACK + VALUE_FACTOR * self.largest_value:
            return f"it used more than {limits.memory_mib:g} MiB of memory"
        return None

    def _scratch_exceeded(self) -> str | None:
        total = files = 0
        for folder, _folders, names in os.walk(self._scratch):
            for name in names:
                files += 1
                try:
                    total += os.lstat(os.path.join(folder, name)).st_blocks * 512
                except OSError:
                    continue
                if total > self._limits.scratch_bytes or files > MANY_FILES:
                    return f"it wrote more than {self._limits.scratch_mib:g} MiB or {MANY_FILES} files to /scratch"
        return None
