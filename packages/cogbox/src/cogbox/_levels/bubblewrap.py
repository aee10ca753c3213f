"""Namespaces created by bubblewrap; the guard inside completes the setup."""

import os
import shutil
from pathlib import Path

from cogbox._guard import guard_path, missing_guard
from cogbox._job import Job, all_mounts
from cogbox._levels.namespaces import missing_user_namespaces
from cogbox._plan import Pairs

INSIDE = "/run/cogbox/guard"


def missing() -> str | None:
    if reason := missing_guard():
        return reason
    if not shutil.which("bwrap"):
        return "`bwrap` is not installed: install the package `bubblewrap`"
    # A bubblewrap with setuid or its own AppArmor profile needs no user namespaces of the user.
    if os.geteuid() != 0 and (reason := missing_user_namespaces()) and "apparmor" not in reason:
        return reason
    return None


def plan(job: Job) -> Pairs:
    mounts, symlinks = all_mounts(job)
    words = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if job.uid is None:
        words += ["--unshare-user", "--uid", str(os.geteuid()), "--gid", str(os.getegid())]
        # For its own network, and to give up privileges for good; the guard inside drops them all.
        for name in ("CAP_NET_ADMIN", "CAP_NET_BIND_SERVICE", "CAP_SETPCAP"):
            words += ["--cap-add", name]
    words += ["--die-with-parent", "--as-pid-1", "--hostname", "box", "--clearenv", "--proc", "/proc"]
    words += _devices(metered=bool(job.groups.memory))
    shared, private = job.limits.scratch_bytes // 4, job.limits.scratch_bytes * 3 // 4
    words += ["--perms", "1777", "--size", str(max(shared, 4096)), "--tmpfs", "/dev/shm"]
    words += ["--perms", "1777", "--size", str(max(private, 4096)), "--tmpfs", "/tmp"]
    for target, path in symlinks:
        words += ["--symlink", target, path]
    # bubblewrap creates the parent folders of a mount with access only for itself.
    above = {folder for mount in mounts for folder in mount.inside.parents} - {Path("/"), Path("/tmp")}
    for folder in sorted(above):
        if not any(folder.is_relative_to(mount.inside) for mount in mounts):
            words += ["--perms", "0755", "--dir", str(folder)]
    for mount in mounts:
        words += ["--bind" if mount.writable else "--ro-bind", str(mount.source), str(mount.inside)]
    words += ["--ro-bind", str(guard_path()), INSIDE, "--remount-ro", "/dev", "--remount-ro", "/"]
    words += ["--chdir", "/", "--", INSIDE, "inner", "3"]
    pairs: Pairs = [("level", "bubblewrap"), ("pid_namespace", "1"), ("seccomp", "own")]
    pairs += [("scratch_memory", "/tmp"), ("scratch_memory", "/dev/shm")]
    pairs += [("launcher", word) for word in words]
    pairs += [
        ("launcher_log", str(job.folder.keep / "launcher.log")),
        ("scratch_at", "/tmp"),
        ("scratch_at", "/dev/shm"),
    ]
    return pairs + job.common() + job.process_limit()


def _devices(*, metered: bool) -> list[str]:
    """Mount the same devices as the level `namespaces`.

    Not `--dev`: for its terminals bubblewrap creates a second user namespace, in which the guard has no rights over the
    box's network.
    """
    words = ["--perms", "0755", "--tmpfs", "/dev"]
    for name in ("null", "zero", "full", "random", "urandom"):
        # A shared mapping of /dev/zero is memory that belongs to no process; without a control group nothing counts it.
        if metered or name != "zero":
            words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for target, name in (("fd", "fd"), ("fd/0", "stdin"), ("fd/1", "stdout"), ("fd/2", "stderr")):
        words += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
    return words
