"""How long the parts of an episode took, as runners in clusters record it. Field names are the published ones.

Offsets are nanoseconds since `clock` of the process that measured them, on its monotonic clock.
"""

from __future__ import annotations

import time
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

__all__ = [
    "PHASE_ARTIFACT_UPLOAD",
    "PHASE_FIRST_STEP",
    "PHASE_GAMEPLAY",
    "PHASE_GAME_BOOT",
    "PHASE_PLAYER_LAUNCH",
    "EpisodePhaseTimings",
    "PlayerFileStageTiming",
    "PlayerStartupTiming",
    "ProcessTimings",
    "TimingClock",
    "TimingInterval",
    "TimingOperation",
]

PHASE_GAME_BOOT, PHASE_PLAYER_LAUNCH, PHASE_FIRST_STEP = "game_boot", "player_launch", "first_step"
PHASE_GAMEPLAY, PHASE_ARTIFACT_UPLOAD = "gameplay", "artifact_upload"
PHASES = (PHASE_GAME_BOOT, PHASE_PLAYER_LAUNCH, PHASE_FIRST_STEP, PHASE_GAMEPLAY, PHASE_ARTIFACT_UPLOAD)

TimingOperation = Literal[
    "imports",
    "bootstrap",
    "spec_fetch",
    "spec_validate",
    "config_write",
    "player_files",
    "setup",
    "health_wait",
    "player_launch",
    "viewer_wait",
    "player_startup_wait",
    "artifact_wait",
    "results_validate",
    "players_complete",
    "logs_collect",
    "children_delete",
    "artifact_server_shutdown",
    "artifact_upload",
]

_LARGEST = 2**63 - 1
Count = Annotated[int, Field(ge=0, le=_LARGEST)]
Offset = Annotated[int, Field(ge=-_LARGEST, le=_LARGEST)]


class TimingClock(BaseModel):
    """One moment on the wall clock and on the monotonic clock, which differ by at most `uncertainty_ns`."""

    wall_ns: Annotated[int, Field(gt=0, le=_LARGEST)]
    monotonic_ns: Count
    uncertainty_ns: Count

    @classmethod
    def capture(cls) -> Self:
        """Read both clocks now."""
        first = time.monotonic_ns()
        wall = time.time_ns()
        second = time.monotonic_ns()
        return cls(wall_ns=wall, monotonic_ns=first + (second - first) // 2, uncertainty_ns=second - first)


class TimingInterval(BaseModel):
    """From one offset to another."""

    start_ns: Offset
    end_ns: Offset

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        if self.start_ns > self.end_ns:
            raise ValueError(f"the interval ends at {self.end_ns}, before its start at {self.start_ns}")
        return self

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) * 1e-9


class PlayerStartupTiming(BaseModel):
    """When a player's pod was created and seen to run."""

    pod_uid: Annotated[str, Field(min_length=1, max_length=128)]
    create: TimingInterval | None = None
    container_started_wall_ns: Offset | None = None
    observed_offset_ns: Offset | None = None
    outcome: Literal["started", "dead"] | None = None

    @model_validator(mode="after")
    def _was_created_first(self) -> Self:
        seen, created = self.observed_offset_ns, self.create
        if seen is not None and created is not None and seen < created.end_ns:
            raise ValueError(f"the player was seen at {seen}, before its pod was created at {created.end_ns}")
        return self


class ProcessTimings(BaseModel):
    """The operations of one process."""

    clock: TimingClock
    final_clock: TimingClock | None = None
    intervals: Annotated[dict[TimingOperation, TimingInterval], Field(max_length=32)] = {}
    players: Annotated[dict[int, PlayerStartupTiming], Field(max_length=1024)] = {}
    game_container_started_wall_ns: Offset | None = None
    process_birth_offset_ns: Offset | None = None
    process_birth_resolution_ns: Annotated[int, Field(gt=0, le=_LARGEST)] | None = None
    spec_bytes: Count | None = None
    spec_scheme: Annotated[str, Field(max_length=16)] | None = None

    def record(self, operation: TimingOperation, start_ns: int, end_ns: int | None = None) -> float:
        """Record an operation by moments of `time.monotonic_ns`, until now by default; return its seconds."""
        end = time.monotonic_ns() if end_ns is None else end_ns
        zero = self.clock.monotonic_ns
        self.intervals[operation] = interval = TimingInterval(start_ns=start_ns - zero, end_ns=end - zero)
        return interval.seconds


class PlayerFileStageTiming(BaseModel):
    """How long the files of players took to arrive."""

    stage_s: Annotated[float, Field(ge=0)]
    count: Count
    bytes_total: Count
    cache_hits: Count = 0
    cache_misses: Count = 0
    download_bytes: Count | None = None


class EpisodePhaseTimings(BaseModel):
    """The phases of an episode, in seconds, and the operations of the processes that ran it."""

    worker: ProcessTimings | None = None
    init: ProcessTimings | None = None
    game_boot_s: float | None = None
    player_launch_s: float | None = None
    first_step_s: float | None = None
    gameplay_s: float | None = None
    artifact_upload_s: float | None = None
    player_file_stage: PlayerFileStageTiming | None = None
    slot_log_missing_count: Count | None = None
    player_status_invalid_count: Count | None = None
    player_artifact_oversize_count: Count | None = None

    def phase_seconds(self) -> dict[str, float]:
        """Return the seconds of the phases that were measured."""
        measured = {phase: getattr(self, f"{phase}_s") for phase in PHASES}
        return {phase: seconds for phase, seconds in measured.items() if seconds is not None}
