"""One box as it is about to be started: the request, and what was made for it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cogbox._cgroups import Groups
from cogbox._folders import BoxFolder
from cogbox._plan import Pairs, lines
from cogbox.errors import BadRequest
from cogbox.limits import GIB, Limits
from cogbox.mounts import Mount
from cogbox.network import Link


@dataclass(frozen=True, kw_only=True)
class Job:
    command: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    mounts: Sequence[Mount]
    """without those every box has"""
    limits: Limits
    links: Sequence[Link]
    doors: Sequence[int]
    """ports inside; their listening sockets go to the guard beside the plan"""
    work_at: Path | None
    """a second path inside of the private folder"""
    folder: BoxFolder
    groups: Groups
    uid: int | None
    """the box's own user when root starts it; None: the caller's"""

    def common(self) -> Pairs:
        """What every level tells the guard."""
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
            # 1 rather than 0: the kernel starts a crash handler of the machine for 0 and not for 1.
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
            # The guard's sampling keeps the box below its limit; this stops what is faster than a sample. The room is
            # for memory that is reserved and never used, such as the stacks of threads.
            pairs += [("rlimit_data", str(limits.memory + GIB)), ("unmetered", "1")]
        pairs += [("link", lines(*link.fields())) for link in self.links]
        pairs += [("link_most", str(link.most)) for link in self.links]
        pairs += [("door", str(port)) for port in self.doors]
        return pairs + self.groups.pairs()

    def process_limit(self, others: int | None = None) -> Pairs:
        """Per-user limit of processes, one above ours: the guard sees the box reach it. One more is the reaper's.

        `others`: tasks of the same user that are not in the box; their number changes, so it is given some room, and
        the guard's count decides.
        """
        room = 0 if others is None else others + 32
        return [("rlimit_nproc", str(self.limits.processes + 2 + room))]


def small_files(job: Job) -> list[Mount]:
    """What programs expect in /etc, saying nothing about the machine."""
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
    """Empty files over those that lie in folders every box sees, and are not for a box."""
    from cogbox.mounts import pip_settings

    paths = pip_settings()
    empty = job.folder.keep / "empty"
    if paths:
        empty.touch()
        empty.chmod(0o644)
    return [Mount(empty, path) for path in paths]


def all_mounts(job: Job) -> tuple[list[Mount], list[tuple[str, str]]]:
    """Every mount of a level with a mount namespace, parents before what lies in them; links beside."""
    from cogbox.mounts import system_mounts, without_nested

    system, symlinks = system_mounts()
    work = [Mount(job.folder.work, writable=True)]
    if job.work_at is not None:
        work.append(Mount(job.folder.work, job.work_at, writable=True))
    for outer in (mount for mount in (*job.mounts, *work) if mount.writable):
        for mount in job.mounts:
            # Its place would be made in a folder that a program could have prepared with links.
            if mount is not outer and mount.inside.is_relative_to(outer.inside):
                raise BadRequest(f"{mount.inside} lies inside the writable mount {outer.inside}: mount it elsewhere")
    mounts = [*system, *small_files(job), *job.mounts, *work]
    hidden = [
        mount for mount in hidden_files(job) if any(mount.inside.is_relative_to(other.inside) for other in mounts)
    ]
    return without_nested([*mounts, *hidden]), symlinks
