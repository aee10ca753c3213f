"""Redirect what policies print away from stdout, which is reserved for the command's data."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

__all__ = ["prints_to_stderr"]


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Redirect stdout to stderr, for Python code and for native code below it."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    sys.stdout.flush()
    with redirect_stdout(sys.stderr):
        try:
            saved = os.dup(1)
        except OSError:  # there is no stdout
            yield
            return
        try:
            os.dup2(2, 1)
            yield
        finally:
            sys.stderr.flush()
            os.dup2(saved, 1)
            os.close(saved)
