"""Control groups of a box: created here, entered and removed by the guard.

They need a group of this process in which the kernel allows this user to create one (or next to it, under version 2).
Without control groups the guard samples usage and the kernel's per-process limits apply.
"""

import contextlib
import errno
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cogbox._folders import pid_namespace
from cogbox._plan import Pairs
from cogbox.limits import Limits

PREFIX = "cogbox-"
PERIOD_US = 100_000
_TRIES, _PAUSE_SECONDS = 200, 0.01


@dataclass(frozen=True)
class Groups:
    """Folders of one box's groups; an empty path for a group it does not have."""

    version: int
    memory: str = ""
    pids: str = ""
    cpu: str = ""
    quota: str = ""
    """limits processor time, which `cpu` counts; one group of both under version 2"""

    @property
    def folders(self) -> list[str]:
        return [folder for folder in dict.fromkeys((self.memory, self.pids, self.cpu, self.quota)) if folder]

    @property
    def name(self) -> str:
        parts = [f"cgroup v{self.version}"] if self.memory or self.pids else []
        if not (self.memory and self.pids):
            parts.append("rlimits")
        return " and ".join(parts)

    def pairs(self) -> Pairs:
        return [
            ("cgroup_version", str(self.version)),
            ("cgroup_memory", self.memory),
            ("cgroup_pids", self.pids),
            ("cgroup_cpu", self.cpu),
            ("cgroup_quota", self.quota),
        ]

    def remove(self) -> None:
        """Kill the processes in the groups and remove the groups, in case the guard was killed before it could."""
        for folder in self.folders:
            for _ in range(_TRIES):
                try:
                    os.rmdir(folder)
                except OSError as error:
                    if error.errno != errno.EBUSY:
                        break
                    _kill_all(folder)
                    time.sleep(_PAUSE_SECONDS)
                else:
                    break


def _mounts() -> Iterator[tuple[str, str, str, str]]:
    """Yield (mount point, root inside the file system, type, options) of every control group file system."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            words = before.split(" ")
            yield words[4], words[3], kind, options


def _own_paths() -> dict[str, str]:
    """Return the path of this process's group by controller (empty for version 2)."""
    paths = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _folder(mount: str, root: str, path: str) -> str:
    inside = os.path.relpath(path, root) if root != "/" else path.lstrip("/")
    return os.path.normpath(os.path.join(mount, inside)) if not inside.startswith("..") else mount


def _write(folder: str, name: str, value: object) -> None:
    with open(os.path.join(folder, name), "w") as file:
        file.write(str(value))


def _bases_v1() -> dict[str, str]:
    own = _own_paths()
    bases = {}
    for mount, root, kind, options in _mounts():
        for controller in options.split(",") if kind == "cgroup" else []:
            if controller in ("memory", "pids", "cpuacct", "cpu") and controller in own:
                bases[controller] = _folder(mount, root, own[controller])
    return bases


def _base_v2() -> str | None:
    """Return the nearest group of this process that delegates memory and pids and allows this user to create groups."""
    own = _own_paths().get("")
    for mount, root, kind, _ in _mounts():
        if kind != "cgroup2" or own is None:
            continue
        folder = _folder(mount, root, own)
        while folder.startswith(mount):
            try:
                given = Path(folder, "cgroup.subtree_control").read_text().split()
            except OSError:
                break
            if {"memory", "pids"} <= set(given) and os.access(folder, os.W_OK):
                return folder
            folder = os.path.dirname(folder)
    return None


def make(name: str, limits: Limits) -> Groups:
    """Create the groups of one box; version 0 if that is not possible. The limit includes the box's reaper."""
    base = _base_v2()
    if base is not None:
        folder = os.path.join(base, PREFIX + name)
        try:
            os.mkdir(folder, 0o755)
            _write(folder, "memory.max", limits.memory)
            _write(folder, "pids.max", limits.processes + 1)
        except OSError:
            _discard([folder])
        else:
            for setting in ("memory.swap.max", "memory.zswap.max"):
                if os.path.exists(os.path.join(folder, setting)):
                    _write(folder, setting, 0)
            if os.path.exists(os.path.join(folder, "memory.oom.group")):
                _write(folder, "memory.oom.group", 1)
            if limits.cpus is not None and os.path.exists(os.path.join(folder, "cpu.max")):
                _write(folder, "cpu.max", f"{_quota_us(limits.cpus)} {PERIOD_US}")
            return Groups(2, folder, folder, folder, folder)
    created: dict[str, str] = {}
    for controller, above in _bases_v1().items():
        if controller == "cpu" and limits.cpus is None:
            continue
        folder = os.path.join(above, PREFIX + name)
        try:
            os.makedirs(folder, 0o755, exist_ok=controller in ("cpu", "cpuacct"))  # often one hierarchy
            if controller == "memory":
                _write(folder, "memory.limit_in_bytes", limits.memory)
                # Swap, and TCP buffers, which the kernel counts only if they have a limit.
                for setting in ("memory.memsw.limit_in_bytes", "memory.kmem.tcp.limit_in_bytes"):
                    if os.path.exists(os.path.join(folder, setting)):
                        _write(folder, setting, limits.memory)
            elif controller == "pids":
                _write(folder, "pids.max", limits.processes + 1)
            elif controller == "cpu" and limits.cpus is not None:
                _write(folder, "cpu.cfs_period_us", PERIOD_US)
                _write(folder, "cpu.cfs_quota_us", _quota_us(limits.cpus))
        except OSError:
            _discard({folder} - {*created.values()})
        else:
            created[controller] = folder
    if not created:
        return Groups(0)
    return Groups(
        1, created.get("memory", ""), created.get("pids", ""), created.get("cpuacct", ""), created.get("cpu", "")
    )


def _quota_us(cpus: float) -> int:
    return max(1000, int(cpus * PERIOD_US))  # the kernel's minimum


def _kill_all(folder: str) -> None:
    with contextlib.suppress(OSError):
        for word in Path(folder, "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                os.kill(int(word), signal.SIGKILL)


def _discard(folders: Iterable[str]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def leftovers() -> list[str]:
    """Return groups whose creator no longer runs, for example after its process tree was killed."""
    bases = set(_bases_v1().values()) | ({base} if (base := _base_v2()) else set())
    folders = []
    for base in bases:
        for name in os.listdir(base) if os.path.isdir(base) else []:
            match = re.fullmatch(re.escape(PREFIX) + rf"(\d+)-{pid_namespace()}-.*", name)
            if match and not os.path.exists(f"/proc/{match[1]}"):
                folders.append(os.path.join(base, name))
    return folders


def sweep() -> None:
    _discard(leftovers())
