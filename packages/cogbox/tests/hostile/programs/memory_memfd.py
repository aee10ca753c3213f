"""Files in memory without a name (memfd_create), unmapped: no process shows them."""

import os
import time

from kit import call, done

held = []
try:
    for index in range(24):
        fd = call("memfd_create", f"held{index}".encode(), 0)
        os.write(fd, b"x" * (8 << 20))
        held.append(fd)
    time.sleep(0.3)
    print("ESCAPED holds 192 MiB")
except OSError as error:
    print("refused", error)
done()
