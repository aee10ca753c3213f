"""Not hostile: the box beside, with a secret in its folder, its /tmp, its memory, its environment, and open ears."""

import os
import signal
import socket
import time

from kit import TMP

signal.signal(signal.SIGUSR1, lambda *_: print("signalled", flush=True))
secret = os.environ["NEIGHBOUR_SECRET"]
for path in ("secret", os.path.join(TMP, "neighbour-secret"), "/dev/shm/neighbour-secret"):
    try:
        with open(path, "w") as file:
            file.write(secret)
    except OSError:
        pass
listener = None
try:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0cogbox-neighbour")
    listener.listen()
    port = socket.create_server(("127.0.0.1", 47811))
except OSError:
    pass
print("ready", flush=True)
while True:
    time.sleep(600)
