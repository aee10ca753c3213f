"""Starts threads up to the limit, and continues to try."""

import contextlib
import threading
import time

threading.stack_size(65536)
while True:
    with contextlib.suppress(RuntimeError, MemoryError):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
