"""Names of the network: the resolver, the name server by hand, the wide world by number."""

import socket

from kit import attempt, done

QUESTION = bytes.fromhex("123401000001000000000000076578616d706c6503636f6d0000010001")

attempt("lookup", lambda: socket.getaddrinfo("example.com", 80))


def ask(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.settimeout(0.2)
        end.sendto(QUESTION, (server, 53))
        return end.recv(512)


for server in ("127.0.0.1", "127.0.0.53", "8.8.8.8", "1.1.1.1", "169.254.169.254", "10.0.0.1", "192.168.1.1"):
    attempt(server, lambda server=server: ask(server))
for host in ("93.184.215.14", "169.254.169.254", "8.8.8.8"):
    attempt(host, lambda host=host: socket.create_connection((host, 80), timeout=0.3))
done()
