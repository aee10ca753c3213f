"""Takes shared memory that belongs to no file and no name."""

import mmap

from kit import done

held = []
try:
    while True:
        block = mmap.mmap(-1, 8 << 20)
        for at in range(0, len(block), 4096):
            block[at] = 1
        held.append(block)
except OSError as error:
    print("refused", error)
done()
