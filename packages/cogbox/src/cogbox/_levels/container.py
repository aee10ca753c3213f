"""podman or docker: their isolation, our limits. No image is needed: the root folder contains only the mounts."""

import contextlib
import functools
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from cogbox._guard import guard_path, missing_guard
from cogbox._job import Job, all_mounts
from cogbox._plan import Pairs
from cogbox.network import check_socket_path

INSIDE, SOCKET = "/run/cogbox/guard", "/run/cogbox/socket"
EMPTY_IMAGE = "localhost/cogbox-empty:1"
ANSWER_SECONDS = 10


def _run_tool(words: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=ANSWER_SECONDS, **options)  # type: ignore[call-overload]


@functools.cache
def engine() -> tuple[str | None, str]:
    """Return (podman or docker, "") for an engine that responds, or (None, the reasons why none does)."""
    reasons = []
    for name in ("podman", "docker"):
        if not shutil.which(name):
            reasons.append(f"`{name}` is not installed")
            continue
        if name == "podman" and os.geteuid() != 0 and not _has_subordinate_ids():
            # Do not call podman: it would leave a process behind, only to report this.
            reasons.append("podman gives this user no containers: add a range to /etc/subuid and /etc/subgid")
            continue
        try:
            answer = _run_tool([name, "info"])
        except subprocess.TimeoutExpired:
            reasons.append(f"`{name} info` did not respond within {ANSWER_SECONDS} s")
            continue
        if answer.returncode == 0:
            return name, ""
        words = answer.stderr.strip().splitlines()
        reasons.append(f"`{name} info` failed: {words[-1] if words else 'no error output'}")
    return None, "; ".join(reasons) + " (packages `podman`, `runc` and `uidmap`)"


def missing() -> str | None:
    return missing_guard() or engine()[1] or None


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


def base_words() -> list[str]:
    name = engine()[0]
    assert name is not None
    # podman's default runtime fails on machines that do not allow it to raise limits.
    return [name, "--runtime", "runc"] if name == "podman" and shutil.which("runc") else [name]


@functools.cache
def _image() -> list[str]:
    """Return an empty image: docker needs one in place of an empty root folder."""
    name = engine()[0]
    assert name is not None
    if _run_tool([name, "image", "inspect", EMPTY_IMAGE]).returncode:
        empty_archive = "\0" * 10240
        imported = _run_tool([name, "import", "-", EMPTY_IMAGE], input=empty_archive)
        if imported.returncode:
            raise OSError(f"`{name} import` failed: {imported.stderr.strip()}")
    return [EMPTY_IMAGE]


def plan(job: Job) -> Pairs:
    name = engine()[0]
    limits, socket = job.limits, job.folder.keep / "socket"
    check_socket_path(socket, "set COGBOX_STATE to a folder with a shorter path")
    mounts, symlinks = all_mounts(job)
    words = [*base_words(), "run", "--rm", "--name", container_name(job), "--network", "none", "--read-only"]
    words += ["--cap-drop", "all", "--security-opt", "no-new-privileges", "--hostname", "box", "--workdir", "/"]
    words += ["--log-driver", "none", "--ulimit", f"nofile={limits.open_files}:{limits.open_files}"]
    # Not below the number of running processes: the limit is per user, and podman's own processes count.
    words += ["--ulimit", "nproc=4096:4096", "--ulimit", "core=1:1"]
    words += ["--tmpfs", f"/tmp:rw,nosuid,nodev,mode=1777,size={limits.scratch_bytes}"]
    words += ["--shm-size", str(max(limits.scratch_bytes // 4, 4096))]
    if job.uid is not None:
        words += ["--user", f"{job.uid}:{job.uid}"]
    elif name == "podman":
        words += ["--userns", "keep-id", "--user", f"{os.geteuid()}:{os.getegid()}"]
    else:
        words += ["--user", f"{os.geteuid()}:{os.getegid()}"]
    for mount in mounts:
        words += ["--volume", f"{mount.source}:{mount.inside}:{'rw' if mount.writable else 'ro'}"]
    words += ["--volume", f"{guard_path()}:{INSIDE}:ro", "--volume", f"{socket}:{SOCKET}"]
    if name == "podman":
        words += ["--read-only-tmpfs=false"]  # otherwise podman adds its own writable folders
        root = job.folder.keep / "root"
        root.mkdir()
        for target, path in symlinks:
            (root / path.lstrip("/")).symlink_to(target)
        root.chmod(0o755)
        words += ["--pull", "never", "--rootfs", str(root)]
    else:
        words += _image()
    words += [INSIDE, "connect", SOCKET]
    pairs: Pairs = [("level", "container"), ("pid_namespace", "1"), ("seccomp", "own"), ("listen", str(socket))]
    pairs += [("scratch_memory", "/tmp"), ("scratch_memory", "/dev/shm")]
    pairs += [("launcher", word) for word in words]
    pairs += [
        ("launcher_log", str(job.folder.keep / "launcher.log")),
        ("scratch_at", "/tmp"),
        ("scratch_at", "/dev/shm"),
    ]
    # Without root the engine's own processes have the same user, so only the guard's count applies.
    return pairs + job.common() + (job.process_limit() if job.uid is not None else [])


def container_name(job: Job) -> str:
    return "cogbox-" + job.folder.path.name


def clean_up(job: Job) -> None:
    """Remove a container that did not end with its box, for example because the engine was interrupted at start."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        _run_tool([*base_words(), "rm", "--force", "--time", "0", container_name(job)])
