"""Requests for hosts with enormous names: every refusal is logged, and the log is on the machine's disk."""

import os
import socket
import time
from urllib.parse import urlsplit

from kit import done

proxy = urlsplit(os.environ["HTTP_PROXY"])
until = time.monotonic() + 0.8
while time.monotonic() < until:
    try:
        with socket.create_connection((proxy.hostname, proxy.port), timeout=5) as end:
            end.sendall(b"GET http://" + b"a" * 60000 + b".example/ HTTP/1.1\r\n\r\n")
            end.recv(100)
    except OSError:
        pass
done()
