"""Fills a folder that can be written but not read (mode 0300): whoever counts cannot look."""

import os
import time

from kit import done

os.mkdir("hidden", 0o300)
for index in range(8):
    with open(f"hidden/{index}", "wb") as file:
        file.write(b"x" * (6 << 20))
time.sleep(0.6)
print("ESCAPED holds 48 MiB")
done()
