"""The programs of an episode while they run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from coworld.engines.base import Exit, Running
from coworld.runner.failures import RunnerEpisodeError, RunnerErrorType
from coworld.runner.gate import SeatGate
from coworld.runner.io import PlayerRuntimeStatus

PLATFORM_CAUSES: Mapping[str, RunnerErrorType] = {
    "unplaced": "player_never_started",
    "lost": "node_disruption",
    "unreachable": "platform_error",
}
"""failures for which neither the game nor a player is to blame, by `Exit.cause`"""
TEMPORARY_EXIT = 75
"""by convention: the program could not start now; a retry may work"""


class Watched:
    """A running program whose end several tasks can await."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.ended: asyncio.Task[Exit] = asyncio.create_task(self._finish())
        self.finished_at: datetime | None = None

    async def _finish(self) -> Exit:
        ended = await self.running.finished()
        self.finished_at = datetime.now(UTC)
        return ended

    @property
    def exit(self) -> Exit | None:
        """Return how it ended, or None while it runs."""
        if self.ended.done() and not self.ended.cancelled():
            return self.ended.result()
        return self.running.poll()

    def has_ended(self) -> bool:
        return self.exit is not None

    async def exited_within(self, seconds: float) -> bool:
        await asyncio.wait({self.ended}, timeout=seconds)
        return self.ended.done()


async def end_all(programs: Sequence[Watched]) -> None:
    """End programs together; when this returns none of them runs."""
    for program in programs:
        program.running.end()
    if programs:
        await asyncio.wait([program.ended for program in programs])


@dataclass
class Seat:
    """One slot and the program in it; None for a seat that is left to a person, or not filled yet."""

    slot: int
    program: Watched | None = None
    gate: SeatGate | None = None
    """the program's connection to the game"""
    note: str | None = field(default=None)

    @property
    def exit(self) -> Exit | None:
        return self.program.exit if self.program else None

    @property
    def crashed(self) -> bool:
        """Return whether it ended by itself, and badly."""
        ended = self.exit
        return ended is not None and not ended.clean and not ended.stopped

    @property
    def never_played(self) -> bool:
        """Return whether its end says nothing about how it plays: it could not start, or its machine was lost."""
        ended = self.exit
        return ended is not None and (ended.cause != "program" or ended.code == TEMPORARY_EXIT)

    def failure(self, log_summary: str = "") -> RunnerEpisodeError:
        """Return the error for how it ended."""
        ended = self.exit
        if ended is not None and ended.code == TEMPORARY_EXIT:
            return RunnerEpisodeError(
                f"the player of slot {self.slot} could not start now (exit code {TEMPORARY_EXIT})",
                error_type="player_never_started",
            )
        reason = ended.reason if ended else "did not start"
        if ended is not None and ended.cause in PLATFORM_CAUSES:
            return RunnerEpisodeError(
                f"the player of slot {self.slot} {reason}", error_type=PLATFORM_CAUSES[ended.cause]
            )
        return RunnerEpisodeError(
            f"the player of slot {self.slot} {reason}{log_summary}",
            error_type="player_error",
            failed_policy_index=self.slot,
        )

    def status(self) -> PlayerRuntimeStatus:
        if self.program is None:
            return PlayerRuntimeStatus(slot=self.slot, state="not_started", reason=self.note)
        ended = self.exit
        if ended is None or ended.stopped:
            return PlayerRuntimeStatus(slot=self.slot, state="running", reason=self.note or "ended by the runner")
        return PlayerRuntimeStatus(
            slot=self.slot,
            state="exited",
            exit_code=ended.code,
            reason=None if ended.clean else ended.reason,
            finished_at=self.program.finished_at or datetime.now(UTC),
        )
