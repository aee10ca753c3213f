"""Starts threads until no more are to be had, and goes on trying."""

import contextlib
import threading
import time

threading.stack_size(65536)
while True:
    with contextlib.suppress(RuntimeError, MemoryError):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
