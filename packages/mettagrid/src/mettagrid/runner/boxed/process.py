"""The box behind a served policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mettagrid.runner.episode.errors import MachineFault
from mettagrid.runner.episode.faults import disk_is_full

if TYPE_CHECKING:
    import cogbox
    from mettagrid.runner.episode.outcome import VerdictStatus

__all__ = ["BoxProcess"]


class BoxProcess:
    """A `PolicyProcess`: tells why the policy is gone, keeps its output, cleans up."""

    #: How long to wait for the verdict on a process whose connection has just ended.
    VERDICT_SECONDS = 5.0

    def __init__(self, box: cogbox.Box, log_path: str | None) -> None:
        self._box = box
        self._log_path = log_path
        self.isolation: str = box.level.value
        """the level that its box was proved to hold"""

    def why_ended(self) -> tuple[VerdictStatus, str] | None:
        import cogbox

        try:
            result = self._box.wait(self.VERDICT_SECONDS)
        except TimeoutError:
            return None
        if result.verdict in (cogbox.Verdict.START_FAILURE, cogbox.Verdict.INTERNAL_ERROR):
            raise MachineFault(f"A box of the sandbox failed: it {result.detail}")
        if result.verdict is cogbox.Verdict.OK:
            return "crashed", "left in the middle of the episode"
        if result.verdict is cogbox.Verdict.EXIT_CODE:
            return "crashed", f"its process {result.detail}"
        return "killed", f"its process {result.detail}"

    def machine_fault(self) -> str | None:
        return "its disk is full" if disk_is_full(self._box.work) else None

    def close(self) -> None:
        try:
            self._box.end()
            self._box.wait()
            if self._log_path is not None:
                with open(self._log_path, "ab") as log:
                    log.write(self._box.stdout_path.read_bytes() + self._box.stderr_path.read_bytes())
        finally:
            self._box.close()

    @property
    def result(self) -> cogbox.Result | None:
        """How the box ended, once it has."""
        return self._box.poll()
