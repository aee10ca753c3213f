"""setns into the namespaces of the first process, of its parent, of the process outside."""

import os

from kit import TARGETS, attempt, call, done

for target in (1, os.getppid(), TARGETS["victim"], TARGETS["caller"]):
    for name in ("mnt", "user", "pid", "net", "ipc", "uts", "cgroup"):
        attempt(
            name, lambda target=target, name=name: call("setns", os.open(f"/proc/{target}/ns/{name}", os.O_RDONLY), 0)
        )
    attempt("all", lambda target=target: call("setns", os.pidfd_open(target), 0x6C020000))
attempt("own", lambda: call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0))
done()
