"""Exits with 0 while its children continue to flood standard output."""

import os

for _ in range(4):
    if os.fork() == 0:
        block = b"x" * 65536
        while True:
            os.write(1, block)
os._exit(0)
