"""The result of a box."""

from dataclasses import dataclass, field
from enum import StrEnum

from cogbox.level import Level


class Verdict(StrEnum):
    """How a box ended. The first four are caused by the program, the next four by limits."""

    OK = "ok"
    """exited with code 0"""
    EXIT_CODE = "exit_code"
    """exited with another code"""
    SIGNAL = "signal"
    """killed by a signal that the guard did not send"""
    PROTOCOL = "protocol"
    """violated its protocol; reported by the caller through `Box.end`"""
    OUT_OF_MEMORY = "out_of_memory"
    """used more memory than `Limits.memory`"""
    TOO_MANY_PROCESSES = "too_many_processes"
    """tried to start more processes or threads than `Limits.processes`"""
    TIME = "time"
    """took longer than `Limits.wall_seconds`, or more processor time than `Limits.cpu_seconds`"""
    OUTPUT = "output"
    """wrote more than its limit: to its output, to one file, or to its folder"""
    KILLED = "killed"
    """ended by the caller; not the program's fault"""
    START_FAILURE = "start_failure"
    """never ran: the box or the program could not be started"""
    INTERNAL_ERROR = "internal_error"
    """lost its guard: a fault of the machine or of this package, not of the program"""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a box: verdict, detail, usage, output, and its actual isolation."""

    verdict: Verdict
    detail: str
    """the verdict in one sentence"""
    level: Level
    """the level that the self-test proved on this machine, not the requested one"""
    limited_by: str
    """what limited memory and processes: `cgroup v1`, `cgroup v2`, `rlimits`, or two of them"""
    exit_code: int | None = None
    signal: int | None = None
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    """bytes; sampled if there is no control group"""
    output_bytes: int = 0
    """bytes written to both streams, including those that were dropped"""
    stdout: bytes = b""
    stderr: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    """the files of `collect` that exist"""

    @property
    def ok(self) -> bool:
        return self.verdict is Verdict.OK

    def as_dict(self) -> dict[str, object]:
        """Return everything except the output and the collected files, for a receipt."""
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
