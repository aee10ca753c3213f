"""One file beyond the limit, with the kernel's signal left as it is."""

import signal

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
with open("big", "wb", buffering=0) as file:
    while True:
        file.write(b"x" * (1 << 20))
