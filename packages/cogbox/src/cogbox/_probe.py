"""Runs inside boxes during the self-test: a victim with secrets, or its attacker. Standard library only."""

import ctypes
import functools
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PTRACE_ATTACH = 16


def tried(action: Callable[[], T]) -> T | None:
    """Return the result of an attack, or None if it was refused."""
    try:
        return action()
    except (OSError, ValueError):
        return None


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(4096)


def victim() -> None:
    signal.signal(signal.SIGUSR1, lambda *_: print("signalled", flush=True))
    print("ready", flush=True)
    while True:
        time.sleep(60)


def attack(protected: str, outside: str, folder: str, port: str, name: str, pid: str, caller: str) -> None:
    print("file", tried(lambda: read(protected)))
    print("folder", tried(lambda: [read(os.path.join(folder, entry)) for entry in os.listdir(folder)]))
    processes = [entry for entry in tried(lambda: os.listdir("/proc")) or [] if entry.isdigit()]
    for process in {*processes, pid, caller, *(str(int(pid) + step) for step in range(-3, 4))}:
        if int(process) != os.getpid():
            print("environment", tried(functools.partial(read, f"/proc/{process}/environ")))
    tried(lambda: open(os.path.join(outside, "written"), "w").close())
    tried(lambda: os.link(protected, os.path.join(outside, "linked")))
    tried(lambda: os.mkdir(os.path.join(outside, "made")))
    tried(lambda: socket.create_connection(("127.0.0.1", int(port)), timeout=2).close())

    def reach_abstract() -> None:
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect("\0" + name)

    tried(reach_abstract)
    libc = ctypes.CDLL(None, use_errno=True)
    attached = [
        target for target in (1, os.getppid(), int(pid), int(caller)) if libc.ptrace(PTRACE_ATTACH, target, 0, 0) == 0
    ]
    print(f"ptrace={attached or 'refused'}")
    for target in (int(pid), int(pid) + 1, int(pid) + 2):
        if target != os.getpid():
            tried(functools.partial(os.kill, target, signal.SIGUSR1))
    status = dict(
        line.split(":\t", 1)
        for line in (tried(lambda: read("/proc/self/status")) or b"").decode().splitlines()
        if ":\t" in line
    )
    print(f"uid={os.getuid()}")
    print(f"capabilities={int(status['CapEff'], 16) if 'CapEff' in status else 'unknown'}")
    print(f"privileges={status.get('NoNewPrivs', 'unknown')}")
    print("done", flush=True)


def fork() -> None:
    while True:
        try:
            if os.fork() == 0:
                time.sleep(60)
        except OSError:
            time.sleep(0.01)


def memory() -> None:
    held = []
    while True:
        held.append(bytearray(os.urandom(1) * (8 << 20)))


if __name__ == "__main__":
    parts: dict[str, Callable[..., None]] = {"victim": victim, "attack": attack, "fork": fork, "memory": memory}
    parts[sys.argv[1]](*sys.argv[2:])
