"""Pairs of Unix sockets with full buffers, in several processes."""

import os
import socket
import time

from kit import done

for _ in range(3):
    if os.fork() == 0:
        break
held = []
try:
    while True:
        pair = socket.socketpair()
        held.append(pair)
        for end in pair:
            end.setblocking(False)
            try:
                while True:
                    end.send(b"x" * 4096)
            except BlockingIOError:
                pass
except OSError as error:
    print("refused", error)
time.sleep(0.3)
done()
