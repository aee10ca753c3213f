"""Check that a long-lived worker releases its resources.

Three ways: LeakSanitizer looks for memory that nothing points to; the sanitizer's count of live bytes after the same
set of cases must stop growing, which also finds what some cache holds on to; and resident memory is shown. That every
world is gone after its case is asked in `play.py`.
"""

from __future__ import annotations

from .runner import Died, Worker

PROBES = range(-160, -100)
"""Cases played before each measurement; more than the engine's cache of programs holds."""
WARM_UP = 3  # measurements until caches are full
ALLOWED_GROWTH = 2 * 2**20  # bytes, from the end of the warm-up to the last measurement


class MemoryWatch:
    """Measures one worker now and then. A restart of the process begins a new series."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.series: list[list[tuple[int | None, int]]] = []
        """for each process (live bytes, resident bytes)"""
        self._starts = 0
        self.leak_checks = 0

    def check(self) -> str | None:
        """Measure, and ask LeakSanitizer; says what is wrong, or None."""
        answer = {}
        try:
            for seed in PROBES:
                answer = self.worker.ask(str(seed))
            if self.worker.starts != self._starts:
                self._starts = self.worker.starts
                self.series.append([])
            self.series[-1].append((answer["live"], answer["resident"]))
            leaks = self.worker.leaks()
        except Died as death:
            return f"the worker died in a memory check: {death}"
        if leaks is None:
            return None
        self.leak_checks += 1
        new = leaks - self.worker.leaks_at_start
        return f"LeakSanitizer: {new} new blocks; see {self.worker.log}" if new > 0 else None

    def growth(self) -> list[str]:
        """Return a message for each series that kept growing after the warm-up."""
        problems = []
        for series in self.series:
            live = [live for live, _ in series[WARM_UP:] if live is not None]
            if len(live) > 1 and live[-1] - live[0] > ALLOWED_GROWTH:
                problems.append(f"live bytes grew from {live[0]} to {live[-1]} in {len(live) - 1} measurements")
        return problems

    def summary(self) -> str:
        def megabytes(values: list[int]) -> str:
            return " ".join(f"{value / 2**20:.1f}" for value in values)

        parts = [f"{self.leak_checks} leak checks"]
        for series in self.series:
            live = [live for live, _ in series if live is not None]
            parts.append(f"live MB {megabytes(live)}; resident MB {megabytes([resident for _, resident in series])}")
        return "; ".join(parts)
