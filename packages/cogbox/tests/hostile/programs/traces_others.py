"""ptrace, process_vm_readv, pidfd_getfd, kcmp: into the process outside, the guard, the first process."""

import ctypes
import os

from kit import TARGETS, attempt, call, done

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206

for target in (1, os.getppid(), TARGETS["victim"], TARGETS["caller"]):
    if target == os.getpid():
        continue
    attempt(f"attach {target}", lambda target=target: call("ptrace", PTRACE_ATTACH, target, 0, 0))
    attempt(f"seize {target}", lambda target=target: call("ptrace", PTRACE_SEIZE, target, 0, 0))
    here = ctypes.create_string_buffer(4096)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(here), 4096)
    remote = (ctypes.c_size_t * 2)(0x400000, 4096)
    attempt("memory", lambda target=target, a=local, b=remote: call("process_vm_readv", target, a, 1, b, 1, 0))
    for fd in (0, 3):
        attempt("descriptor", lambda target=target, fd=fd: call("pidfd_getfd", os.pidfd_open(target), fd, 0))
    attempt("compare", lambda target=target: call("kcmp", os.getpid(), target, 2, 0, 0))
done()
