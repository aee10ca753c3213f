"""Absolute paths and `..`: into the folder outside, over a file there, beside its private folder, into /."""

import os

from kit import TARGETS, attempt, done


def write(path, flags=os.O_WRONLY | os.O_CREAT):
    fd = os.open(path, flags, 0o666)
    os.write(fd, b"owned")
    os.close(fd)


up = os.path.join(os.getcwd(), *[".."] * 40, TARGETS["outside"].lstrip("/"))
for folder in (TARGETS["outside"], up):
    attempt(f"new file in {folder}", lambda folder=folder: write(os.path.join(folder, "new")))
    attempt("new folder", lambda folder=folder: os.mkdir(os.path.join(folder, "made")))
    attempt("overwrite", lambda folder=folder: write(os.path.join(folder, "canary"), os.O_WRONLY | os.O_TRUNC))
    attempt("truncate", lambda folder=folder: os.truncate(os.path.join(folder, "canary"), 0))
    attempt("remove", lambda folder=folder: os.unlink(os.path.join(folder, "canary")))
    attempt("rename", lambda folder=folder: os.rename(os.path.join(folder, "canary"), os.path.join(folder, "moved")))
    attempt("mode", lambda folder=folder: os.chmod(os.path.join(folder, "canary"), 0))
    attempt("times", lambda folder=folder: os.utime(os.path.join(folder, "canary"), (1, 1)))
    attempt("attribute", lambda folder=folder: os.setxattr(os.path.join(folder, "canary"), "user.owned", b"1"))
for folder in ("/", "/home", "/root", "/var/lib", "/opt", "/srv", "/mnt"):
    attempt(folder, lambda folder=folder: write(os.path.join(folder, "cogbox-hostile")))
done()
