"""Creates nested folders and files with mode 0; also closes its own private folder and /tmp."""

import contextlib
import os

from kit import TMP, done

where = "."
for depth in range(6):
    where = os.path.join(where, f"closed-{depth}")
    os.mkdir(where)
    with open(os.path.join(where, "file"), "w") as file:
        file.write("x")
for depth in range(6, 0, -1):
    path = os.path.join(".", *(f"closed-{index}" for index in range(depth)))
    for name in (os.path.join(path, "file"), path):
        try:
            fd = os.open(name, os.O_RDONLY)
            os.fchmod(fd, 0)
        except OSError:
            pass
for name in (".", TMP):
    try:
        os.chmod(name, 0)
    except OSError:
        with contextlib.suppress(OSError):
            os.fchmod(os.open(name, os.O_RDONLY), 0)
done()
