"""Changes the read-only files it was given: content, mode, times, attributes, names; by path and by descriptor."""

import ctypes
import mmap
import os

from kit import TARGETS, attempt, done, libc

file, folder = os.path.join(TARGETS["bundle"], "data", "file"), os.path.join(TARGETS["bundle"], "data")
attempt("write", lambda: os.close(os.open(file, os.O_WRONLY)))
attempt("append", lambda: os.close(os.open(file, os.O_WRONLY | os.O_APPEND)))
attempt("truncate", lambda: os.truncate(file, 0))
attempt("new", lambda: os.close(os.open(os.path.join(folder, "new"), os.O_WRONLY | os.O_CREAT)))
attempt("remove", lambda: os.unlink(file))
attempt("rename", lambda: os.rename(file, file + "2"))
attempt("link", lambda: os.link(file, file + "3"))
attempt("mode", lambda: os.chmod(file, 0o666))
attempt("times", lambda: os.utime(file, (1, 1)))
attempt("attribute", lambda: os.setxattr(file, "user.owned", b"1"))
attempt("owner", lambda: os.chown(file, os.getuid(), os.getgid()))
for path in (file, folder):
    fd = os.open(path, os.O_RDONLY)
    attempt("mode by descriptor", lambda fd=fd: os.fchmod(fd, 0o777))
    attempt("times by descriptor", lambda fd=fd: os.utime(fd, (1, 1)))
    attempt("attribute by descriptor", lambda fd=fd: os.setxattr(fd, "user.owned", b"1"))
    attempt("write by descriptor", lambda fd=fd: os.write(fd, b"owned"))
    attempt("reopen", lambda fd=fd: os.close(os.open(f"/proc/self/fd/{fd}", os.O_RDWR)))
    attempt("truncate by descriptor", lambda fd=fd: os.ftruncate(fd, 0))
fd = os.open(file, os.O_RDONLY)
attempt("mapping", lambda: mmap.mmap(fd, 1, mmap.MAP_SHARED, mmap.PROT_WRITE))


def made_writable():
    """A private read-only mapping turned into a shared writable one?"""
    libc.mmap.restype = ctypes.c_void_p
    place = libc.mmap(None, ctypes.c_size_t(4096), 1, mmap.MAP_SHARED, fd, ctypes.c_long(0))
    if libc.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(4096), 3) < 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    ctypes.memset(place, 0x58, 1)


attempt("mprotect", made_writable)
done()
