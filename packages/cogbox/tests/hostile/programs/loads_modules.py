"""Modules, another kernel, a restart, swap, accounting, quotas, the kernel's log, ports of the machine."""

import os

from kit import attempt, call, done, libc

attempt("init_module", lambda: call("init_module", b"x" * 64, 64, b""))
attempt("finit_module", lambda: call("finit_module", os.open(__file__, os.O_RDONLY), b"", 0))
attempt("kexec", lambda: call("kexec_load", 0, 0, 0, 0))
attempt("reboot", lambda: call("reboot", 0xFEE1DEAD, 672274793, 0, 0))
attempt("swap", lambda: call("swapon", b"swap", 0))
attempt("acct", lambda: call("acct", b"acct"))
attempt("quota", lambda: call("quotactl", 0x800002 << 8, b"/dev/vda", 0, 0))
attempt("log", lambda: call("syslog", 3, b" " * 64, 64))
attempt("fanotify", lambda: call("fanotify_init", 0, 0))


def ports():
    if libc.iopl(3) < 0:
        raise OSError("iopl")


if hasattr(libc, "iopl"):
    attempt("ports", ports)
done()
