"""The engine without containers: every runnable is a local program in its own sandbox.

A box has a network of its own (see docs/concepts/sandbox.md). A game's port is reached through a door, from the
loopback of this machine; a player's box has one link, to the game's door, and nothing else. The game sees its folder as
`/coworld` and listens on `0.0.0.0:8080`, as it would in a container. No sandbox sees the workspace.

Without walls (`unsafe=True`, where no isolation works) programs run with limits only and with real paths and ports.
"""

import contextlib
import hashlib
import importlib.util
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import cogbox
from cogbox import Box, Door, Level, Limits, Link, Mount, Result, Verdict
from coworld.engines.base import (
    GAME_PORT,
    Address,
    EngineError,
    Exit,
    IsolationMissing,
    Place,
    Resolved,
    RunnableSpec,
    StartFailed,
)
from coworld.engines.folders import copy_inside, list_inside, open_inside, read_inside
from coworld.engines.interpreters import Interpreter
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.programs import Program, program_of

FOLDER = "/coworld"
"""a runnable's own folder, as it sees it"""

LOOPBACK = "127.0.0.1"

LISTENER_LINK_PORT = 61080
"""first choice for the link of a program that serves: not a port it would choose itself, nor an ephemeral one"""
LINK_CONNECTIONS = 16
"""concurrent connections of a player: enough to reconnect and load pages, too few to block the game for others"""


class ProcessEngine:
    """Run images that have a local command (`coworld.engines.local_images`)."""

    name = "process"

    def __init__(self, images: LocalImages | None = None, *, unsafe: bool = False, level: str | None = None) -> None:
        """Allow running without isolation where none works with `unsafe`; `level` selects an isolation by name."""
        self.images = images or LocalImages()
        self._sandbox = self._choose(unsafe, level)

    @staticmethod
    def _choose(unsafe: bool, level: str | None) -> cogbox.Sandbox:
        # Isolation that starts in milliseconds comes first; a container engine is tried only where it does not work.
        wishes = [level] if level else ["namespaces", "bubblewrap", "container"]
        reasons: list[str] = []
        for name in wishes:
            try:
                return cogbox.sandbox(minimum=name, at_most=name)
            except cogbox.LevelMissing as error:
                reasons.append(f"{name}: {error.reasons.get(Level.named(name), error)}")
        if unsafe:
            return cogbox.Sandbox(Level.NONE)
        raise IsolationMissing(
            f"no isolation works here ({'; '.join(reasons)}), and without it a player could read every token. Run "
            "`python -m cogbox doctor` for what would help, or allow it with `--unsafe-local` for programs you trust"
        )

    @property
    def level(self) -> str:
        """Return the isolation of every runnable, as verified by the self-test."""
        return self._sandbox.level.value

    def resolve(self, image: str) -> Resolved:
        local = self.images.find(image)
        python = program_of(local, local.argv).interpreter.how
        how = local.how if python == "coworld's own" else f"{local.how}, Python: {python}"
        return Resolved(image, how, has_command=bool(local.argv))

    def fingerprint(self, image: str) -> str:
        local = self.images.find(image)
        interpreter = program_of(local, local.argv).interpreter
        digest = hashlib.sha256(repr((local, self.level, sys.version, interpreter)).encode())
        for folder in [*([local.root] if local.root else []), *_package_folders(local.packages)]:
            digest.update(_folder_state(folder))
        return digest.hexdigest()

    def start(self, spec: RunnableSpec) -> "ProcessRunning":
        local = self.images.find(spec.image)
        argv = [*(spec.run or local.argv)]
        if not argv:
            raise StartFailed(
                f"{spec.image} is {local.how}, which names no command: give it `argv`, or `run` in the manifest"
            )
        program = program_of(local, argv, spec.env)
        if self._sandbox.level is Level.NONE:
            return self._start_bare(spec, local, program)
        with contextlib.ExitStack() as undo:
            doors: list[Door] = []
            ports: dict[int, int] = {}
            for inside, outside in _requested_ports(spec).items():
                given = spec.at if inside == GAME_PORT and isinstance(spec.at, ReservedPort) else None
                listener = undo.enter_context(given.take() if given else _listener(outside))
                doors.append(Door(inside, listener))
                ports[inside] = int(listener.getsockname()[1])
            first = LISTENER_LINK_PORT if spec.listens else GAME_PORT
            link_port = next(port for port in range(first, first + 9) if port not in ports)
            place = Place(
                folder=FOLDER,
                host="0.0.0.0" if spec.listens else "",
                port=GAME_PORT if spec.listens else 0,
                game=(LOOPBACK, link_port) if spec.reach else ("", 0),
                ports={inside: ports[inside] for inside in spec.extra_ports},
            )
            links = [Link(link_port, spec.reach, max_connections=LINK_CONNECTIONS)] if spec.reach else []
            box = self._box(spec, local, program, place, links=links, doors=doors)
            undo.pop_all()  # the sandbox has taken over the listeners
        return ProcessRunning(spec, place, box, ports, box.work, program.record(local))

    def reserve(self) -> "ReservedPort":
        return ReservedPort(_listener(0))

    def _start_bare(self, spec: RunnableSpec, local: LocalImage, program: Program) -> "ProcessRunning":
        """Start a program without isolation: in a temporary folder, with ports of this machine."""
        folder = Path(tempfile.mkdtemp(prefix="coworld-"))
        try:
            ports = {inside: outside or inside for inside, outside in _requested_ports(spec).items()}
            if spec.listens:
                ports[GAME_PORT] = spec.at.address[1] if spec.at else _free_port()
                if isinstance(spec.at, ReservedPort):
                    spec.at.close()
            place = Place(
                folder=str(folder),
                host=LOOPBACK if spec.listens else "",
                port=ports.get(GAME_PORT, 0) if spec.listens else 0,
                game=spec.reach or ("", 0),
                ports={inside: inside for inside in spec.extra_ports},
            )
            for name, content in _contents(spec, place).items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            box = self._box(spec, local, program, place)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return ProcessRunning(spec, place, box, ports, folder, program.record(local), temporary=folder)

    def _box(
        self,
        spec: RunnableSpec,
        local: LocalImage,
        program: Program,
        place: Place,
        *,
        links: Sequence[Link] = (),
        doors: Sequence[Door] = (),
    ) -> Box:
        walls = self._sandbox.level is not Level.NONE
        words = program.argv
        if spec.combined_log:
            words = ["/bin/sh", "-c", 'exec "$@" 2>&1', words[0], *words]
        env = {
            "PATH": f"{program.interpreter.path.parent}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **local.env,
            **spec.env,
            **spec.secrets,
            **spec.variables(place),
        }
        _check_words(spec, words, env)
        try:
            seen = [Mount(local.root, local.at)] if local.root is not None and walls else []
            seen += [Mount(path) for path in local.mounts] if walls else []
            if walls:
                seen = _with_interpreter(seen, program.interpreter)
            box = self._sandbox.start(
                words,
                env=env,
                mounts=seen,
                files=_contents(spec, place) if walls else None,
                cwd=local.workdir or local.at or local.root or Path(place.folder),
                limits=_limits(spec),
                links=links,
                doors=doors,
                work_at=Path(FOLDER) if walls else None,
                egress=cogbox.Egress(spec.egress) if spec.egress and walls else None,
            )
        except (cogbox.CogboxError, OSError) as error:
            raise EngineError(f"{spec.name} could not be started: {error}") from None
        if not box.wait_started():
            detail = box.wait().detail
            box.close()
            raise StartFailed(f"`{program.argv[0]}` of {spec.image} {detail}")
        return box


