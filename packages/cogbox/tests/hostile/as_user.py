"""Become an ordinary user who can reach the interpreter: `unshare -m` PYTHON as_user.py UID HOME COMMAND...

Started by root in a mount namespace of its own. Where the interpreter, its packages or these tests lie below a folder
that is closed to other users (such as /root), that folder is covered with an empty one in which only they are to be
found. Nothing of it is seen outside this process and what it starts.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cogbox


def closed_above(path: Path) -> Path | None:
    """Return the first folder on the way to a path that others cannot enter."""
    return next((folder for folder in [*reversed(path.parents), path] if not folder.stat().st_mode & 0o001), None)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def open_the_way(paths: set[Path]) -> None:
    covered: dict[Path, list[Path]] = {}
    for path in sorted(paths):
        if closed := closed_above(path):
            covered.setdefault(closed, []).append(path)
    for closed, inside in covered.items():
        with tempfile.TemporaryDirectory(dir="/run", prefix="cogbox-way-") as aside:
            for index, path in enumerate(inside):
                place = Path(aside, str(index))
                place.mkdir()
                mount("--bind", str(path), str(place))
            mount("-t", "tmpfs", "-o", "mode=0755,size=1m", "tmpfs", str(closed))
            for index, path in enumerate(inside):
                path.mkdir(parents=True, exist_ok=True)
                mount("--bind", str(Path(aside, str(index))), str(path))
                subprocess.run(["umount", str(Path(aside, str(index)))], check=True)


def main() -> None:
    uid, home, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    paths = {Path(sys.base_prefix), Path(sys.prefix), Path(__file__).parent, *map(Path, cogbox.__path__)}
    open_the_way({Path(os.path.realpath(path)) for path in paths})
    os.chdir(home)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execve(command[0], command, {**os.environ, "HOME": home, "TMPDIR": home})


if __name__ == "__main__":
    main()
