"""Choose a level that works here, and start boxes at it."""

import contextlib
import functools
import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TypedDict, Unpack

from cogbox import _cgroups, _folders, _uids
from cogbox._job import Job
from cogbox._levels import MODULES, container
from cogbox.box import Box
from cogbox.egress import EgressProxy
from cogbox.errors import BadRequest, LevelMissing
from cogbox.image_root import ImageRoot
from cogbox.level import Level
from cogbox.limits import Limits
from cogbox.mounts import Mount, check_readable, python_runtime
from cogbox.network import Door, Egress, Link
from cogbox.verdict import Result

EGRESS_PORT = 3128
CHANNEL_FD = 3
MAX_CHANNELS = 16


class Options(TypedDict, total=False):
    """The options of a box."""

    env: Mapping[str, str] | None
    """environment variables, in addition to PATH, HOME, TMPDIR, LANG and those that the grants need"""
    mounts: Sequence[Mount]
    """files and folders of the machine that the box sees, read-only by default"""
    python: bool
    """whether to mount this interpreter and its packages (default: yes)"""
    files: Mapping[str, bytes] | None
    """files to write to its private folder before it starts"""
    cwd: Path | None
    """working folder, as a path inside the box; default: the private folder"""
    limits: Limits | None
    links: Sequence[Link]
    doors: Sequence[Door]
    work_at: Path | None
    """second path of the private folder inside the box; needs a mount namespace"""
    egress: Egress | None
    channels: int
    """number of connected sockets the program inherits, as descriptors 3, 4, ... ($COGBOX_CHANNEL_FD is the first); the
    caller's ends are `Box.channels`"""
    stdin: BinaryIO | None
    keep_output: int | None
    """bytes at the end of each stream that the result contains; None for all. The log files have everything until
    `close`"""
    collect: Sequence[str]
    """files of the private folder to include in the result"""
    image: ImageRoot | None
    """a container image as the root folder, without the mounts that every other box has; needs `container`"""
    one_output: bool
    """whether standard error goes to standard output, in order"""


class Sandbox:
    """Starts boxes of one level. `sandbox()` returns one whose level the self-test has proved."""

    def __init__(self, level: Level, *, engine: str | None = None) -> None:
        """Start boxes of a level; `engine` selects podman or docker for containers."""
        self.level = level
        self.engine = engine

    def start(self, command: Sequence[str], **options: Unpack["Options"]) -> Box:
        """Start a command and return immediately.

        An invalid request raises `BadRequest`; misbehaviour of the program is a verdict of the result.
        """
        check_request(command, options)
        image = options.get("image")
        if image is not None and self.level is not Level.CONTAINER:
            raise BadRequest(f"an image needs the level `container`, not `{self.level.value}`")
        limits, egress, channels = options.get("limits") or Limits(), options.get("egress"), options.get("channels", 0)
        _sweep_once()
        with contextlib.ExitStack() as undo:
            uid = None
            if os.geteuid() == 0 and image is not None:
                uid = image.uid
            elif os.geteuid() == 0 and self.level is not Level.NONE:
                user = _uids.BoxUser()
                undo.callback(user.release)
                uid = user.uid
            folder = _folders.BoxFolder(uid)
            undo.callback(folder.remove)
            _put_files(folder.work, options.get("files") or {}, uid)
            links = [*options.get("links", ())]
            variables = self._variables(folder, channels, image)
            if egress is not None:
                proxy = EgressProxy(
                    egress.hosts, log=egress.log or folder.keep / "egress.jsonl", private=egress.private
                ).start()
                undo.callback(proxy.stop)
                links.append(Link(EGRESS_PORT, proxy.address))
                variables |= _proxy_variables(image.hosts if image else ())
            groups = _cgroups.make(f"{os.getpid()}-{_folders.pid_namespace()}-{secrets.token_hex(6)}", limits)
            undo.callback(groups.remove)
            all_mounts = [
                *options.get("mounts", ()),
                *(_python_mounts() if options.get("python", image is None) else ()),
            ]
            if uid is not None:
                check_readable(all_mounts)
            job = Job(
                command=[*command],
                env={**variables, **(options.get("env") or {})},
                cwd=options.get("cwd") or (folder.work if image is None else Path("/")),
                mounts=all_mounts,
                limits=limits,
                links=links,
                doors=[door.port for door in options.get("doors", ())],
                work_at=options.get("work_at"),
                folder=folder,
                groups=groups,
                uid=uid,
                engine=self.engine,
                image=image,
                one_output=options.get("one_output", False),
            )
            plan = MODULES[self.level].plan(job)
            if self.level is Level.CONTAINER:
                undo.callback(lambda: container.clean_up(job))
            pairs = [socket.socketpair() for _ in range(channels)]
            box = Box(
                job,
                plan,
                level=self.level,
                channels=[ours for ours, _ in pairs],
                theirs=[*(door.listener for door in options.get("doors", ())), *(theirs for _, theirs in pairs)],
                stdin=options.get("stdin"),
                collect=options.get("collect", ()),
                keep_output=options.get("keep_output"),
                on_close=lambda: None,
            )
            box._on_close = undo.pop_all().close
        return box

    def run(self, command: Sequence[str], **options: Unpack["Options"]) -> Result:
        """Run a command, wait for its end, and clean up."""
        with self.start(command, **options) as box:
            return box.wait()

    async def run_async(self, command: Sequence[str], **options: Unpack["Options"]) -> Result:
        """Run a command in asyncio; cancellation ends the box."""
        async with self.start(command, **options) as box:
            return await box.finished()

    def _variables(self, folder: _folders.BoxFolder, channels: int, image: ImageRoot | None) -> dict[str, str]:
        own_tmp = self.level in (Level.LANDLOCK, Level.NONE)
        variables = (
            {}
            if image is not None
            else {
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "HOME": str(folder.work),
                "TMPDIR": str(folder.tmp) if own_tmp else "/tmp",
                "LANG": "C.UTF-8",
                "COGBOX_LEVEL": self.level.value,
            }
        )
        if channels:
            variables["COGBOX_CHANNEL_FD"] = str(CHANNEL_FD)
        return variables


