"""Holds as many connections through its link as it can, half of them half closed, and never ends."""

import socket
import time

from kit import TARGETS

held = []
try:
    while len(held) < 100:
        held.append(socket.create_connection(("127.0.0.1", TARGETS["link_port"]), timeout=5))
        held[-1].sendall(b"x" * 1000)
        if len(held) % 2:
            held[-1].shutdown(socket.SHUT_WR)
except OSError as error:
    print("refused", error, flush=True)
while True:
    time.sleep(600)
