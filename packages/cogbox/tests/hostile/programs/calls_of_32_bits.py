"""System calls of the 32-bit kind (int 0x80): other numbers, so a filter that looks at numbers alone is passed by."""

import ctypes
import mmap
import platform

from kit import done

if platform.machine() == "x86_64":
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)  # 7: read, write, run
    code.write(bytes.fromhex("b814000000cd80c3"))
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    print("ESCAPED", ctypes.CFUNCTYPE(ctypes.c_int)(place)(), flush=True)
else:
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSYS)  # there is no such thing: nothing to show
done()
