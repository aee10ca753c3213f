"""podman or docker: their walls, our limits. No image is needed: the root folder is empty but for the mounts."""

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


def _asked(words: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=ANSWER_SECONDS, **options)  # type: ignore[call-overload]


@functools.cache
def engine() -> tuple[str | None, str]:
    """(podman or docker, "") that answers, or (None, why none does)."""
    reasons = []
    for name in ("podman", "docker"):
        if not shutil.which(name):
            reasons.append(f"`{name}` is not installed")
            continue
        if name == "podman" and os.geteuid() != 0 and not _has_subordinate_ids():
            # Not asked: podman would leave a process of its own behind, only to say so.
            reasons.append("podman gives this user no containers: give it a range in /etc/subuid and /etc/subgid")
            continue
        try:
            answer = _asked([name, "info"])
        except subprocess.TimeoutExpired:
            reasons.append(f"`{name} info` did not answer in {ANSWER_SECONDS} s")
            continue
        if answer.returncode == 0:
            return name, ""
        words = answer.stderr.strip().splitlines()
        reasons.append(f"`{name} info` failed: {words[-1] if words else 'it said nothing'}")
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
    # podman's default runtime fails on machines whose limits it may not raise.
    return [name, "--runtime", "runc"] if name == "podman" and shutil.which("runc") else [name]


@functools.cache
def _image() -> list[str]:
    """docker has no empty root folder but an empty image."""
    name = engine()[0]
    assert name is not None
    if _asked([name, "image", "inspect", EMPTY_IMAGE]).returncode:
        empty_archive = "\0" * 10240
        made = _asked([name, "import", "-", EMPTY_IMAGE], input=empty_archive)
        if made.returncode:
            raise OSError(f"`{name} import` failed: {made.stderr.strip()}")
    return [EMPTY_IMAGE]


def plan(job: Job) -> Pairs:
    name = engine()[0]
    limits, socket = job.limits, job.folder.keep / "socket"
    check_socket_path(socket, "set COGBOX_STATE to a folder with a shorter path")
    mounts, symlinks = all_mounts(job)
    words = [*base_words(), "run", "--rm", "--name", container_name(job), "--network", "none", "--read-only"]
    words += ["--cap-drop", "all", "--security-opt", "no-new-privileges", "--hostname", "box", "--workdir", "/"]
    words += ["--log-driver", "none", "--ulimit", f"nofile={limits.open_files}:{limits.open_files}"]
    # Not below what is running: the limit is the user's, and podman itself counts.
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
        words += ["--read-only-tmpfs=false"]  # or it adds writable folders of its own
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
    # Without root the engine's own processes are of the same user; there the guard's count alone remains.
    return pairs + job.common() + (job.process_limit() if job.uid is not None else [])


def container_name(job: Job) -> str:
    return "cogbox-" + job.folder.path.name


def clean_up(job: Job) -> None:
    """A container that did not end with its box, as when the engine was interrupted in the middle of its start."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        _asked([*base_words(), "rm", "--force", "--time", "0", container_name(job)])
