"""The box behind a served policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mettagrid.runner.boxed.logs import MAX_LOG_BYTES, Hidden, last_words, truncated_log
from mettagrid.runner.episode.errors import MachineFault
from mettagrid.runner.episode.faults import disk_is_full

if TYPE_CHECKING:
    import cogbox
    from mettagrid.runner.episode.outcome import VerdictStatus

__all__ = ["BoxProcess"]


class BoxProcess:
    """A `PolicyProcess`: reports why the policy ended, stores its output, cleans up."""

    #: Seconds to wait for the exit status of a process whose connection has just ended.
    VERDICT_SECONDS = 5.0

    def __init__(
        self,
        box: cogbox.Box,
        log_path: str | None,
        *,
        hidden: Hidden | None = None,
        log_bytes: int = MAX_LOG_BYTES,
        echo: bool = False,
    ) -> None:
        self._box = box
        self._log_path = log_path
        self._log_bytes = log_bytes
        self._echo = echo
        self._last_output = ""  # displayed elsewhere
        self._hidden = hidden or Hidden()
        self.isolation: str = box.level.value
        """the verified isolation level of its box"""

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

    def hide(self, text: str) -> str:
        return self._hidden.strike_text(text)

    def last_words(self) -> str:
        """End the box; return the traceback of the policy, or its last lines of output."""
        self._box.end()
        self._box.wait()
        self._last_output = last_words(self._box.stdout_path, self._hidden)
        return self._last_output

    def close(self) -> None:
        try:
            self._box.end()
            self._box.wait()
            # Standard error is the same stream, except for output before the server starts.
            streams = (self._box.stdout_path, self._box.stderr_path)
            if self._log_path is not None:
                with Path(self._log_path).open("ab") as log:
                    log.writelines(truncated_log(stream, self._hidden, self._log_bytes) for stream in streams)
            if self._echo:
                for stream in streams:
                    text = truncated_log(stream, self._hidden, self._log_bytes).decode(errors="replace")
                    sys.stderr.write(text.replace(self._last_output, "") if self._last_output else text)
        finally:
            self._box.close()

    @property
    def result(self) -> cogbox.Result | None:
        """The result of the box, once it has ended."""
        return self._box.poll()
