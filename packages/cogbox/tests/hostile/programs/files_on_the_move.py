"""Moves its files about all the time, so that whoever walks the folders never finds them where they were."""

import os
import time

from kit import done

os.mkdir("a")
os.mkdir("z")
for index in range(8):
    with open(f"a/{index}", "wb") as file:
        file.write(b"x" * (6 << 20))
until = time.monotonic() + 1.5
while time.monotonic() < until:
    for here, there in (("a", "z"), ("z", "a")):
        for index in range(8):
            os.rename(f"{here}/{index}", f"{there}/{index}")
print("ESCAPED holds 48 MiB")
done()
