"""podman or docker: their isolation, our limits.

Without an image the root folder contains only the mounts. With one (`ImageRoot`) it has the image's files, and the
guard is mounted into it as its first program.
"""

import contextlib
import functools
import hashlib
import io
import os
import subprocess
import tarfile
from pathlib import Path

from cogbox import _folders
from cogbox._guard import guard_path, missing_guard
from cogbox._job import Job, all_mounts
from cogbox._plan import Pairs
from cogbox.container_engines import (
    ANSWER_SECONDS,
    container_owner,
    engine_command,
    engine_controllers,
    engine_problem,
    first_engine,
    run_engine,
)
from cogbox.image_root import ImageRoot
from cogbox.limits import MIB
from cogbox.mounts import Mount
from cogbox.network import check_socket_path

INSIDE, SOCKET = "/run/cogbox/guard", "/run/cogbox/socket"
LINKS_IMAGE = "localhost/cogbox-links"
OWNER = "cogbox.owner"
"""label of a container: the process that started it"""


def missing(engine: str | None = None) -> str | None:
    return missing_guard() or (engine_problem(engine) if engine else first_engine()[1]) or None


def engine_of(job: Job) -> str:
    name = job.engine or first_engine()[0]
    assert name is not None
    return name


@functools.cache
def _links_image(engine: str, symlinks: tuple[tuple[str, str], ...]) -> str:
    """Create an image with nothing but symbolic links (target, path): docker has no option for a root folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for target, path in symlinks:
            link = tarfile.TarInfo(path.lstrip("/"))
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
    image = f"{LINKS_IMAGE}:{hashlib.sha256(buffer.getvalue()).hexdigest()[:16]}"
    if run_engine(engine, "image", "inspect", image, timeout=ANSWER_SECONDS).returncode:
        imported = run_engine(engine, "import", "-", image, input=buffer.getvalue(), timeout=ANSWER_SECONDS)
        if imported.returncode:
            raise OSError(f"`{engine} import` failed: {imported.stderr.strip()}")
    return image


def plan(job: Job) -> Pairs:
    engine, limits, socket = engine_of(job), job.limits, job.folder.keep / "socket"
    check_socket_path(socket, "set COGBOX_STATE to a folder with a shorter path")
    sweep(engine)
    words = [*engine_command(engine), "run", "--rm", "--name", container_name(job), "--network", "none", "--read-only"]
    words += ["--cap-drop", "all", "--security-opt", "no-new-privileges", "--hostname", "box"]
    words += ["--log-driver", "none", "--ulimit", f"nofile={limits.open_files}:{limits.open_files}"]
    # Not below the number of running processes: the limit is per user, and podman's own processes count.
    words += ["--ulimit", "nproc=4096:4096", "--ulimit", "core=1:1"]
    words += ["--tmpfs", f"/tmp:rw,nosuid,nodev,mode=1777,size={limits.scratch_bytes}"]
    words += ["--shm-size", str(max(limits.scratch_bytes // 4, 4096))]
    words += ["--label", f"{OWNER}={container_owner()}"]
    if engine == "podman":
        words += ["--read-only-tmpfs=false"]  # otherwise podman adds its own writable folders
    words += ["--volume", f"{guard_path()}:{INSIDE}:ro", "--volume", f"{socket}:{SOCKET}"]
    words += _image_words(job, job.image, engine) if job.image else _own_words(job, engine)
    words += ["connect", SOCKET]
    pairs: Pairs = [("level", "container"), ("pid_namespace", "1"), ("seccomp", "own"), ("listen", str(socket))]
    pairs += [("scratch_memory", "/tmp"), ("scratch_memory", "/dev/shm")]
    pairs += [("launcher", word) for word in words]
    pairs += [
        ("launcher_log", str(job.folder.keep / "launcher.log")),
        ("scratch_at", "/tmp"),
        ("scratch_at", "/dev/shm"),
    ]
    pairs += job.common()
    if job.image:
        # The image's user may have other processes on this machine, so only the guard's count applies.
        return pairs + ([("allow_root", "1")] if job.image.uid == 0 else [])
    # Without root the engine's own processes have the same user, so only the guard's count applies.
    return pairs + (job.process_limit() if job.uid is not None else [])


def _mounted(mounts: list[Mount]) -> list[str]:
    options = [f"{mount.source}:{mount.inside}:{'rw' if mount.writable else 'ro'}" for mount in mounts]
    return [word for option in options for word in ("--volume", option)]


def _own_words(job: Job, engine: str) -> list[str]:
    """Return the words for a root folder of mounts, and the guard as its program."""
    mounts, symlinks = all_mounts(job)
    words = ["--workdir", "/", *_mounted(mounts)]
    if job.uid is not None:
        words += ["--user", f"{job.uid}:{job.uid}"]
    elif engine == "podman":
        words += ["--userns", "keep-id", "--user", f"{os.geteuid()}:{os.getegid()}"]
    else:
        words += ["--user", f"{os.geteuid()}:{os.getegid()}"]
    if engine != "podman":
        return [*words, _links_image(engine, tuple(symlinks)), INSIDE]
    root = job.folder.keep / "root"
    root.mkdir()
    for target, path in symlinks:
        (root / path.lstrip("/")).symlink_to(target)
    root.chmod(0o755)
    return [*words, "--pull", "never", "--rootfs", str(root), INSIDE]


def _image_words(job: Job, image: ImageRoot, engine: str) -> list[str]:
    """Return the words for the root folder of an image, and the guard as its program."""
    words = _mounted([*_address_files(job, image), *job.mounts])
    if job.work_at is not None:
        words += _mounted([Mount(job.folder.work, job.work_at, writable=True)])
    if os.geteuid() == 0:
        words += ["--user", f"{image.uid}:{image.gid}"]
    elif engine == "podman":
        # The image's user is the caller outside, as root is anyway, so that both can use the private folder.
        words += ["--userns", f"keep-id:uid={image.uid},gid={image.gid}"] if image.uid or image.gid else []
        words += ["--user", f"{image.uid}:{image.gid}"]
    else:
        words += ["--user", f"{os.geteuid()}:{os.getegid()}"]
    # Above the guard's own limits, which come with a verdict: these apply where a box has no control group.
    controllers = engine_controllers(engine)
    if "memory" in controllers:
        memory = str(job.limits.memory + 64 * MIB)
        words += ["--memory", memory, "--memory-swap", memory]
    if "pids" in controllers:
        words += ["--pids-limit", str(job.limits.processes + 16)]
    if "cpu" in controllers and job.limits.cpus is not None:
        words += ["--cpus", f"{job.limits.cpus:g}"]
    words += [word for key, value in image.labels.items() for word in ("--label", f"{key}={value}")]
    words += ["--platform", image.platform] if image.platform else []
    return [*words, "--pull", "never", "--entrypoint", INSIDE, image.image]


def _address_files(job: Job, image: ImageRoot) -> list[Mount]:
    """Create the files that look up names, without those of the machine."""
    texts = {"hosts": f"127.0.0.1 {' '.join(['localhost', 'box', *image.hosts])}\n", "resolv.conf": ""}
    mounts = []
    for name, text in texts.items():
        path = job.folder.keep / name
        path.write_text(text)
        path.chmod(0o644)
        mounts.append(Mount(path, Path("/etc") / name))
    return mounts


def container_name(job: Job) -> str:
    return job.image.name if job.image else "cogbox-" + job.folder.path.name


def clean_up(job: Job) -> None:
    """Remove a container that did not end with its box, for example because the engine was interrupted at start."""
    remove_containers(engine_of(job), [container_name(job)])
    root = job.folder.keep / "root"
    if os.geteuid() != 0 and root.exists():
        # Without root, mount points that podman has created in it belong to subordinate users of the caller.
        with contextlib.suppress(subprocess.TimeoutExpired):
            run_engine("podman", "unshare", "rm", "-rf", str(root), timeout=ANSWER_SECONDS)


def remove_containers(engine: str, names: list[str]) -> None:
    """Remove containers with everything they have, if they exist."""
    # docker kills at once, and skips containers that do not exist, without these options.
    words = ["rm", "--force", "--volumes", *(["--time", "0", "--ignore"] if engine == "podman" else []), *names]
    with contextlib.suppress(subprocess.TimeoutExpired):
        run_engine(engine, *words, timeout=ANSWER_SECONDS)


@functools.cache
def sweep(engine: str) -> None:
    """Remove the containers of processes that were killed together with their guards; once per process."""
    gone = [name for name, owner in owned_containers(engine).items() if _is_gone(owner)]
    if gone:
        remove_containers(engine, gone)


def owned_containers(engine: str) -> dict[str, str]:
    """Return the containers of boxes by name, with the processes that started them."""
    try:
        listed = run_engine(engine, "ps", "--all", "--quiet", "--filter", f"label={OWNER}", timeout=ANSWER_SECONDS)
        if not listed.stdout.strip():
            return {}
        form = f'{{{{.Name}}}} {{{{index .Config.Labels "{OWNER}"}}}}'
        result = run_engine(engine, "inspect", "--format", form, *listed.stdout.split(), timeout=ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        return {}
    rows = [line.split() for line in result.stdout.splitlines()]
    return {row[0].lstrip("/"): row[1] for row in rows if len(row) == 2}


def _is_gone(owner: str) -> bool:
    pid, _, rest = owner.partition("-")
    started, _, namespace = rest.partition("-")
    # Pids of another namespace (a container with the same engine) have no meaning here.
    return pid.isdigit() and namespace == _folders.pid_namespace() and _folders.started(int(pid)) != started
