"""Sends without end over the channel of the protocol, and never a line break."""

import os

fd = int(os.environ["COGBOX_CHANNEL_FD"])
while True:
    os.write(fd, b"x" * 65536)
