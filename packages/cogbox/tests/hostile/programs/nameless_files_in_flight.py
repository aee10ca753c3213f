"""Files without a name, sent over a socket and never received: no process has them."""

import os
import socket
import time

from kit import done

left, right = socket.socketpair()
for index in range(8):
    fd = os.open(f"file-{index}", os.O_RDWR | os.O_CREAT, 0o600)
    os.unlink(f"file-{index}")
    os.write(fd, b"x" * (6 << 20))
    socket.send_fds(left, [b"x"], [fd])
    os.close(fd)
time.sleep(0.8)
print("holds 48 MiB")
done()
