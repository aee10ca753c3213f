"""POSIX and System V queues and semaphores: named things that outlive a process."""

import ctypes
import os

from kit import done, libc

for name in ("msgget", "semget"):
    made = getattr(libc, name)(0x77AA, 0o1666) if name == "msgget" else libc.semget(0x77AA, 1, 0o1666)
    print(name, "refused" if made < 0 else "made", ctypes.get_errno())
try:
    fd = os.open("/dev/mqueue/hostile", os.O_CREAT | os.O_RDWR, 0o666)
    os.close(fd)
except OSError as error:
    print("refused", error)
queue = libc.mq_open(b"/hostile", os.O_CREAT | os.O_RDWR, 0o666, None) if hasattr(libc, "mq_open") else -1
print("mq_open", "refused" if queue < 0 else "made")
done()
