"""Draw on a terminal, and restore it afterwards, however the program ends."""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import os
import select
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from mettagrid.terminal import _guard
from mettagrid.terminal._capture import Capture
from mettagrid.terminal.errors import TerminalLost

__all__ = ["Terminal", "is_terminal"]

# Alternate screen, hidden cursor, no auto-wrap, bracketed paste.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[0m\x1b[2J"
_LEAVE = "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[2J\x1b[?1049l"
_DEADLY = ("SIGTERM", "SIGHUP")


def is_terminal() -> bool:
    """Return whether stdin and stdout are a terminal with cursor control."""
    is_both = os.isatty(0) and os.isatty(1)
    return is_both and os.environ.get("TERM", "dumb") not in ("", "dumb")


class Terminal:
    """Standard input and output as a screen with keys. `enter` and `leave` may be called any number of times.

    Keys arrive one by one, without echo; Ctrl-C and Ctrl-Z remain signals, so that they work while a policy runs.
    Output that is printed in the meantime is captured and printed by `leave`. The terminal is restored when the process
    exits or gets a signal, and by a small guard process if it is killed. `on_resume` is called when the screen must be
    redrawn.
    """

    def __init__(self, on_resume: Callable[[], None]) -> None:
        self._on_resume = on_resume
        self._process = os.getpid()
        self._output = -1
        self._capture: Capture | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._before: list[Any] = []
        self._drawing: list[Any] = []
        self._handlers: dict[int, Any] = {}

    @property
    def is_up(self) -> bool:
        return self._output >= 0

    def enter(self) -> None:
        """Take over the screen."""
        if self.is_up:
            return
        self._process = os.getpid()
        self._before = termios.tcgetattr(0)
        self._drawing = _for_drawing(self._before)
        self._output = os.dup(1)
        self._capture = Capture()
        self._start_guard()
        atexit.register(self.leave)
        self._watch_signals()
        self._begin(self._drawing)
        self._capture.start()

    def leave(self) -> None:
        """Restore the screen and print the captured output."""
        if not self.is_up or os.getpid() != self._process:  # a forked copy must not restore it
            return
        self._end()
        output, self._output = self._output, -1
        os.close(output)
        if self._capture is not None:
            self._capture.stop()
            self._capture = None
        self._stop_guard()
        self._forget_signals()
        atexit.unregister(self.leave)

    def size(self) -> tuple[int, int]:
        """Return (columns, rows)."""
        try:
            columns, rows = os.get_terminal_size(self._output)
        except OSError:
            raise TerminalLost from None
        # A serial line reports size 0.
        return (columns, rows) if columns and rows else (80, 24)

    def printed(self) -> str:
        """Return the end of the output captured since `enter`."""
        return "" if self._capture is None else self._capture.tail()

    def write(self, text: str, encoding: str = "utf-8") -> None:
        """Write all of the text, however long the terminal takes. Raises TerminalLost if the terminal was closed."""
        data = text.encode(encoding, "replace")
        while data:
            try:
                data = data[os.write(self._output, data) :]
            except BlockingIOError:  # another process that shares the terminal made it non-blocking
                select.select([], [self._output], [], 1.0)
            except OSError:
                raise TerminalLost from None

    def read(self, seconds: float = 0.0) -> bytes:
        """Return the typed bytes, waiting at most `seconds`. Raises TerminalLost if the terminal was closed."""
        try:
            ready, _, _ = select.select([0], [], [], seconds)
            data = os.read(0, 4096) if ready else None
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno == errno.EINTR:
                return b""
            raise TerminalLost from None
        if data == b"":
            raise TerminalLost
        return data or b""

    def _begin(self, attributes: list[Any]) -> None:
        termios.tcsetattr(0, termios.TCSADRAIN, attributes)
        self.write(_ENTER)
        self._tell_guard(b"u")

    def _end(self) -> None:
        with contextlib.suppress(TerminalLost):
            self.write(_LEAVE)
        with contextlib.suppress(termios.error):
            # Unread keys were meant for the game, not for the shell.
            termios.tcsetattr(0, termios.TCSAFLUSH, self._before)
        self._tell_guard(b"d")

    def _start_guard(self) -> None:
        assert self._capture is not None
        settings = {"before": _guard.plain(self._before), "drawing": _guard.plain(self._drawing), "leave": _LEAVE}
        held = self._capture.fileno()
        command = [sys.executable, "-I", "-S", str(Path(_guard.__file__)), str(os.getpid()), str(held)]
        try:
            # Its own process group, so that killing this process's group does not kill the guard.
            self._guard = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=self._output,
                stderr=subprocess.DEVNULL,
                pass_fds=[held],
                process_group=0,
                bufsize=0,
            )
        except OSError:  # the guard is optional
            self._guard = None
        self._tell_guard(json.dumps(settings).encode() + b"\n")

    def _tell_guard(self, message: bytes) -> None:
        if self._guard is not None and self._guard.stdin is not None:
            with contextlib.suppress(OSError):
                self._guard.stdin.write(message)

    def _stop_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is None:
            return
        if guard.stdin is not None:
            with contextlib.suppress(OSError):
                guard.stdin.write(b"q")
                guard.stdin.close()
        try:
            guard.wait(timeout=5)
        except subprocess.TimeoutExpired:
            guard.kill()
            guard.wait()

    def _watch_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # the guard still watches
        for name in _DEADLY:
            if signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
                self._watch(getattr(signal, name), self._die)
        if signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL:
            self._watch(signal.SIGTSTP, self._suspend)
            self._watch(signal.SIGCONT, self._resume)

    def _watch(self, number: int, handler: Callable[[int, FrameType | None], None]) -> None:
        self._handlers[number] = signal.signal(number, handler)

    def _forget_signals(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            self._handlers = {}

    def _die(self, number: int, frame: FrameType | None) -> None:
        """Restore the terminal, then let the signal take its default effect."""
        self.leave()
        os.kill(os.getpid(), number)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-Z: restore the shell's screen, and take over again when the program is continued."""
        self._end()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # The program is suspended here until it is continued.
        signal.signal(signal.SIGTSTP, self._suspend)
        self._resume(number, frame)

    def _resume(self, number: int, frame: FrameType | None) -> None:
        """Redraw after the program is continued, because another program may have used the terminal."""
        if self.is_up:
            with contextlib.suppress(TerminalLost, termios.error):
                self._begin(self._drawing)
            self._on_resume()


def _for_drawing(attributes: list[Any]) -> list[Any]:
    """Return terminal settings for unbuffered raw input without echo; keys still send signals."""
    drawing = [*attributes[:6], [*attributes[6]]]
    drawing[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON | termios.ISTRIP)
    drawing[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    drawing[6][termios.VMIN] = 1
    drawing[6][termios.VTIME] = 0
    return drawing
