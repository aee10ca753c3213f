"""Files without a name, of a process that may not be looked at (PR_SET_DUMPABLE 0)."""

import os
import time

from kit import done, libc

PR_SET_DUMPABLE = 4

libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
held = []
for index in range(8):
    fd = os.open(f"file-{index}", os.O_RDWR | os.O_CREAT, 0o600)
    os.unlink(f"file-{index}")
    os.write(fd, b"x" * (6 << 20))
    held.append(fd)
time.sleep(0.8)
print("ESCAPED holds 48 MiB")
done()