class ReservedPort:
    """A loopback port that already listens: a client that connects early waits until the runnable is up."""

    def __init__(self, listener: socket.socket) -> None:
        self.address: Address = (LOOPBACK, int(listener.getsockname()[1]))
        self._listener = listener

    def take(self) -> socket.socket:
        return self._listener

    def close(self) -> None:
        self._listener.close()


class ProcessRunning:
    """A program in its sandbox."""

    def __init__(
        self,
        spec: RunnableSpec,
        place: Place,
        box: Box,
        ports: Mapping[int, int],
        folder: Path,
        program: Mapping[str, object],
        temporary: Path | None = None,
    ) -> None:
        self.spec, self.place = spec, place
        self.endpoint: Address | None = (LOOPBACK, ports[GAME_PORT]) if spec.listens else None
        self.startup_endpoint: Address | None = (
            (LOOPBACK, ports[spec.startup_port]) if spec.startup_port is not None else None
        )
        self._box, self._folder, self._temporary = box, folder, temporary
        self._program = program
        self._end_requested = False
        self._closed_logs: dict[str, bytes] | None = None

    def poll(self) -> Exit | None:
        result = self._box.poll()
        return None if result is None else self._exit(result)

    def wait(self, timeout: float | None = None) -> Exit:
        return self._exit(self._box.wait(timeout))

    async def finished(self) -> Exit:
        return self._exit(await self._box.finished())

    def _exit(self, result: Result) -> Exit:
        return Exit(result.exit_code, result.detail, stopped=self._end_requested and result.verdict is Verdict.KILLED)

    def end(self) -> None:
        self._end_requested = True
        self._box.end()

    def names(self, folder: str, max_files: int) -> list[str] | None:
        return list_inside(self._folder, folder, max_files)

    def read(self, name: str, max_bytes: int) -> bytes | None:
        return read_inside(self._folder, name, max_bytes)

    def has(self, name: str) -> bool:
        file = open_inside(self._folder, name)
        if file is not None:
            file.close()
        return file is not None

    def collect(self, name: str, target: Path, max_bytes: int) -> bool:
        return copy_inside(self._folder, name, target, max_bytes)

    def log(self, stream: Literal["stdout", "stderr"]) -> bytes:
        if self._closed_logs is not None:
            return self._closed_logs[stream]
        return (self._box.stdout_path if stream == "stdout" else self._box.stderr_path).read_bytes()

    def close(self) -> None:
        if self._closed_logs is not None:
            return
        self.end()
        result = self._box.wait()
        self._closed_logs = {"stdout": result.stdout, "stderr": result.stderr}
        self._box.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def receipt(self) -> Mapping[str, object]:
        result = self._box.poll()
        network = "shared with the machine" if self._box.level is Level.NONE else "own"
        reaches = _reaches(self.spec, self._box.level)
        return {
            "name": self.spec.name,
            "role": self.spec.role,
            "image": self.spec.image,
            "level": self._box.level.value,
            "network": network,
            "reaches": reaches,
            "limited_by": result.limited_by if result else None,
            "memory_bytes": self.spec.limits.memory_bytes,
            **self._program,
        }


