"""Other users, other groups, capabilities; and the bits that should stop it switched off again."""

import ctypes
import os

from kit import attempt, call, done, libc, read

PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, PR_SET_SECUREBITS, PR_SET_SECCOMP = 38, 47, 2, 28, 22

for name, action in {
    "setuid": lambda: os.setuid(0),
    "setresuid": lambda: os.setresuid(0, 0, 0),
    "setgid": lambda: os.setgid(0),
    "setgroups": lambda: os.setgroups([0]),
    "setresgid": lambda: os.setresgid(0, 0, 0),
    "other": lambda: os.setuid(1879048192),
}.items():
    attempt(name, action)


def capabilities():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    call("capset", header, (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6))


def control(*words):
    if libc.prctl(*[ctypes.c_ulong(word) for word in words]) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


attempt("capset", capabilities)
attempt("ambient", lambda: control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0))
attempt("privileges", lambda: control(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0))
attempt("securebits", lambda: control(PR_SET_SECUREBITS, 0, 0, 0, 0))
attempt("filter", lambda: control(PR_SET_SECCOMP, 0, 0, 0, 0))
try:
    text = read("/proc/self/status").decode()
except OSError as error:
    print("refused", error)
else:
    lines = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if int(lines[name], 16):
            print("ESCAPED", name, lines[name])
    if lines["NoNewPrivs"].strip() != "1" or lines["Seccomp"].strip() != "2" or "0" in lines["Uid"].split():
        print("ESCAPED", lines["NoNewPrivs"], lines["Seccomp"], lines["Uid"])
done()
