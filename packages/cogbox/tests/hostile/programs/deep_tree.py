"""Folders ten thousand deep: no path is long enough to name the last."""

import os

from kit import done

for _ in range(10_000):
    os.mkdir("d")
    os.chdir("d")
open("bottom", "w").close()
done()
