"""Unix sockets outside, by path and by abstract name, as streams and as datagrams."""

import os
import socket

from kit import TARGETS, attempt, done


def connect(kind, address):
    with socket.socket(socket.AF_UNIX, kind) as end:
        end.connect(address)
        end.send(b"escaped")


def pair_to(address):
    left, _right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.sendto(b"escaped", address)


def message_to(address):
    left, _right = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    left.sendmsg([b"escaped"], [], 0, address)


for address in (TARGETS["unix"], "\0" + TARGETS["abstract"], "\0" + TARGETS["abstract_datagram"]):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        attempt(f"{address!r} {kind}", lambda kind=kind, address=address: connect(kind, address))
    attempt(f"pair to {address!r}", lambda address=address: pair_to(address))
    attempt(f"message to {address!r}", lambda address=address: message_to(address))
known = ["/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock", "/run/dbus/system_bus_socket"]
known += ["/run/systemd/private", "/run/systemd/journal/socket", "/dev/log", "/run/cogbox/socket", "/tmp/.X11-unix/X0"]
known += [os.path.join(f"/run/user/{TARGETS['uid']}", "bus")]
for path in known:
    attempt(path, lambda path=path: connect(socket.SOCK_STREAM, path))
done()
