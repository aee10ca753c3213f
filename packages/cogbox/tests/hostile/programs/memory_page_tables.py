"""Reads one byte per 2 MiB of an enormous empty mapping: each costs a page of the kernel's, none of its own."""

import ctypes
import time

from kit import done, libc

COUNT, STEP = 50_000, 2 << 20
PROT_READ, MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE, MADV_NOHUGEPAGE = 1, 2, 0x20, 0x4000, 15

libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
start = libc.mmap(None, COUNT * STEP, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
if start in (None, ctypes.c_void_p(-1).value):
    print("refused")
else:
    libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(COUNT * STEP), MADV_NOHUGEPAGE)
    for index in range(COUNT):
        ctypes.c_char.from_address(start + index * STEP).value  # noqa: B018
    time.sleep(0.3)
    print("ESCAPED holds 195 MiB")
done()
