"""Puts a filter of its own on top that allows everything: does the stricter one still hold?"""

import ctypes

from kit import attempt, call, done, libc

PR_SET_SECCOMP, SECCOMP_MODE_FILTER, SECCOMP_RET_ALLOW = 22, 2, 0x7FFF0000


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("code", ctypes.POINTER(Instruction))]


allow = (Instruction * 1)(Instruction(6, 0, 0, SECCOMP_RET_ALLOW))
libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Program(1, allow)), 0, 0)
attempt("unshare", lambda: call("unshare", 0x10000000))
attempt("mount", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, 0))
attempt("ptrace", lambda: call("ptrace", 16, 1, 0, 0))
done()
