"""Calls TIOCSTI: puts characters into the input of a terminal, as if a user had typed them."""

import fcntl
import os
import pty

from kit import attempt, done

TIOCSTI, TIOCSETD, TIOCLINUX, TIOCSCTTY = 0x5412, 0x5423, 0x541C, 0x540E


def typed(fd):
    fcntl.ioctl(fd, TIOCSTI, b"x")


for fd in (0, 1, 2):
    attempt("own streams", lambda fd=fd: typed(fd))
for path in ("/dev/tty", "/dev/console", "/dev/pts/0", "/dev/tty1"):
    attempt(path, lambda path=path: typed(os.open(path, os.O_RDWR | os.O_NOCTTY)))
try:
    leader, follower = pty.openpty()
except OSError as error:
    print("refused", error)
else:
    fcntl.ioctl(follower, TIOCSCTTY, 0)
    attempt("own terminal", lambda: typed(follower))
    attempt("line discipline", lambda: fcntl.ioctl(follower, TIOCSETD, b"\2\0\0\0"))
done()
