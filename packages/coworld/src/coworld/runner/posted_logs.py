"""Logs that programs of the 0.1.26 contract post to `COGAME_LOG_URI`, one HTTP request per line or block of lines."""

import tempfile

LOG_PATH = "/_coworld/log"
"""path of the runner's own log route, which never reaches a game"""
LARGEST_POSTED_LOG = 10 << 20
"""the most bytes per program; later requests are refused"""
IN_MEMORY = 64 << 10
"""bytes of one program that stay in memory; more goes to a temporary file"""


class PostedLog:
    """The lines of one program, with a limit in bytes."""

    def __init__(self, max_bytes: int = LARGEST_POSTED_LOG) -> None:
        self._max_bytes = max_bytes
        self._lines = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  (`close` closes it)
        self._bytes = self._refused = 0

    def add(self, text: bytes) -> bool:
        """Append text, with a line feed where it has none; return False when there is no room for it."""
        line = text if text.endswith(b"\n") else text + b"\n"
        if self._bytes + len(line) > self._max_bytes:
            self._refused += 1
            return False
        self._bytes += self._lines.write(line)
        return True

    def data(self) -> bytes:
        """Return what was kept, and how many requests were refused; empty when nothing was posted."""
        self._lines.seek(0)
        lines = self._lines.read()
        if not self._refused:
            return lines
        return lines + f"[{self._refused} requests beyond {self._max_bytes} bytes are left out]\n".encode()

    def close(self) -> None:
        """Delete what was kept."""
        self._lines.close()


def log_uri(host: str, port: int) -> dict[str, str]:
    """Return the variable that names the log route, as a program reaches it; nothing without a way there."""
    return {"COGAME_LOG_URI": f"http://{host}:{port}{LOG_PATH}"} if port else {}
