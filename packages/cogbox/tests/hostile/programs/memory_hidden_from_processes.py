"""Shared memory, written, then dropped from the page table with MADV_DONTNEED: it stays, and no process shows it."""

import mmap
import os
import time

from kit import done


def take(fd):
    held = []
    for _ in range(24):
        block = mmap.mmap(fd, 8 << 20)
        for at in range(0, len(block), 4096):
            block[at] = 1
        block.madvise(mmap.MADV_DONTNEED)
        held.append(block)
    time.sleep(0.3)
    print("ESCAPED holds 192 MiB")


for source in (lambda: -1, lambda: os.open("/dev/zero", os.O_RDWR)):
    try:
        take(source())
    except OSError as error:
        print("refused", error)
done()
