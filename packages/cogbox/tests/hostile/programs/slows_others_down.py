"""Priority, processor, input and output class, and limits of others."""

import os
import resource

from kit import TARGETS, call, done


def tried(action):
    try:
        action()
    except (OSError, ValueError) as error:
        print("refused", error)


for target in (TARGETS["victim"], TARGETS["caller"], os.getppid()):
    tried(lambda target=target: os.setpriority(os.PRIO_PROCESS, target, 19))
    tried(lambda target=target: os.setpriority(os.PRIO_PGRP, target, 19))
    tried(lambda target=target: os.sched_setaffinity(target, {0}))
    tried(lambda target=target: os.sched_setscheduler(target, os.SCHED_IDLE, os.sched_param(0)))
    tried(lambda target=target: call("ioprio_set", 1, target, 3 << 13))
    tried(lambda target=target: resource.prlimit(target, resource.RLIMIT_NOFILE, (3, 3)))
    tried(lambda target=target: call("migrate_pages", target, 8, b"\1" * 8, b"\1" * 8))
    tried(lambda target=target: call("move_pages", target, 0, 0, 0, 0, 0))
tried(lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19))
tried(lambda: os.setpriority(os.PRIO_USER, TARGETS["uid"], 19))
tried(lambda: call("ioprio_set", 3, TARGETS["uid"], 3 << 13))
done()
