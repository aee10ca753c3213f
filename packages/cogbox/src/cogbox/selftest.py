"""Prove a level before relying on it: attack a box from inside, and check from outside whether an attack succeeded.

Two boxes run at once, a victim and an attacker (`_probe.py`). The attacker's reports are not trusted: every check
relies on an observation from outside, or on a secret that only a successful attack reveals.
"""

import functools
import os
import secrets
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cogbox._levels import MODULES, container
from cogbox.box import Box
from cogbox.errors import CogboxError
from cogbox.level import Level
from cogbox.limits import MIB, Limits
from cogbox.mounts import Mount
from cogbox.verdict import Result, Verdict

CHECKS = {
    "protected file": "read a file outside",
    "neighbour's folder": "read another box's folder",
    "neighbour's environment": "read another process's environment",
    "write outside": "wrote a file outside",
    "socket": "reached a socket outside",
    "abstract socket": "reached an abstract socket outside",
    "ptrace": "traced another process",
    "signal": "signalled a process outside",
    "fork": "got past the limit of processes",
    "memory": "got past the limit of memory",
    "user": "had a user it must not have",
}
"""attack -> message if it succeeded"""

LIMITS = Limits(memory=256 * MIB, wall_seconds=20, processes=24, scratch_bytes=16 * MIB, output_bytes=MIB)


@dataclass(frozen=True)
class Proof:
    """The result of the self-test of a level on this machine."""

    level: Level
    reason: str = ""
    """why the level is not safe, with a remedy; empty if it is safe"""
    failed: tuple[str, ...] = ()
    """attacks of CHECKS that succeeded"""
    limited_by: str = ""

    @property
    def holds(self) -> bool:
        return not self.reason


def missing(level: Level, engine: str | None = None) -> str | None:
    """Return why a level is not available; None if it may be."""
    return container.missing(engine) if level is Level.CONTAINER else MODULES[level].missing()


@functools.cache
def proof(level: Level, engine: str | None = None) -> Proof:
    """Test a level, once per process. `none` isolates nothing and needs no proof."""
    if reason := missing(level, engine):
        return Proof(level, reason)
    if level is Level.NONE:
        return Proof(level, limited_by="rlimits")
    try:
        failed, limited_by = attack(level, engine)
    except (CogboxError, OSError) as error:
        return Proof(level, f"the self-test could not run: {error}")
    if failed:
        attacks = ", ".join(CHECKS[name] for name in failed)
        return Proof(level, f"the self-test broke it: a boxed program {attacks}", tuple(failed), limited_by)
    return Proof(level, limited_by=limited_by)


def attack(level: Level, engine: str | None = None) -> tuple[list[str], str]:
    """Attack a box; return the attacks that succeeded, and the mechanism that limits the boxes."""
    from cogbox.sandbox import Options, Sandbox

    box = Sandbox(level, engine=engine)
    secret = {name: secrets.token_hex(16) for name in ("file", "folder", "environment")}
    probe = Path(__file__).with_name("_probe.py")
    with tempfile.TemporaryDirectory(prefix="cogbox-test-") as name, Listeners() as listeners:
        outside = Path(name)
        outside.chmod(0o777)  # all users may write: only the box can prevent it
        protected = outside / "protected"
        protected.write_text(secret["file"])
        protected.chmod(0o644)
        command = [sys.executable, "-I", "-S", str(probe)]
        options: Options = {"mounts": [Mount(probe)], "limits": LIMITS}
        owned: Options = {
            **options,
            "env": {"COGBOX_SECRET": secret["environment"]},
            "files": {"folder-secret": secret["folder"].encode()},
        }
        with box.start([*command, "victim"], **owned) as victim:
            if not victim.wait_started():
                raise OSError(victim.wait().detail)
            _wait_for(victim, b"ready")
            places = [protected, outside, victim.work, listeners.port, listeners.name, victim.pid, os.getpid()]
            result = box.run([*command, "attack", *map(str, places)], **options)
            if b"done" not in result.stdout:
                raise OSError(f"the probe {result.detail}: {result.stderr.decode(errors='replace')[-300:]}")
            signalled = victim.poll() is not None or b"signalled" in victim.stdout_path.read_bytes()
            reached = listeners.reached()
        forks = box.run([*command, "fork"], **options)
        memory = box.run([*command, "memory"], **options)
        words = dict(line.split("=", 1) for line in result.stdout.decode(errors="replace").splitlines() if "=" in line)
        seen = result.stdout
        is_broken = {
            "protected file": secret["file"].encode() in seen,
            "neighbour's folder": secret["folder"].encode() in seen,
            "neighbour's environment": secret["environment"].encode() in seen,
            "write outside": sorted(path.name for path in outside.iterdir()) != ["protected"],
            "socket": "tcp" in reached,
            "abstract socket": "abstract" in reached,
            "ptrace": words.get("ptrace") != "refused",
            "signal": signalled,
            "fork": forks.verdict is not Verdict.TOO_MANY_PROCESSES,
            "memory": memory.verdict is not Verdict.OUT_OF_MEMORY,
            "user": not _right_user(words),
        }
    return [name for name, broken in is_broken.items() if broken], result.limited_by


def _right_user(words: dict[str, str]) -> bool:
    """Check the user: no capabilities, never root; for boxes of root a separate user, for others the caller."""
    uid = int(words.get("uid", "0"))
    plain = uid not in (0, 65534) if os.geteuid() == 0 else uid == os.geteuid()
    return plain and words.get("capabilities", "0") in ("0", "unknown") and words.get("privileges") in ("1", "unknown")


def _wait_for(box: Box, word: bytes) -> None:
    deadline = time.monotonic() + 20
    while word not in box.stdout_path.read_bytes():
        result: Result | None = box.poll()
        if result is not None or time.monotonic() > deadline:
            raise OSError(f"the victim {result.detail if result else 'did not respond'}")
        time.sleep(0.002)


class Listeners:
    """A TCP port and an abstract Unix socket outside the box that no attack may reach."""

    def __enter__(self) -> "Listeners":
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._abstract = socket.socket(socket.AF_UNIX)
        self.name = "cogbox-test-" + secrets.token_hex(8)
        self._abstract.bind("\0" + self.name)
        self._abstract.listen()
        self.port = self._tcp.getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._tcp.close()
        self._abstract.close()

    def reached(self) -> set[str]:
        names = set()
        for name, listener in (("tcp", self._tcp), ("abstract", self._abstract)):
            listener.setblocking(False)
            try:
                listener.accept()[0].close()
                names.add(name)
            except BlockingIOError:
                pass
        return names
