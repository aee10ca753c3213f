"""Many children, none of which is large."""

import os
import time

while True:
    try:
        if os.fork() == 0:
            held = bytearray(b"x" * (6 << 20))
            time.sleep(600)
    except OSError:
        time.sleep(0.01)
    time.sleep(0.02)
