"""Writes to both streams in turn, each below the limit, together above it."""

import os

for _ in range(40):
    os.write(1, b"o" * 32768)
    os.write(2, b"e" * 32768)
