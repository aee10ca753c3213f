"""podman and docker as command line programs: which of them responds, and how it is called."""

import contextlib
import functools
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from cogbox import _folders

ENGINES = ("podman", "docker")
"""in the order of preference"""
ANSWER_SECONDS = 10
INSTALL = "sudo apt install podman runc uidmap"


@functools.cache
def engine_problem(name: str) -> str:
    """Return why an engine cannot be used here; "" if it responds."""
    if not shutil.which(name):
        return f"`{name}` is not installed"
    if name == "podman" and os.geteuid() != 0 and not _has_subordinate_ids():
        # Do not call podman: it would leave a process behind, only to report this.
        return "podman gives this user no containers: add a range to /etc/subuid and /etc/subgid"
    try:
        answer = run_engine(name, "info", timeout=ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        return f"`{name} info` did not respond within {ANSWER_SECONDS} s"
    if answer.returncode == 0:
        return ""
    lines = answer.stderr.strip().splitlines()
    return f"`{name} info` failed: {lines[-1] if lines else 'no error output'}"


@functools.cache
def first_engine() -> tuple[str | None, str]:
    """Return (podman or docker, "") for an engine that responds, or (None, the reasons why none does)."""
    reasons = []
    for name in ENGINES:
        reason = engine_problem(name)
        if not reason:
            return name, ""
        reasons.append(reason)
    return None, "; ".join(reasons) + " (packages `podman`, `runc` and `uidmap`)"


def container_owner() -> str:
    """Return a name of this process that no other process has, for the label of its containers."""
    return f"{os.getpid()}-{_folders.started(os.getpid())}-{_folders.pid_namespace()}"


def engine_command(name: str) -> list[str]:
    """Return the first words of a command of an engine."""
    # podman's default runtime fails on machines that do not allow it to raise limits.
    return [name, "--runtime", "runc"] if name == "podman" and shutil.which("runc") else [name]


@functools.cache
def engine_controllers(name: str) -> frozenset[str]:
    """Return the kinds of limits that an engine can apply: podman without root has those that systemd delegates."""
    if name == "podman" and os.geteuid() != 0:
        result = run_engine(name, "info", "--format", "{{range .Host.CgroupControllers}}{{.}} {{end}}")
        return frozenset(result.stdout.split())
    return frozenset({"memory", "pids", "cpu"})


def run_engine(
    name: str, *words: str, timeout: float | None = None, input: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run a command of an engine to its end, with its output as text."""
    ran = subprocess.run([*engine_command(name), *words], input=input, capture_output=True, timeout=timeout)
    texts = (stream.decode(errors="replace") for stream in (ran.stdout, ran.stderr))
    return subprocess.CompletedProcess(ran.args, ran.returncode, *texts)


def _has_subordinate_ids() -> bool:
    names = {str(os.geteuid())}
    with contextlib.suppress(KeyError):
        names.add(pwd.getpwuid(os.geteuid()).pw_name)
    for path in ("/etc/subuid", "/etc/subgid"):
        try:
            owners = {line.split(":")[0] for line in Path(path).read_text().splitlines()}
        except OSError:
            return False
        if not owners & names:
            return False
    return shutil.which("newuidmap") is not None
