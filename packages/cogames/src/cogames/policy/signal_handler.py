"""Compatibility names for handling Ctrl+C while a policy trains or plays."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

__all__ = ["DeferSigintContextManager", "SignalHandler"]

SignalHandler = Callable[[int, FrameType | None], Any] | int | signal.Handlers | None


class DeferSigintContextManager:
    """Take over SIGINT inside a `with` block and pass it on to the previous handler when the block ends.

    The first SIGINT raises `KeyboardInterrupt` in the block, so that the block can clean up; the previous handler
    runs when the block ends. A second SIGINT restores the previous handler and calls it at once. Outside the main
    thread, where Python allows no signal handlers, the block changes nothing.
    """

    def __init__(self) -> None:
        self.sigint_count = 0
        self._previous: SignalHandler = None
        self._is_bound = False

    def __enter__(self) -> DeferSigintContextManager:
        self.sigint_count = 0
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self.handle)
            self._is_bound = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_bound:
            self._restore()
            if self.sigint_count:
                self._forward()

    def handle(self, sig: int, frame: FrameType | None) -> None:
        """Count the signal; raise `KeyboardInterrupt` for the first one, forward later ones."""
        self.sigint_count += 1
        if self.sigint_count == 1:
            raise KeyboardInterrupt
        if self._is_bound:
            self._restore()
        self._forward()

    def _restore(self) -> None:
        # `signal.signal` returns None for a handler that C code installed; Python cannot put that one back.
        signal.signal(signal.SIGINT, signal.SIG_DFL if self._previous is None else self._previous)
        self._is_bound = False

    def _forward(self) -> None:
        if callable(self._previous):
            self._previous(signal.SIGINT, None)
        elif self._previous != signal.SIG_IGN:
            signal.raise_signal(signal.SIGINT)
