"""A link leads to one address. Tries to get to another through it: other ports, other hosts, source routes, proxies."""

import socket

from kit import TARGETS, attempt, done

with socket.create_connection(("127.0.0.1", TARGETS["link_port"]), timeout=10) as link:
    link.sendall(b"hello")
    print("link", link.recv(100))
for host in ("127.0.0.1", "0.0.0.0", TARGETS["address"], "127.0.0.2"):
    attempt(host, lambda host=host: socket.create_connection((host, TARGETS["tcp"]), timeout=1))


def proxied(request):
    with socket.create_connection(("127.0.0.1", TARGETS["link_port"]), timeout=10) as link:
        link.sendall(request)
        return link.recv(100)


# The server at the link's end answers every message with the same word; it is not a proxy.
print(proxied(f"CONNECT 127.0.0.1:{TARGETS['tcp']} HTTP/1.1\r\n\r\n".encode()))
print(proxied(b"\x05\x01\x00"))
attempt("second listener", lambda: socket.create_server(("127.0.0.1", TARGETS["link_port"])))
done()
