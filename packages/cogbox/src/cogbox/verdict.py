"""How a box ended."""

from dataclasses import dataclass, field
from enum import StrEnum

from cogbox.level import Level


class Verdict(StrEnum):
    """One word per way to end; the first four are the program's own doing, the next four are limits."""

    OK = "ok"
    """ended by itself with exit code 0"""
    EXIT_CODE = "exit_code"
    """ended by itself with another exit code"""
    SIGNAL = "signal"
    """died by a signal that was not ours"""
    PROTOCOL = "protocol"
    """broke the protocol it had to speak; said by whoever speaks it, through `Box.end`"""
    OUT_OF_MEMORY = "out_of_memory"
    """used more memory than `Limits.memory`"""
    TOO_MANY_PROCESSES = "too_many_processes"
    """wanted more processes or threads than `Limits.processes`"""
    TIME = "time"
    """took longer than `Limits.wall_seconds`, or more processor time than `Limits.cpu_seconds`"""
    OUTPUT = "output"
    """wrote more than it may: to its output, to one file, or to its folder"""
    KILLED = "killed"
    """ended by the caller without blame"""
    START_FAILURE = "start_failure"
    """never ran: the box or the program could not be started"""
    INTERNAL_ERROR = "internal_error"
    """lost its guard: a fault of the machine or of this package, whatever the program did"""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What is left of a box: verdict, one sentence, figures, output, and the isolation it really had."""

    verdict: Verdict
    detail: str
    """the verdict in one sentence"""
    level: Level
    """the level that the self-test of this machine has proved, not the one that was asked for"""
    limited_by: str
    """what kept memory and processes in bounds: `cgroup v1`, `cgroup v2`, `rlimits`, or two of them"""
    exit_code: int | None = None
    signal: int | None = None
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    """bytes; sampled where no control group counts"""
    output_bytes: int = 0
    """all that was written to both streams, also what was not kept"""
    stdout: bytes = b""
    stderr: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    """what was asked for with `collect`, as far as it was there"""

    @property
    def ok(self) -> bool:
        return self.verdict is Verdict.OK

    def as_dict(self) -> dict[str, object]:
        """For a receipt: everything but the output and the collected files."""
        return {
            "verdict": self.verdict.value,
            "detail": self.detail,
            "level": self.level.value,
            "limited_by": self.limited_by,
            "exit_code": self.exit_code,
            "signal": self.signal,
            "wall_seconds": round(self.wall_seconds, 6),
            "cpu_seconds": round(self.cpu_seconds, 6),
            "peak_memory": self.peak_memory,
            "output_bytes": self.output_bytes,
        }
