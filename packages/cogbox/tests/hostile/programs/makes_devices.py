"""Makes a device file of its own for the disk and for memory."""

import os
import stat

from kit import TMP, attempt, done

for folder in (".", TMP, "/dev/shm"):
    for kind, major, minor in (
        (stat.S_IFBLK, 254, 0),
        (stat.S_IFBLK, 8, 0),
        (stat.S_IFCHR, 1, 1),
        (stat.S_IFCHR, 10, 229),
    ):
        path = os.path.join(folder, f"device-{kind}-{major}-{minor}")
        attempt(path, lambda path=path, kind=kind, at=(major, minor): os.mknod(path, kind | 0o666, os.makedev(*at)))
done()
