"""Settings of the kernel, and the buttons beside them."""

import os

from kit import attempt, done

names = ["kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "kernel/panic", "kernel/randomize_va_space"]
names += [
    "kernel/ns_last_pid",
    "fs/file-max",
    "vm/overcommit_memory",
]
names += [
    "vm/drop_caches",
    "net/ipv4/ip_forward",
    "net/core/somaxconn",
    "net/ipv4/ping_group_range",
    "user/max_user_namespaces",
]
paths = [f"/proc/sys/{name}" for name in names]
paths += ["/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg", "/proc/latency_stats", "/proc/irq/default_smp_affinity"]
paths += ["/proc/self/uid_map", "/proc/self/gid_map", "/proc/self/setgroups", "/proc/self/projid_map"]
for path in paths:
    attempt(path, lambda path=path: os.write(os.open(path, os.O_WRONLY), b"1"))
done()
