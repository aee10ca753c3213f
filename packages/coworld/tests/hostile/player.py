"""A player that does not play: it takes what it can get, and tells in its artifact, where nothing is redacted."""

import contextlib
import ctypes
import glob
import json
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

WANTED = json.loads(os.environ["WANTED"])
found = {"files": {}, "environments": {}, "commands": [], "reached": [], "listed": [], "broke": []}


def note(kind, name, data):
    if len(data) < 1 << 20:
        found[kind][str(name)] = data.decode("latin-1")


# What other processes were started with.
for folder in Path("/proc").glob("[0-9]*"):
    for name in ("environ", "cmdline", "maps"):
        with contextlib.suppress(OSError):
            note("environments", folder / name, (folder / name).read_bytes())
# The workspace, by its path and by every way around it.
for path in [*WANTED["files"], "/coworld/config.json", "/proc/1/root/coworld/config.json", "/proc/1/cwd/config.json"]:
    with contextlib.suppress(OSError):
        note("files", path, Path(path).read_bytes())
for root in ("/coworld", "/tmp", "/var/lib/cogbox", "/var/lib/containers", "/run", "/dev/shm", WANTED["workspace"]):
    for folder, folders, names in os.walk(root):
        # Where the interpreter lies below such a place, it is there on purpose, and large.
        folders[:] = [name for name in folders if not os.path.exists(f"{folder}/{name}/pyvenv.cfg")]
        for name in names[:1000]:
            path = Path(folder) / name
            found["listed"].append(str(path))
            with contextlib.suppress(OSError):
                if path.stat().st_size < 1 << 16:
                    note("files", path, path.read_bytes())
# Everything on the network but the game.
for host, port in WANTED["addresses"]:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=0.3) as end:
        end.sendall(b"caught")
        found["reached"].append([host, port])
for path in WANTED["sockets"]:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as end:
        end.connect(path)
        found["reached"].append(path)
game = urlsplit(os.environ["COWORLD_PLAYER_WS_URL"])
with contextlib.suppress(OSError), socket.create_connection((game.hostname, game.port), timeout=5):
    found["game"] = True
# The kernel's own files and the rest of the machine, for a program that may run as root.
libc = ctypes.CDLL(None)
for name, code in {
    "mount": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
    "namespace": lambda: libc.unshare(0x10000000),
    "trace": lambda: libc.ptrace(16, 1, 0, 0),
    "host name": lambda: libc.sethostname(b"taken", 5),
    "user": lambda: libc.setuid(12345 if os.getuid() == 0 else 0),
    "device": lambda: libc.mknod(b"/tmp/device", 0o60600, 0x801),
}.items():
    if code() == 0:
        found["broke"].append(name)
for path in (
    "/etc/taken",
    "/proc/sys/kernel/core_pattern",
    "/proc/sysrq-trigger",
    "/sys/power/state",
    "/run/cogbox/guard",
):
    with contextlib.suppress(OSError), open(path, "w") as file:
        found["broke"].append(path)
for pattern in ("/sys/fs/cgroup/*/release_agent", "/sys/fs/cgroup/*/cgroup.procs", "/sys/fs/cgroup/cgroup.procs"):
    for path in glob.glob(pattern):
        with contextlib.suppress(OSError), open(path, "w") as file:
            found["broke"].append(path)
Path(urlsplit(os.environ["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"]).path).write_text(json.dumps(found))
raise SystemExit(11)
