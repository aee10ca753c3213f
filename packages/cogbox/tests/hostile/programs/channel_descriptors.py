"""Sends descriptors beside its bytes, hundreds of them: the other side must not collect them."""

import os
import socket
import time

channel = socket.socket(fileno=int(os.environ["COGBOX_CHANNEL_FD"]))
sent = 0
try:
    for _ in range(50):
        fds = [os.open("/", os.O_RDONLY) for _ in range(20)]
        socket.send_fds(channel, [b"hello\n"], fds)
        for fd in fds:
            os.close(fd)
        sent += len(fds)
except OSError:
    pass
channel.sendall(b"bye\n")
time.sleep(0.1)
