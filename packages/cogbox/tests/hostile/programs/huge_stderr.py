"""Writes without end to standard error."""

import os

while True:
    os.write(2, b"all work and no play\n" * 3000)
