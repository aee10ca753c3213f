"""No namespaces: Landlock for files and signals, a stricter system call filter for the rest."""

import os
import subprocess
import sys
from pathlib import Path

from cogbox._guard import guard_path, missing_guard
from cogbox._job import Job
from cogbox._plan import Pairs
from cogbox.errors import BadRequest
from cogbox.mounts import system_mounts

SIGNALS_SCOPED = 6  # from this version on a program cannot signal processes outside


def landlock_version() -> int:
    return int(subprocess.run([guard_path(), "landlock"], capture_output=True, check=True).stdout)


def missing() -> str | None:
    if reason := missing_guard():
        return reason
    version = landlock_version()
    if version == 0:
        return "this kernel has no Landlock: Linux 5.13 or newer with `landlock` in its list of security modules"
    if os.geteuid() != 0 and version < SIGNALS_SCOPED:
        return f"Landlock {version} of this kernel does not restrict signals: Linux 6.12 or newer"
    if os.geteuid() == 0 and (closed := closed_folder(Path(os.path.realpath(sys.executable)))):
        return f"the interpreter is in {closed}, which is closed to the user of a box: use an interpreter outside it"
    return None


def closed_folder(path: Path) -> Path | None:
    """Return the first folder above a path that other users cannot enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def count_tasks(uid: int) -> int:
    """Count the processes and threads of a user; a per-user limit counts both."""
    count = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if folder.stat().st_uid == uid:
                    count += len(os.listdir(folder / "task"))
            except OSError:
                continue
    return count


def plan(job: Job) -> Pairs:
    if job.links or job.doors:
        raise BadRequest("a link or a door needs a network namespace, which the level `landlock` does not have")
    if job.work_at is not None:
        raise BadRequest("a second path of the private folder needs a mount namespace")
    readable = [mount.source for mount in system_mounts()[0]]
    writable = [job.folder.work, job.folder.tmp]
    for mount in job.mounts:
        if mount.inside != mount.source:
            raise BadRequest(f"{mount.source} at {mount.inside}: a mount at another place needs a mount namespace")
        if job.uid is not None and (closed := closed_folder(mount.source)):
            raise BadRequest(f"{mount.source} is in {closed}, which is closed to the user of a box")
        (writable if mount.writable else readable).append(mount.source)
    pairs: Pairs = [("level", "landlock"), ("landlock", "1"), ("seccomp", "shared")]
    pairs += [("readable", str(path)) for path in readable] + [("writable", str(path)) for path in writable]
    return pairs + job.common() + job.process_limit(None if job.uid is not None else count_tasks(os.geteuid()))
