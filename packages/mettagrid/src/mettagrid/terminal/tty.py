"""A terminal that is drawn on, and that is as it was before when that ends, in whatever way."""

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

# The other screen, no cursor, no wrapping at the edge, pasted text in brackets.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[0m\x1b[2J"
_LEAVE = "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[2J\x1b[?1049l"
_DEADLY = ("SIGTERM", "SIGHUP")


def is_terminal() -> bool:
    """Whether a person sees what is written and can answer: both ends are a terminal that knows more than lines."""
    is_both = os.isatty(0) and os.isatty(1)
    return is_both and os.environ.get("TERM", "dumb") not in ("", "dumb")


class Terminal:
    """Standard input and output as a screen with keys. `enter` and `leave` may be called any number of times.

    Keys come one by one, without echo; Ctrl-C and Ctrl-Z are still signals, so that they work while a policy thinks.
    What anybody prints meanwhile is kept and told by `leave`. The terminal is put right when the process ends by itself
    or is asked to end, and by a small process beside it also when it is killed. `on_resume` is called when the screen
    has to be drawn anew.
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
        """Take the screen."""
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
        """Give the screen back and tell what was printed meanwhile."""
        if not self.is_up or os.getpid() != self._process:  # a copy made by forking has no say
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
        """(columns, rows)"""
        try:
            columns, rows = os.get_terminal_size(self._output)
        except OSError:
            raise TerminalLost from None
        # A line over a serial cable knows no size and says 0.
        return (columns, rows) if columns and rows else (80, 24)

    def printed(self) -> str:
        """The end of what others printed since `enter`."""
        return "" if self._capture is None else self._capture.tail()

    def write(self, text: str, encoding: str = "utf-8") -> None:
        """All of it, however long the terminal takes. TerminalLost when there is nobody to read it."""
        data = text.encode(encoding, "replace")
        while data:
            try:
                data = data[os.write(self._output, data) :]
            except BlockingIOError:  # somebody who shares the terminal wants it so
                select.select([], [self._output], [], 1.0)
            except OSError:
                raise TerminalLost from None

    def read(self, seconds: float = 0.0) -> bytes:
        """What was typed, waiting at most so long for it. TerminalLost when nothing can come any more."""
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
            # Keys that were not looked at were meant for the game and not for the shell.
            termios.tcsetattr(0, termios.TCSAFLUSH, self._before)
        self._tell_guard(b"d")

    def _start_guard(self) -> None:
        assert self._capture is not None
        settings = {"before": _guard.plain(self._before), "drawing": _guard.plain(self._drawing), "leave": _LEAVE}
        held = self._capture.fileno()
        command = [sys.executable, "-I", "-S", str(Path(_guard.__file__)), str(os.getpid()), str(held)]
        try:
            # A group of its own, so that whoever kills this one's group does not kill it too.
            self._guard = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=self._output,
                stderr=subprocess.DEVNULL,
                pass_fds=[held],
                process_group=0,
                bufsize=0,
            )
        except OSError:  # the rest works without it
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
        """Put the terminal right, then let the signal do what it would have done."""
        self.leave()
        os.kill(os.getpid(), number)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the shell gets its screen, and this one comes back when the program does."""
        self._end()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # Here the program stands until it is continued.
        signal.signal(signal.SIGTSTP, self._suspend)
        self._resume(number, frame)

    def _resume(self, number: int, frame: FrameType | None) -> None:
        """Somebody else may have used the terminal since."""
        if self.is_up:
            with contextlib.suppress(TerminalLost, termios.error):
                self._begin(self._drawing)
            self._on_resume()


def _for_drawing(attributes: list[Any]) -> list[Any]:
    """Keys one by one and without echo, bytes as they are; signals by keys stay."""
    drawing = [*attributes[:6], [*attributes[6]]]
    drawing[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON | termios.ISTRIP)
    drawing[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    drawing[6][termios.VMIN] = 1
    drawing[6][termios.VTIME] = 0
    return drawing
