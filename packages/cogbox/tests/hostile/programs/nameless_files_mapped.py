"""Files without a name and without a descriptor: only a mapping keeps them, and it is empty."""

import mmap
import os
import time

from kit import done

held = []
for index in range(8):
    fd = os.open(f"file-{index}", os.O_RDWR | os.O_CREAT, 0o600)
    os.unlink(f"file-{index}")
    os.write(fd, b"x" * (6 << 20))
    block = mmap.mmap(fd, 4096)  # Python keeps a descriptor of its own
    held.append(block)
    os.close(fd)
os.closerange(3, 256)
time.sleep(0.8)
print("ESCAPED holds 48 MiB")
done()
