"""Store a boxed policy's output: its beginning and its end, without secrets and local paths."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from mettagrid.runner.author_traceback import OURS

__all__ = ["Hidden", "last_words", "truncated_log"]

MAX_LOG_BYTES = 1 << 20
LAST_WORDS_BYTES = 4000
# Shorter values are common words, such as `true`.
_SHORTEST_SECRET = 6
_WORDS_BEFORE = (b"The policy failed", b"Fatal Python error:", b"Timeout (")
_LAST_LINES = 10
# Dumps of native crashes and hangs list all frames and modules, most of which are irrelevant.
_NOT_THE_AUTHORS = re.compile(
    rf' *File "(<frozen|(\S*/)?site-packages/({"|".join(sorted(OURS))})/).*|Extension modules: .*'
)


class Hidden:
    """Texts to remove from a log, and their replacements; the first replacement of a text wins."""

    def __init__(self, texts: Iterable[tuple[str, str]] = ()) -> None:
        pairs: dict[bytes, bytes] = {}
        for text, replacement in texts:
            if text:
                pairs.setdefault(text.encode(errors="surrogateescape"), replacement.encode())
        self._pairs = sorted(pairs.items(), key=lambda pair: len(pair[0]), reverse=True)

    @classmethod
    def of_box(cls, bundle: Sequence[str] = (), work: Path | None = None, secrets: Iterable[str] = ()) -> Hidden:
        """Hide the values of secrets and the local folders of the bundle, the box, Python, packages and the user."""
        texts = [(value, "[secret]") for value in secrets if len(value) >= _SHORTEST_SECRET]
        for number, folder in enumerate(bundle):
            texts += _folder(folder, "bundle" if number == 0 else f"bundle-{number}")
        if work is not None:
            texts += [*_folder(str(work), "box"), *_folder(str(work.parent), "box-files")]
        paths = sysconfig.get_paths()
        texts += [(paths[name], "site-packages") for name in ("purelib", "platlib")]
        texts += [(paths["stdlib"], Path(paths["stdlib"]).name)]
        texts += [(entry, "site-packages") for entry in sys.path if len(entry) > 1]
        texts += [(str(Path(__file__).parents[3]), "site-packages")]
        texts += [(prefix, "python") for prefix in (sys.prefix, sys.base_prefix) if prefix not in ("/", "/usr")]
        texts += _folder(tempfile.gettempdir(), "tmp") if len(tempfile.gettempdir()) > len("/tmp") else []
        home = os.path.expanduser("~")
        texts += _folder(home, "home") if len(home) > 1 else []
        return cls((text, replacement) for text, replacement in texts if text not in ("/usr", "/usr/lib", "/usr/local"))

    @property
    def longest(self) -> int:
        return max((len(text) for text, _ in self._pairs), default=0)

    def strike(self, content: bytes) -> bytes:
        """Return the content with every hidden text replaced."""
        for text, replacement in self._pairs:
            if text in content:
                content = content.replace(text, replacement)
        return content

    def strike_text(self, text: str) -> str:
        return self.strike(text.encode(errors="replace")).decode(errors="replace")


def truncated_log(path: Path, hidden: Hidden, max_bytes: int = MAX_LOG_BYTES) -> bytes:
    """Return the beginning and the end of a log, at most about `max_bytes` bytes, with the omitted size between them.

    A hidden text is removed even if the log was cut in the middle of it.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if size <= max_bytes:
                return hidden.strike(file.read())
            half, margin = max_bytes // 2, hidden.longest
            head = hidden.strike(file.read(half + margin))
            file.seek(size - half - margin)
            tail = hidden.strike(file.read())
    except OSError:
        return b""
    head = _to_line_end(head[: len(head) - margin][:half])
    tail = tail[margin:][-half:]
    left_out = size - len(head) - len(tail)
    return head + f"\n[... {left_out} bytes were left out here ...]\n".encode() + tail


def last_words(path: Path, hidden: Hidden) -> str:
    """Return the traceback of a failed policy, or the last lines of its output."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 16 * LAST_WORDS_BYTES))
            content = hidden.strike(file.read())
    except OSError:
        return ""
    begins = max(content.rfind(words) for words in _WORDS_BEFORE)
    if begins < 0:
        content = b"\n".join(content.rstrip().split(b"\n")[-_LAST_LINES:])
        begins = 0
    lines = content[begins:].decode(errors="replace").splitlines()
    text = "\n".join(line for line in lines if not _NOT_THE_AUTHORS.fullmatch(line)).strip()
    return text if len(text) <= LAST_WORDS_BYTES else f"...\n{text[-LAST_WORDS_BYTES:]}"


def _to_line_end(content: bytes) -> bytes:
    """Remove a truncated line, unless it is the only one."""
    end = content.rfind(b"\n")
    return content[: end + 1] if end > 0 else content


def _folder(path: str, replacement: str) -> list[tuple[str, str]]:
    """Return the replacements of a folder under all its names."""
    return [(name, replacement) for name in dict.fromkeys((path, os.path.realpath(path)))]