def _reaches(spec: RunnableSpec, level: Level) -> str:
    """Describe what a program can connect to."""
    if level is Level.NONE:
        return "everything"
    parts = ["the game" if spec.role == "player" else "the runner's log"] if spec.reach else []
    parts += [f"{host} through a logging proxy" for host in spec.egress]
    return ", ".join(parts) or "nothing"


def _package_folders(names: Sequence[str]) -> list[Path]:
    specs = [importlib.util.find_spec(name) for name in names]
    return [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]


def _folder_state(folder: Path) -> bytes:
    """Return a digest of the names, sizes and times of the files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            info = path.stat()
            digest.update(f"{path}\0{info.st_size}\0{info.st_mtime_ns}\n".encode())
    return digest.digest()


def _requested_ports(spec: RunnableSpec) -> dict[int, int]:
    """Return the ports inside, each with the port of this machine that forwards to it (0: any)."""
    ports = {GAME_PORT: 0} if spec.listens else {}
    if spec.startup_port is not None:
        ports[spec.startup_port] = 0
    return ports | dict(spec.extra_ports)


def _contents(spec: RunnableSpec, place: Place) -> dict[str, bytes]:
    return {name: _content(value, place) for name, value in spec.files.items()}


def _content(value: bytes | Path | Callable[[Place], bytes], place: Place) -> bytes:
    if isinstance(value, bytes):
        return value
    return value.read_bytes() if isinstance(value, Path) else value(place)


def _with_interpreter(mounts: list[Mount], interpreter: Interpreter) -> list[Mount]:
    """Add the folders of an interpreter that are not inside a mount at its own path already."""
    seen = [mount.source for mount in mounts if mount.target is None or mount.target == mount.source]
    added: list[Mount] = []
    for path in interpreter.mounts:
        if path.exists() and not any(path.is_relative_to(other) for other in seen):
            added.append(Mount(path))
            seen.append(path)
    return [*mounts, *added]


def _check_words(spec: RunnableSpec, program: Sequence[str], env: Mapping[str, str]) -> None:
    """Refuse arguments and variables that no program can be started with."""
    for name, value in env.items():
        if not name or "=" in name or "\0" in name:
            raise StartFailed(f"{name!r} of {spec.image} cannot be the name of a variable")
        if "\0" in value:
            raise StartFailed(f"the variable {name} of {spec.image} holds a zero byte")
    if any("\0" in word for word in program):
        raise StartFailed(f"the command of {spec.image} holds a zero byte")


def _limits(spec: RunnableSpec) -> Limits:
    limits = spec.limits
    return Limits(
        memory=limits.memory_bytes,
        wall_seconds=limits.wall_seconds,
        processes=limits.processes,
        open_files=4096,
        file_bytes=limits.disk_bytes,
        disk_bytes=limits.disk_bytes,
        disk_files=100_000,
        scratch_bytes=128 << 20,
        output_bytes=limits.log_bytes,
    )


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port), backlog=128)
    except OSError as error:
        raise EngineError(f"port {port} of this machine cannot be used: {error.strerror}") from None


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as probe:
        return int(probe.getsockname()[1])
