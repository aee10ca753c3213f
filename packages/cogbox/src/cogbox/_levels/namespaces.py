"""Namespaces created by the guard itself."""

import os
from pathlib import Path

from cogbox._guard import missing_guard
from cogbox._job import Job, all_mounts
from cogbox._plan import Pairs, lines


def missing() -> str | None:
    if reason := missing_guard():
        return reason
    if os.geteuid() != 0:
        return missing_user_namespaces()
    return None


def missing_user_namespaces() -> str | None:
    """Return why kernel settings deny user namespaces to ordinary users; None if they do not."""
    settings = {
        "kernel/unprivileged_userns_clone": ("0", "set sysctl kernel.unprivileged_userns_clone=1"),
        "user/max_user_namespaces": ("0", "set sysctl user.max_user_namespaces above 0"),
        "kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "install `bubblewrap`, or set sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    }
    for name, (off, remedy) in settings.items():
        path = Path("/proc/sys") / name
        if path.exists() and path.read_text().strip() == off:
            return f"this kernel does not allow user namespaces: {remedy}"
    return None


def plan(job: Job) -> Pairs:
    root = job.folder.keep / "root"
    root.mkdir()
    mounts, symlinks = all_mounts(job)
    pairs: Pairs = [("level", "namespaces"), ("pid_namespace", "1"), ("seccomp", "own"), ("root", str(root))]
    pairs.append(("scratch_memory", "/tmp"))  # /dev/shm is the same file system
    pairs += [("mount", lines("rw" if m.writable else "ro", m.source, m.inside)) for m in mounts]
    pairs += [("symlink", lines(target, path)) for target, path in symlinks]
    return pairs + job.common() + job.process_limit()
