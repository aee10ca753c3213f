"""Listeners outside: loopback over both families, the machine's own address, datagrams."""

import socket

from kit import TARGETS, attempt, done

for host in ("127.0.0.1", "localhost", "0.0.0.0", "::1", TARGETS["address"]):
    for port in (TARGETS["tcp"], TARGETS["tcp6"]):
        attempt(f"{host} {port}", lambda host=host, port=port: socket.create_connection((host, port), timeout=2))


def datagram(host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"escaped", (host, TARGETS["udp"]))


for host in ("127.0.0.1", TARGETS["address"]):
    try:  # a datagram is sent into the void as well; the listener outside tells
        datagram(host)
    except OSError as error:
        print("refused", error)
done()
