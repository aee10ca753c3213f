"""vmsplice: one small piece of each huge page goes into a pipe, and keeps all of it alive when the page is unmapped."""

import ctypes
import mmap
import os
import time

from kit import call, done, libc

HUGE, MADV_HUGEPAGE = 2 << 20, 14
libc.mmap.restype = ctypes.c_void_p
held = []


def pin(count):
    for _ in range(count):
        place = libc.mmap(
            None, ctypes.c_size_t(2 * HUGE), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0)
        )
        start = (place + HUGE - 1) // HUGE * HUGE
        libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(HUGE), MADV_HUGEPAGE)
        ctypes.memset(start, 1, HUGE)
        if not held or len(held[-1]) == 16 + 2:
            held.append(list(os.pipe()))
        vector = (ctypes.c_size_t * 2)(start, 4096)
        call("vmsplice", held[-1][1], vector, 1, 0)
        held[-1].append(start)
        libc.munmap(ctypes.c_void_p(place), ctypes.c_size_t(2 * HUGE))


try:
    pin(120)
    time.sleep(0.3)
    print("ESCAPED may hold 240 MiB")
except OSError as error:
    print("refused", error)
done()
