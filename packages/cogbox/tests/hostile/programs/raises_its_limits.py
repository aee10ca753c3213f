"""Takes its limits away."""

import os
import resource

from kit import attempt, done

names = ("NPROC", "NOFILE", "FSIZE", "CORE", "MEMLOCK", "MSGQUEUE")
for name in names:
    kind = getattr(resource, f"RLIMIT_{name}", {"MSGQUEUE": 12}.get(name))
    soft, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY:
        print("ESCAPED", name, "has no limit")
        continue
    attempt(name, lambda kind=kind, hard=hard: resource.setrlimit(kind, (hard + 1, hard + 1)))
    attempt(name, lambda kind=kind, hard=hard: resource.prlimit(0, kind, (hard, hard * 2 + 2)))
for name, kind in (("NICE", 13), ("RTPRIO", 14)):  # rights rather than limits: what the caller has is not for a box
    if resource.getrlimit(kind)[1] > 0:
        print("ESCAPED", name, resource.getrlimit(kind))
attempt("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("priority", lambda: os.nice(-5))
done()
