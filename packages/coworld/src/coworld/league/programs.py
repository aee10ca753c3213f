"""A player that was uploaded as an archive: unpack it and find its command.

The command is that of the only image in the archive's `coworld_local.json`, as `coworld make-policy` writes it, else
`python player.py`. Of that file only `argv`, `env` and `packages` count: an uploaded program cannot name folders of the
machine that runs it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coworld.bundle.archives import ArchiveLimits, opened_archive
from coworld.engines.interpreters import OURS
from coworld.engines.local_images import SIDE_FILE, LocalImage
from coworld.errors import CoworldError

__all__ = ["BundleProblem", "game_programs", "read_command", "unpacked_program"]

PLAYER = "player.py"
INSIDE = Path("/player")
"""where the program sees its files"""
_LIMITS = ArchiveLimits(members=20_000, member_bytes=512 << 20, total_bytes=2 << 30)


class BundleProblem(ValueError):
    """An archive that holds no program that can be started; its author has to change it."""


def unpacked_program(archive: Path, folder: Path, image: str) -> LocalImage:
    """Unpack an archive into a folder and return its program under the name of an image; raise `BundleProblem`."""
    try:
        with opened_archive(archive, name="the player's archive", limits=_LIMITS) as contents:
            for name in contents.names:
                target = folder / name
                if name.endswith("/"):
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(contents.read(name))
                target.chmod(0o755)  # archives made elsewhere often lose the mode
    except (CoworldError, FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise BundleProblem(str(error)) from None
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o755)
    command = read_command(folder)
    return LocalImage(
        image=image,
        argv=tuple(command["argv"]),
        root=folder,
        at=INSIDE,
        workdir=INSIDE,
        env=command["env"],
        packages=tuple(command["packages"]),
        how="an uploaded archive",
    )


def game_programs(folder: Path) -> dict[str, LocalImage]:
    """Unpack the programs that came with a job in place of images; return them by the names of those images.

    A manifest names such a program `sha256:DIGEST`, and the lease brings it as `programs/DIGEST`. Raises CoworldError
    for an archive that cannot be started.
    """
    archives = folder / "programs"
    programs = {}
    for archive in sorted(archives.iterdir()) if archives.is_dir() else []:
        image, root = f"sha256:{archive.name}", folder / "unpacked" / archive.name
        root.mkdir(parents=True)
        try:
            programs[image] = unpacked_program(archive, root, image)
        except BundleProblem as problem:
            raise CoworldError(f"the program {image}: {problem}") from None
    return programs


def read_command(folder: Path) -> dict[str, Any]:
    """Return `argv`, `env` and `packages` of the program in a folder; raise `BundleProblem`."""
    side_file = folder / SIDE_FILE
    if not side_file.is_file():
        if (folder / PLAYER).is_file():
            return {"argv": ["python", PLAYER], "env": {}, "packages": []}
        raise BundleProblem(
            f"the archive has neither {SIDE_FILE} nor {PLAYER}, so nothing says how to start the player"
        )
    try:
        images = json.loads(side_file.read_bytes())["images"]
        (entry,) = images.values()
        argv, env, packages = entry.get("argv", []), entry.get("env", {}), entry.get("packages", [])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BundleProblem(f"{SIDE_FILE} must be {{'images': {{NAME: {{'argv': [...]}}}}}} with one image") from None
    if not isinstance(argv, list) or not argv or not all(isinstance(word, str) for word in argv):
        raise BundleProblem(f"`argv` in {SIDE_FILE} must be a list of strings, the command of the player")
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise BundleProblem(f"`env` in {SIDE_FILE} must be an object of strings")
    if not isinstance(packages, list) or not all(name in OURS for name in packages):
        raise BundleProblem(f"`packages` in {SIDE_FILE} must be a list of {', '.join(OURS)}")
    return {"argv": argv, "env": {name: value for name, value in env.items() if name != "PATH"}, "packages": packages}
