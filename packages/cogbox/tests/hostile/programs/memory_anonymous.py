"""Takes memory of its own, 8 MiB at a time, and writes on every page."""

held = []
while True:
    held.append(bytearray(b"x" * (8 << 20)))
