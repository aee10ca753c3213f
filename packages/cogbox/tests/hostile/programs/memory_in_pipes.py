"""Pipes made as large as they may be, filled, and never read."""

import contextlib
import fcntl
import os
import time

from kit import done

F_SETPIPE_SZ = 1031
held, total = [], 0
try:
    while True:
        ends = os.pipe()
        held.append(ends)
        with contextlib.suppress(OSError):
            fcntl.fcntl(ends[1], F_SETPIPE_SZ, 1 << 20)
        os.set_blocking(ends[1], False)
        try:
            while True:
                total += os.write(ends[1], b"x" * 65536)
        except BlockingIOError:
            pass
except OSError as error:
    print("refused", error, total >> 20, "MiB")
time.sleep(0.2)
done()
