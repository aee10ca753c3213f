"""The folder of a box on disk: its private writable folder and its logs; safe reading and removal of a box's files.

BASE/                    0711, of this user; BASE is $COGBOX_STATE, /var/lib/cogbox of root, or cogbox-UID in the
                         folder for temporary files
  PID-STARTED-NS-RANDOM/ 0711, an unguessable name
    work/                0700, of the box's user: the only folder of the machine the program can write
    tmp/                 0700, of the box's user: its /tmp where there is no mount namespace
    keep/                0700: logs, root folder, small files to mount
"""

import atexit
import contextlib
import functools
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


def started(pid: int) -> str:
    """Return the start time of a process in kernel ticks, "" if it has ended; with the pid it identifies a process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


def pid_namespace() -> str:
    """Return the id of this process's pid namespace."""
    return os.readlink("/proc/self/ns/pid").strip("pid:[]")


def base() -> Path:
    """Return the folder of all boxes of this user; never one that another user created."""
    if named := os.environ.get("COGBOX_STATE"):
        candidates = [Path(named)]
    else:
        candidates = [Path(tempfile.gettempdir()) / f"cogbox-{os.geteuid()}"]
        if os.geteuid() == 0:
            candidates.insert(0, Path("/var/lib/cogbox"))
    return next((path for path in candidates if _is_ours(path)), None) or _own_base()


def _is_ours(path: Path) -> bool:
    """Create the folder if necessary; return whether only this user can change it."""
    try:
        path.mkdir(mode=0o711, parents=True, exist_ok=True)
        info = path.lstat()
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o022:
            return False
        path.chmod(0o711)
    except OSError:
        return False
    return True


@functools.cache
def _own_base() -> Path:
    """Create a base folder for this process only, removed at exit."""
    path = Path(tempfile.mkdtemp(prefix="cogbox-"))
    path.chmod(0o711)
    atexit.register(remove_tree, path)
    return path


class BoxFolder:
    """One box's folder."""

    def __init__(self, owner: int | None) -> None:
        self.path = base() / f"{os.getpid()}-{started(os.getpid())}-{pid_namespace()}-{secrets.token_hex(12)}"
        self.path.mkdir(mode=0o711)
        self.path.chmod(0o711)
        self.work, self.tmp, self.keep = self.path / "work", self.path / "tmp", self.path / "keep"
        for folder in (self.work, self.tmp, self.keep):
            folder.mkdir(mode=0o700)
        if owner is not None:
            for folder in (self.work, self.tmp):
                os.chown(folder, owner, owner)

    def remove(self) -> None:
        remove_tree(self.path)


def sweep() -> None:
    """Remove the folders of boxes whose caller is gone.

    Other processes may sweep at the same time, and a folder may be impossible to remove: neither blocks a new box.
    """
    with contextlib.suppress(OSError):
        for folder in list(base().iterdir()):
            words = folder.name.split("-")
            # Pids of another namespace (a container with the same folder) have no meaning here.
            ours = len(words) == 4 and words[0].isdigit() and words[2] == pid_namespace()
            with contextlib.suppress(OSError):
                if ours and folder.is_dir() and started(int(words[0])) != words[1]:
                    remove_tree(folder)


def remove_tree(path: Path) -> None:
    """Remove a folder of any depth and with any modes, without following links or leaving it.

    All processes of the box have ended, so the tree does not change meanwhile. The way back up is `..`: a full path
    may be longer than the path limit, and one descriptor per level may exceed the descriptor limit.
    """
    try:
        fd = _open_folder(str(path), None)
    except FileNotFoundError:
        return
    # Per level: its name in the parent folder, and its subfolders that still have to be removed.
    levels = [("", _empty(fd))]
    try:
        while True:
            name, below = levels[-1]
            if below:
                deeper = _open_folder(below[-1], fd)
                os.close(fd)
                fd = deeper
                levels.append((below.pop(), _empty(fd)))
            elif len(levels) > 1:
                above = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
                os.close(fd)
                fd = above
                os.rmdir(name, dir_fd=fd)
                levels.pop()
            else:
                break
    finally:
        os.close(fd)
    os.rmdir(path)


def _open_folder(name: str, fd: int | None) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=fd)  # the box removed the permission; this process may restore it
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)


def _empty(fd: int) -> list[str]:
    """Remove everything in a folder that is not a folder; return the names of the folders in it."""
    if os.fstat(fd).st_mode & 0o700 != 0o700:
        os.fchmod(fd, 0o700)
    with os.scandir(fd) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listed:
        if not is_folder:
            os.unlink(name, dir_fd=fd)
    return [name for name, is_folder in listed if is_folder]


def read_inside(folder: Path, name: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a box's file if it is a plain file of at most `max_bytes`, not behind a link; else None."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return None
    fds: list[int] = []
    try:
        fds.append(_open_folder(str(folder), None))
        for part in parts[:-1]:
            fds.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fds[-1]))
        # Non-blocking: opening a named pipe would otherwise wait for a writer forever.
        fds.append(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fds[-1]))
        info = os.fstat(fds[-1])
        if not stat.S_ISREG(info.st_mode) or info.st_size > max_bytes:
            return None
        with os.fdopen(fds.pop(), "rb") as file:
            data = file.read(max_bytes + 1)
        return data if len(data) <= max_bytes else None
    except (OSError, ValueError):  # ValueError: the name contains a zero byte
        return None
    finally:
        for fd in fds:
            os.close(fd)


def list_inside(folder: Path) -> Iterator[str]:
    """Yield the relative paths of plain files below a folder: at most 10,000, at most 32 levels deep."""
    count = 0
    for root, folders, files in os.walk(folder, followlinks=False):
        relative = Path(root).relative_to(folder)
        if len(relative.parts) >= 32:
            folders.clear()
        for name in sorted(files):
            if (Path(root) / name).is_symlink() or count >= 10_000:
                continue
            count += 1
            yield str(relative / name)
