"""Raw sockets and families with a history: packet, netlink, crypto, virtual machines, Bluetooth; also in pairs."""

import socket

from kit import attempt, done

for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
    for family in (9, 15, 16, 17, 21, 26, 29, 30, 31, 37, 38, 39, 40, 41, 43, 44):
        attempt(f"family {family} {kind}", lambda family=family, kind=kind: socket.socket(family, kind))
        attempt(f"pair {family} {kind}", lambda family=family, kind=kind: socket.socketpair(family, kind))
for family in (socket.AF_INET, socket.AF_INET6):
    for protocol in (1, 2, 6, 17, 58, 255):
        attempt(
            f"raw {protocol}", lambda family=family, protocol=protocol: socket.socket(family, socket.SOCK_RAW, protocol)
        )
done()
