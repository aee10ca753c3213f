"""Control groups: out of its own, or a release agent that the kernel runs outside."""

import os

from kit import TARGETS, attempt, done

for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/unified"):
    attempt(place, lambda place=place: os.mkdir(os.path.join(place, "cogbox-hostile")))
    for name in ("cgroup.procs", "release_agent", "memory.limit_in_bytes", "notify_on_release", "tasks"):
        path = os.path.join(place, name)
        attempt(path, lambda path=path: os.write(os.open(path, os.O_WRONLY), b"0"))
for path in TARGETS["groups"]:
    attempt(path, lambda path=path: os.write(os.open(path + "/cgroup.procs", os.O_WRONLY), b"0"))
done()
