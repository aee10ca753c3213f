"""The world outside the boxes: targets that a hostile program must not reach, and traces that it must not leave.

Files, sockets and processes here have the widest permissions; only the box protects them.
"""

import contextlib
import os
import resource
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")
USERS = Path("/run/cogbox/users")


def own_address() -> str:
    """This machine's address in its network, else another one of its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.3"


class World:
    def __init__(self, folder: Path) -> None:
        self.secret = os.environ["HOSTILE_SECRET"]
        """in the environment of this process since its start, in the victim's, and in a file"""
        self.outside, self.bundle = folder / "outside", folder / "bundle"
        self.outside.mkdir()
        (self.outside / "secret").write_text(self.secret)
        (self.outside / "canary").write_text("alive")
        shutil.copytree(PROGRAMS, self.bundle, ignore=shutil.ignore_patterns("__pycache__"))
        (self.bundle / "data").mkdir()
        (self.bundle / "data" / "file").write_text("given")
        self._listen()
        for path in [self.outside, *self.outside.iterdir(), self.bundle, *self.bundle.rglob("*")]:
            path.chmod(0o777 if path.is_dir() or path.is_socket() else 0o666)
        self.victim = subprocess.Popen(
            ["sleep", "3600"], env={"HOSTILE_SECRET": self.secret}, start_new_session=True, cwd=self.outside
        )
        self._nofile = resource.prlimit(self.victim.pid, resource.RLIMIT_NOFILE)
        self._before = self._look()

    def _listen(self) -> None:
        self._tcp = socket.create_server(("0.0.0.0", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("0.0.0.0", 0))
        self._listeners = {"tcp": self._tcp, "udp": self._udp}
        with contextlib.suppress(OSError):
            self._listeners["tcp6"] = socket.create_server(("::1", 0), family=socket.AF_INET6)
        self.abstract = "cogbox-hostile-" + secrets.token_hex(8)
        for name, address, kind in (
            ("unix", str(self.outside / "socket"), socket.SOCK_STREAM),
            ("abstract", "\0" + self.abstract, socket.SOCK_STREAM),
            ("abstract datagram", "\0" + self.abstract + "-datagram", socket.SOCK_DGRAM),
        ):
            self._listeners[name] = socket.socket(socket.AF_UNIX, kind)
            self._listeners[name].bind(address)
            if kind == socket.SOCK_STREAM:
                self._listeners[name].listen()
        for listener in self._listeners.values():
            listener.setblocking(False)

    def targets(self) -> dict[str, object]:
        """Return the information that the programs receive."""
        ports = {name: self._listeners.get(name, self._tcp).getsockname()[1] for name in ("tcp", "tcp6", "udp")}
        return {
            **ports,
            "address": own_address(),
            "secret_file": str(self.outside / "secret"),
            "canary": str(self.outside / "canary"),
            "outside": str(self.outside),
            "bundle": str(self.bundle),
            "unix": str(self.outside / "socket"),
            "abstract": self.abstract,
            "abstract_datagram": self.abstract + "-datagram",
            "victim": self.victim.pid,
            "caller": os.getpid(),
            "uid": os.geteuid(),
        }

    def _look(self) -> dict[str, object]:
        """Return all that must stay as it is."""
        files = {}
        for path in [self.outside, self.bundle, *self.outside.rglob("*"), *self.bundle.rglob("*")]:
            info = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            names = tuple(os.listxattr(path, follow_symlinks=False))
            files[str(path)] = (info.st_mode, info.st_mtime_ns, info.st_uid, info.st_nlink, names, content)
        stat = Path(f"/proc/{self.victim.pid}/stat").read_text().rpartition(")")[2].split()
        return {
            "files outside": files,
            "the process outside": (self.victim.poll(), stat[0] in "SR", stat[16]),  # alive, not stopped, its priority
            "its processors": os.sched_getaffinity(self.victim.pid),
            "its limits": resource.prlimit(self.victim.pid, resource.RLIMIT_NOFILE),
            "the caller's limits": resource.getrlimit(resource.RLIMIT_NOFILE),
            "the caller's priority": os.getpriority(os.PRIO_PROCESS, 0),
            "the caller's processors": os.sched_getaffinity(0),
            "the machine's name": socket.gethostname(),
            "the clock": round((time.time() - time.monotonic()) / 60),
        }

    def damage(self) -> list[str]:
        """Describe the changes outside and the listeners that were reached."""
        now = self._look()
        problems = [
            f"changed: {name}: {self._difference(name, now)}" for name in now if now[name] != self._before[name]
        ]
        for name, listener in self._listeners.items():
            try:
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(100)
                else:
                    listener.accept()[0].close()
            except BlockingIOError:
                continue
            problems.append(f"reached: {name}")
        self._before = now
        return problems

    def _difference(self, name: str, now: dict[str, object]) -> str:
        before, after = self._before[name], now[name]
        if isinstance(before, dict) and isinstance(after, dict):
            return str(
                [(key, before.get(key), after.get(key)) for key in before | after if before.get(key) != after.get(key)]
            )
        return f"{before} -> {after}"

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        for listener in self._listeners.values():
            listener.close()


def processes_of(uid: int) -> set[int]:
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                if (
                    os.stat(f"/proc/{entry}").st_uid == uid
                    or f"\nUid:\t{uid}\t" in Path(f"/proc/{entry}/status").read_text()
                ):
                    found.add(int(entry))
    return found


def things_of(uid: int) -> list[str]:
    """Return a user's files in world-writable folders, and its System V objects."""
    found = []
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run"):
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            with contextlib.suppress(OSError):  # of others, and gone meanwhile
                if os.lstat(os.path.join(folder, name)).st_uid == uid:
                    found.append(os.path.join(folder, name))
    for kind in ("shm", "msg", "sem"):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
            column = lines[0].split().index("uid")
            found += [f"{kind} {line}" for line in lines[1:] if int(line.split()[column]) == uid]
    return found


def control_groups() -> list[str]:
    """Groups of boxes this process has started: below its own groups, or beside them."""
    own = [line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text().splitlines()]
    above = {str(path) for group in own for path in (Path(group), *Path(group).parents)}
    found = set()
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        for group in above if " - cgroup" in line else ():
            folder = line.split(" ")[4] + group.rstrip("/")
            with contextlib.suppress(OSError):
                names = [name for name in os.listdir(folder) if name.startswith(f"cogbox-{os.getpid()}-")]
                found |= {os.path.join(folder, name) for name in names}
    return sorted(found)


def mounts() -> set[str]:
    """Mounts of this machine, with what is mounted; those of a container engine are `engine_mounts`."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    engines = ("/containers/", "/run/runc/", "/storage/overlay")
    return {line.split(" ", 1)[1] for line in lines if not any(place in line for place in engines)}


def engine_mounts() -> set[str]:
    """Ids of the containers for which podman has something mounted."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {part for line in lines if "/containers/storage/" in line for part in line.split("/") if len(part) == 64}
