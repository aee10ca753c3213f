"""The channel's other end names a process outside (SO_PEERPIDFD): signals, namespaces and descriptors through that."""

import os
import signal
import socket
import struct

from kit import attempt, call, done

SO_PEERPIDFD = 77

with socket.socket(fileno=int(os.environ["COGBOX_CHANNEL_FD"])) as channel:
    print("peer", struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)))
    try:
        peer = channel.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
    except OSError as error:
        print("refused", error)
    else:
        attempt("signal", lambda: call("pidfd_send_signal", peer, int(signal.SIGKILL), 0, 0))
        attempt("namespaces", lambda: call("setns", peer, 0x20000))
        attempt("descriptor", lambda: call("pidfd_getfd", peer, 0, 0))
    done()
    channel.sendall(b"bye\n")
