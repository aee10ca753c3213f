"""Logs that programs of the 0.1.26 contract post to `COGAME_LOG_URI`, one HTTP request per line or block of lines."""

LOG_PATH = "/_coworld/log"
"""path of the runner's own log route, which never reaches a game"""
LARGEST_POSTED_LOG = 10 << 20
"""bytes kept of one program; later requests are refused"""


class PostedLog:
    """The lines of one program, with a limit in bytes."""

    def __init__(self, most: int = LARGEST_POSTED_LOG) -> None:
        self._most = most
        self._lines = bytearray()
        self._refused = 0

    def add(self, text: bytes) -> bool:
        """Append text, with a line feed where it has none; return False when there is no room for it."""
        line = text if text.endswith(b"\n") else text + b"\n"
        if len(self._lines) + len(line) > self._most:
            self._refused += 1
            return False
        self._lines += line
        return True

    def data(self) -> bytes:
        """Return what was kept, and how many requests were refused; empty when nothing was posted."""
        if not self._refused:
            return bytes(self._lines)
        return bytes(self._lines) + f"[{self._refused} requests beyond {self._most} bytes are left out]\n".encode()


def log_uri(host: str, port: int) -> dict[str, str]:
    """Return the variable that names the log route, as a program reaches it; nothing without a way there."""
    return {"COGAME_LOG_URI": f"http://{host}:{port}{LOG_PATH}"} if port else {}
