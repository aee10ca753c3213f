"""Reads files outside: some that are readable by all users of the machine, and some that are not."""

import os

from kit import TARGETS, attempt, done, read, show

for path in (
    TARGETS["secret_file"],
    "/etc/shadow",
    "/root/.ssh/id_rsa",
    "/root/.bashrc",
    "/etc/sudoers",
    "/var/log/dpkg.log",
):
    attempt(path, lambda path=path: read(path))
attempt("listing", lambda: os.listdir(TARGETS["outside"]))
attempt("listing /home", lambda: os.listdir("/home"))
show("passwd", lambda: read("/etc/passwd"))
done()