def sandbox(
    *, minimum: Level | str = Level.LANDLOCK, at_most: Level | str = Level.CONTAINER, engine: str | None = None
) -> Sandbox:
    """Return the strongest sandbox between two levels that the self-test proves here; raise `LevelMissing` if none.

    `engine` selects podman or docker for containers; by default the first that responds.

    `none` is never chosen unless `minimum` is `none`. The environment variable COGBOX_LEVEL lowers `at_most`.
    """
    from cogbox._remembered import remembered_proof

    lowest, highest = Level.named(minimum), Level.named(at_most)
    if requested := os.environ.get("COGBOX_LEVEL"):
        highest = min(highest, Level.named(requested))
    reasons: dict[Level, str] = {}
    for level in reversed(Level):
        if level > highest:
            reasons[level] = "not wanted"
            continue
        if level < lowest:
            break
        tested = remembered_proof(level, engine)
        if tested.holds:
            return Sandbox(level, engine=engine)
        reasons[level] = tested.reason
    raise LevelMissing(lowest, reasons)


def run(command: Sequence[str], *, minimum: Level | str = Level.LANDLOCK, **options: Unpack["Options"]) -> Result:
    """Run one command in the strongest box that works here."""
    return sandbox(minimum=minimum).run(command, **options)


@functools.cache
def _python_mounts() -> tuple[Mount, ...]:
    return tuple(python_runtime())


@functools.cache
def _sweep_once() -> None:
    _folders.sweep()
    _cgroups.sweep()
    _uids.sweep()


def check_request(command: Sequence[str], options: Options) -> None:
    """Raise `BadRequest` for an invalid request, before any resource is created."""
    if isinstance(command, str) or not command or not all(isinstance(word, str) for word in command):
        raise BadRequest(f"a command is a list of at least one word, not {command!r}")
    env, files = options.get("env") or {}, options.get("files") or {}
    words = [*command, *env, *env.values(), *files, *options.get("collect", ())]
    if any("\0" in word for word in words):
        raise BadRequest("a command, variable or file name of a box must not contain a zero byte")
    for name in env:
        if not name or "=" in name:
            raise BadRequest(f"{name!r} is not a valid variable name")
    if not 0 <= options.get("channels", 0) <= MAX_CHANNELS:
        raise BadRequest(f"a box has 0 to {MAX_CHANNELS} channels, not {options['channels']}")
    cwd = options.get("cwd")
    if cwd is not None and not cwd.is_absolute():
        raise BadRequest(f"the working folder {cwd} is not an absolute path")
    names = [Path(name) for name in files]
    for path in names:
        if not path.parts or path.is_absolute() or ".." in path.parts:
            raise BadRequest(f"{str(path)!r} is not a path inside the private folder")
        if set(path.parents) & set(names):
            raise BadRequest(f"{str(path)!r} is inside another of the files")
    for mount in options.get("mounts", ()):
        if not mount.source.exists():
            raise BadRequest(f"cannot mount {mount.source}: it does not exist")


def _put_files(work: Path, files: Mapping[str, bytes], owner: int | None) -> None:
    for name, data in files.items():
        path = work / name
        for folder in reversed(path.relative_to(work).parents):
            if not (work / folder).exists():
                (work / folder).mkdir(mode=0o755)
                if owner is not None:
                    os.chown(work / folder, owner, owner)
        path.write_bytes(data)
        if owner is not None:
            os.chown(path, owner, owner)


def _proxy_variables(hosts: Sequence[str]) -> dict[str, str]:
    address = f"http://127.0.0.1:{EGRESS_PORT}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    return {name: address for upper in names for name in (upper, upper.lower())} | {
        "NO_PROXY": ",".join(["127.0.0.1", "localhost", *hosts])
    }
