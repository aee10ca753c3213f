"""The secret in the environment of whoever started the box."""

import ctypes
import os

from kit import done, libc, read, show

print(sorted(os.environ.items()))
for process in ("self", str(os.getppid()), "1"):
    show(process, lambda process=process: read(f"/proc/{process}/environ"))
libc.getenv.restype = ctypes.c_char_p
print(libc.getenv(b"HOSTILE_SECRET"))
done()
