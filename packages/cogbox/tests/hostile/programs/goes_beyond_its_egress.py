"""A grant for one host. Asks the proxy for others: by CONNECT, user names, other ports, a second request, odd forms."""

import os
import socket
from urllib.parse import urlsplit

from kit import TARGETS, done

proxy = urlsplit(os.environ["HTTP_PROXY"])
good, bad = TARGETS["granted"], TARGETS["tcp"]


def ask(request):
    try:
        with socket.create_connection((proxy.hostname, proxy.port), timeout=10) as end:
            end.sendall(request)
            end.shutdown(socket.SHUT_WR)
            got = b""
            while block := end.recv(65536):
                got += block
                if len(got) > 100_000:
                    break
            return got
    except OSError as error:
        return f"refused {error}".encode()


def line(text):
    return f"{text}\r\nHost: 127.0.0.1:{good}\r\nConnection: close\r\n\r\n".encode()


print("granted", ask(line(f"GET http://127.0.0.1:{good}/page HTTP/1.1"))[-100:])
for form in (
    f"GET http://127.0.0.1:{bad}/ HTTP/1.1",
    f"CONNECT 127.0.0.1:{bad} HTTP/1.1",
    f"GET http://127.0.0.1:{good}@127.0.0.1:{bad}/ HTTP/1.1",
    f"GET http://localhost:{bad}/ HTTP/1.1",
    f"GET http://localhost:{good}/ HTTP/1.1",
    f"GET http://127.1:{bad}/ HTTP/1.1",
    f"GET http://[::ffff:127.0.0.1]:{bad}/ HTTP/1.1",
    f"GET http://0x7f000001:{bad}/ HTTP/1.1",
    f"GET http://127.0.0.1:{bad}\\@127.0.0.1:{good}/ HTTP/1.1",
    f"GET http://127.0.0.1:{good}#@127.0.0.1:{bad}/ HTTP/1.1",
    f"GET //127.0.0.1:{bad}/ HTTP/1.1",
    "GET file:///etc/shadow HTTP/1.1",
    "GET http://169.254.169.254/latest/meta-data HTTP/1.1",
    "NONSENSE",
    "GET http://127.0.0.1:99999999/ HTTP/1.1",
    "GET http://" + "a" * 60000 + "/ HTTP/1.1",
):
    print(form[:60], ask(line(form))[:60])
second = line(f"GET http://127.0.0.1:{good}/ HTTP/1.1") + line(f"GET http://127.0.0.1:{bad}/ HTTP/1.1")
print("second request", ask(second)[:60])
print("junk", ask(bytes(range(256)) * 100)[:60])
print("endless head", ask(b"GET http://127.0.0.1/ HTTP/1.1\r\n" + b"X-A: b\r\n" * 20000)[:60])
done()
