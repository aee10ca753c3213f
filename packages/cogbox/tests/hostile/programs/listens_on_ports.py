"""Opens a port for others on the machine to connect to."""

import socket
import time

from kit import TARGETS, done

held = []
for host in ("0.0.0.0", "127.0.0.1"):
    for port in (TARGETS["free"], 80, 22):
        try:
            held.append(socket.create_server((host, port)))
        except OSError as error:
            print("refused", error)
try:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0cogbox-hostile-listener")
    listener.listen()
except OSError as error:
    print("refused", error)
print("listening", flush=True)
time.sleep(0.3)
done()
