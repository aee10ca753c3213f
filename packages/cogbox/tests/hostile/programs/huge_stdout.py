"""Writes without end."""

import os

while True:
    os.write(1, b"all work and no play\n" * 3000)
