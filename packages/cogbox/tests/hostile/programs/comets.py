"""Processes that fork and end at once, for ever: whoever kills by number always comes too late.

A tiny program of its own (machine code), so that a generation takes microseconds.
"""

import contextlib
import os
import platform
import struct
import sys
import time

from kit import TMP, done

# again: fork; in the child: again; on failure: again; in the parent: exit(0)
CODE = bytes.fromhex("b839000000 0f05 85c0 74f5 7809 31ff b83c000000 0f05 ebe8")
BASE, HEADERS = 0x400000, 120

if platform.machine() == "x86_64":
    words = (2, 62, 1, BASE + HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", *words)
    size = HEADERS + len(CODE)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, size, size, 4096)
    path = os.path.join(TMP, "comet")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o755)  # its mode now: changing one by path may be refused
    os.write(fd, head + segment + CODE)
    os.close(fd)
    command = [path]
else:
    command = [sys.executable, "-S", "-E", "-c", "import os\nwhile os.fork() == 0: pass"]
for _ in range(4):
    with contextlib.suppress(BlockingIOError):  # those that fly already may have taken every place
        if os.fork() == 0:
            os.execv(command[0], command)
time.sleep(0.2)
done()
