"""Worker processes: asked case by case, watched for time and memory, started again when one dies."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SECONDS_PER_CASE = 600.0  # the sanitizers make everything thirty times as slow
MEGABYTES = 1024

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": ":".join(
        [
            "detect_leaks=1:leak_check_at_exit=0",  # asked for by the runner; at exit Python leaves too much
            f"hard_rss_limit_mb={MEGABYTES}:max_allocation_size_mb={MEGABYTES}:allocator_may_return_null=1",
            "quarantine_size_mb=64",  # freed memory that is watched; more would hide growth
            "malloc_context_size=10",  # frames kept per block: Python has no end of different stacks
            "handle_abort=1",
        ]
    ),
    "LSAN_OPTIONS": f"print_suppressions=0:suppressions={ROOT / 'tests' / 'soak' / 'leaks.supp'}",
}
FINDINGS = re.compile(
    r"ERROR: (?:Address|Leak)Sanitizer: .*|\S*: runtime error: .*|.*hard rss limit exhausted.*|SUMMARY: .*|"
    r"Fatal Python error: .*"
)
LEAKED = re.compile(r"SUMMARY: .* leaked in ([0-9]+) allocation")


class Died(Exception):
    """A worker that gave no answer; `kind` is crash, hang or memory."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Worker:
    """One process of `worker.py` under `python` with some environment variables; they say which engine it imports."""

    def __init__(
        self,
        python: str,
        env: Mapping[str, str],
        log: Path,
        *,
        seconds: float = SECONDS_PER_CASE,
        looks_for_leaks: bool = True,
        plants: bool = False,
    ) -> None:
        self.python = python
        self.env = {**os.environ, **env, **SANITIZER_OPTIONS}
        self.log = log
        self.seconds = seconds
        self.looks_for_leaks = looks_for_leaks
        self.plants = plants
        log.touch()
        self.process: subprocess.Popen[str] | None = None
        self.starts = 0
        self.leaks_at_start = 0

    def ask(self, request: str) -> dict[str, Any]:
        """Return the answer to one line; raises `Died`, and the next call starts a new process."""
        if self.process is None:
            self._start()
            self.leaks_at_start = self.leaks() or 0
        assert self.process is not None and self.process.stdin is not None
        self._log_from = self.log.stat().st_size
        try:
            self.process.stdin.write(f"{request}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._died("crash") from None
        return self._answer()

    def leaks(self) -> int | None:
        """Blocks that LeakSanitizer finds, also those that Python itself left behind; None when it is not there."""
        leaked = self.ask("leaks")["found"] if self.looks_for_leaks else None
        if not leaked:
            return None if leaked is None else 0
        return sum(int(count) for line in self.findings() for count in LEAKED.findall(line))

    def findings(self) -> list[str]:
        """Return the output of the sanitizers during the last request, without addresses."""
        lines = FINDINGS.findall(self.output())
        return [re.sub(r"0x[0-9a-f]+|==[0-9]+==", "", line)[:300] for line in dict.fromkeys(lines)]

    def output(self) -> str:
        """Return the output of the process during the last request."""
        with open(self.log, errors="replace") as log:
            log.seek(self._log_from)
            return log.read()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            assert self.process.stdin is not None
            self.process.stdin.close()
            os.close(self._answers)
            self.process = None

    def _start(self) -> None:
        self.starts += 1
        self._answers, theirs = os.pipe()
        words = [self.python, "-m", "tests.soak.worker", str(theirs), *(["plant"] if self.plants else [])]
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=self.env,
                pass_fds=[theirs],
                text=True,
            )
        os.close(theirs)
        self._unread = b""

    def _answer(self) -> dict[str, Any]:
        until = time.monotonic() + self.seconds
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise self._died("hang")
            part = os.read(self._answers, 1 << 16)
            if not part:
                raise self._died("crash")
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _died(self, kind: str) -> Died:
        assert self.process is not None
        process = self.process
        if kind == "crash":
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                kind = "hang"
        self.stop()
        findings = self.findings()
        if any("rss limit" in line for line in findings):
            kind = "memory"
        return Died(kind, "; ".join(findings) or f"exit status {process.returncode}")
