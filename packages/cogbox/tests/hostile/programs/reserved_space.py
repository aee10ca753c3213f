"""fallocate() that keeps the size of the file: space of the disk without a byte written, past the limit of a file."""

import os

from kit import attempt, call, done

FALLOC_FL_KEEP_SIZE = 1

fd = os.open("reserved", os.O_RDWR | os.O_CREAT, 0o600)
attempt("1 GiB", lambda: call("fallocate", fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 30))
done()
