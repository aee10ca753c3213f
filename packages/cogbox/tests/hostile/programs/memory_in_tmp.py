"""Fills its /tmp, which is memory where it is a file system of its own."""

import os

from kit import TMP, done

written = 0
try:
    with open(os.path.join(TMP, "big"), "wb", buffering=0) as file:
        while written < 96 << 20:
            written += file.write(b"x" * (1 << 20))
    print("ESCAPED wrote", written)
except OSError as error:
    print("refused", error, written)
done()
