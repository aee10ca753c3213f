"""A box about to start: the request, and the resources created for it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cogbox._cgroups import Groups
from cogbox._folders import BoxFolder
from cogbox._plan import Pairs, lines
from cogbox.errors import BadRequest
from cogbox.image_root import ImageRoot
from cogbox.limits import GIB, Limits
from cogbox.mounts import Mount
from cogbox.network import Link


@dataclass(frozen=True, kw_only=True)
class Job:
    command: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    mounts: Sequence[Mount]
    """without the mounts that every box has"""
    limits: Limits
    links: Sequence[Link]
    doors: Sequence[int]
    """ports inside; the guard receives their listening sockets with the plan"""
    work_at: Path | None
    """a second path of the private folder inside the box"""
    folder: BoxFolder
    groups: Groups
    uid: int | None
    """the box's own user if root starts it; None for the caller's user"""
    engine: str | None = None
    """podman or docker, for containers; None for the first that responds"""
    image: ImageRoot | None = None
    one_output: bool = False
    """standard error goes to standard output"""

    def common(self) -> Pairs:
        """Return the part of the plan that all levels share."""
        limits = self.limits
        pairs: Pairs = [("argv", word) for word in self.command]
        pairs += [("env", f"{key}={value}") for key, value in self.env.items()]
        pairs += [
            ("cwd", str(self.cwd)),
            ("memory", str(limits.memory)),
            ("processes", str(limits.processes)),
            ("wall_us", str(int(limits.wall_seconds * 1e6))),
            ("output", str(limits.output_bytes)),
            ("disk", str(self.folder.work)),
            ("disk", str(self.folder.tmp)),
            ("disk_bytes", str(limits.disk_bytes)),
            ("disk_files", str(limits.disk_files)),
            ("scratch", str(limits.scratch_bytes)),
            ("scratch_files", str(limits.scratch_files)),
            ("rlimit_nofile", str(limits.open_files)),
            ("rlimit_fsize", str(limits.file_bytes)),
            # 1 instead of 0: for 0 the kernel starts the machine's crash handler, for 1 it does not.
            ("rlimit_core", "1"),
            ("rlimit_memlock", str(64 << 20)),
            ("rlimit_msgqueue", "0"),
            ("rlimit_rtprio", "0"),
            ("rlimit_nice", "0"),
            ("rlimit_sigpending", "1024"),
        ]
        if limits.cpu_seconds is not None:
            pairs += [
                ("cpu_us", str(int(limits.cpu_seconds * 1e6))),
                ("rlimit_cpu", str(int(limits.cpu_seconds) + 2)),
            ]
        if self.uid is not None:
            pairs.append(("uid", str(self.uid)))
        if not self.groups.memory:
            # The guard's sampling enforces the limit; this one stops allocations between two samples. The extra room
            # is for memory that is reserved but never used, such as thread stacks.
            pairs += [("rlimit_data", str(limits.memory + GIB)), ("unmetered", "1")]
        if self.one_output:
            pairs.append(("one_output", "1"))
        pairs += [("link", lines(*link.fields())) for link in self.links]
        pairs += [("link_most", str(link.max_connections)) for link in self.links]
        pairs += [("door", str(port)) for port in self.doors]
        return pairs + self.groups.pairs()

    def process_limit(self, others: int | None = None) -> Pairs:
        """Return the per-user process limit: one above ours, so that the guard sees the excess, and one for the reaper.

        `others`: tasks of the same user outside the box. Their number changes, so the limit gets some slack and the
        guard's count decides.
        """
        room = 0 if others is None else others + 32
        return [("rlimit_nproc", str(self.limits.processes + 2 + room))]


def small_files(job: Job) -> list[Mount]:
    """Create the files that programs expect in /etc, without information about the machine."""
    uid = os.geteuid() if job.uid is None else job.uid
    gid = os.getegid() if job.uid is None else job.uid
    texts = {
        "passwd": f"box:x:{uid}:{gid}:box:{job.folder.work}:/bin/sh\n",
        "group": f"box:x:{gid}:\n",
        "hosts": "127.0.0.1 localhost box\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    mounts = []
    for name, text in texts.items():
        path = job.folder.keep / name
        path.write_text(text)
        path.chmod(0o644)
        mounts.append(Mount(path, Path("/etc") / name))
    return mounts


def hidden_files(job: Job) -> list[Mount]:
    """Return mounts of empty files over files in visible folders that boxes must not read."""
    from cogbox.mounts import pip_settings

    paths = pip_settings()
    empty = job.folder.keep / "empty"
    if paths:
        empty.touch()
        empty.chmod(0o644)
    return [Mount(empty, path) for path in paths]


def all_mounts(job: Job) -> tuple[list[Mount], list[tuple[str, str]]]:
    """Return all mounts of a level with a mount namespace, parents first, and the symbolic links."""
    from cogbox.mounts import system_mounts, without_nested

    system, symlinks = system_mounts()
    work = [Mount(job.folder.work, writable=True)]
    if job.work_at is not None:
        work.append(Mount(job.folder.work, job.work_at, writable=True))
    for outer in (mount for mount in (*job.mounts, *work) if mount.writable):
        for mount in job.mounts:
            # The mount point would be created in a folder in which a program could have planted links.
            if mount is not outer and mount.inside.is_relative_to(outer.inside):
                raise BadRequest(f"{mount.inside} is inside the writable mount {outer.inside}: mount it elsewhere")
    mounts = [*system, *small_files(job), *job.mounts, *work]
    hidden = [
        mount for mount in hidden_files(job) if any(mount.inside.is_relative_to(other.inside) for other in mounts)
    ]
    return without_nested([*mounts, *hidden]), symlinks
