"""Every byte there is, terminal commands, broken UTF-8, zeros: the log must hold exactly that."""

import os

os.write(1, bytes(range(256)) * 16 + b"\x1b]0;owned\x07\x1b[2J\xff\xfe\x00")
os.write(2, b"\x00\xff" * 100)
