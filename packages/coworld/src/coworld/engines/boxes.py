"""A runnable in a box: its ports, its folder and its end, for every engine that starts boxes of `cogbox`.

A box has a network of its own (see docs/concepts/sandbox.md). A game's port is reached through a door, from the
loopback of this machine; a player's box has one link, to the game's door, and nothing else. The game sees its folder as
`/coworld` and listens on `0.0.0.0:8080`.
"""

import contextlib
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cogbox
from cogbox import Box, Door, Level, Limits, Link, Result, Verdict
from coworld.engines.base import GAME_PORT, Address, EngineError, Exit, Place, RunnableSpec, StartFailed
from coworld.engines.folders import copy_inside, list_inside, open_inside, read_inside

FOLDER = "/coworld"
"""a runnable's own folder, as it sees it"""

LOOPBACK = "127.0.0.1"

LISTENER_LINK_PORT = 61080
"""first choice for the link of a program that serves: not a port it would choose itself, nor an ephemeral one"""
LINK_CONNECTIONS = 16
"""concurrent connections of a player: enough to reconnect and load pages, too few to block the game for others"""

EXPECTED_START = ("the container engine did not start the box", "the box did not start")
"""in the detail of a box that its engine could not start, whatever its program is"""


@dataclass(frozen=True)
class BoxNetwork:
    """The doors and links of a box, and its place."""

    place: Place
    doors: Sequence[Door]
    links: Sequence[Link]
    ports: Mapping[int, int]
    """port inside to port of this machine"""


@contextlib.contextmanager
def box_network(spec: RunnableSpec, game_host: str = LOOPBACK) -> Iterator[BoxNetwork]:
    """Open the ports of a runnable; after an exception they are closed, else the box has taken them over."""
    with contextlib.ExitStack() as undo:
        doors: list[Door] = []
        ports: dict[int, int] = {}
        for inside, outside in requested_ports(spec).items():
            given = spec.at if inside == GAME_PORT and isinstance(spec.at, ReservedPort) else None
            listener = undo.enter_context(given.take() if given else open_listener(outside))
            doors.append(Door(inside, listener))
            ports[inside] = int(listener.getsockname()[1])
        first = LISTENER_LINK_PORT if spec.listens else GAME_PORT
        link_port = next(port for port in range(first, first + 9) if port not in ports)
        place = Place(
            folder=FOLDER,
            host="0.0.0.0" if spec.listens else "",
            port=GAME_PORT if spec.listens else 0,
            game=(game_host, link_port) if spec.reach else ("", 0),
            ports={inside: ports[inside] for inside in spec.extra_ports},
        )
        links = [Link(link_port, spec.reach, max_connections=LINK_CONNECTIONS)] if spec.reach else []
        yield BoxNetwork(place, doors, links, ports)
        undo.pop_all()


class ReservedPort:
    """A loopback port that already listens: a client that connects early waits until the runnable is up."""

    def __init__(self, listener: socket.socket) -> None:
        self.address: Address = (LOOPBACK, int(listener.getsockname()[1]))
        self._listener = listener

    def take(self) -> socket.socket:
        return self._listener

    def close(self) -> None:
        self._listener.close()


class BoxRunning:
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
        engine: str = "process",
    ) -> None:
        self.spec, self.place = spec, place
        self.endpoint: Address | None = (LOOPBACK, ports[GAME_PORT]) if spec.listens else None
        self.startup_endpoint: Address | None = (
            (LOOPBACK, ports[spec.startup_port]) if spec.startup_port is not None else None
        )
        self._box, self._folder, self._temporary = box, folder, temporary
        self._program, self._engine = program, engine
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
        return {
            "name": self.spec.name,
            "role": self.spec.role,
            "image": self.spec.image,
            "engine": self._engine,
            "level": self._box.level.value,
            "network": network,
            "reaches": _reaches(self.spec, self._box.level),
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


def requested_ports(spec: RunnableSpec) -> dict[int, int]:
    """Return the ports inside, each with the port of this machine that forwards to it (0: any)."""
    ports = {GAME_PORT: 0} if spec.listens else {}
    if spec.startup_port is not None:
        ports[spec.startup_port] = 0
    return ports | dict(spec.extra_ports)


def file_contents(spec: RunnableSpec, place: Place) -> dict[str, bytes]:
    """Return the files of a runnable's folder."""
    return {name: _content(value, place) for name, value in spec.files.items()}


def _content(value: bytes | Path | Callable[[Place], bytes], place: Place) -> bytes:
    if isinstance(value, bytes):
        return value
    return value.read_bytes() if isinstance(value, Path) else value(place)


def environment(spec: RunnableSpec, place: Place, own: Mapping[str, str]) -> dict[str, str]:
    """Return a program's variables; those of its image come first, those of the runner win."""
    return {**own, **spec.env, **spec.secrets, **spec.variables(place)}


def start_box(
    sandbox: cogbox.Sandbox, spec: RunnableSpec, words: Sequence[str], env: Mapping[str, str], **options: object
) -> Box:
    """Start a program in a box and wait until it runs.

    Raises:
        StartFailed: the command cannot be started.
        EngineError: the box cannot be started.
    """
    _check_words(spec, words, env)
    try:
        box = sandbox.start(words, env=env, limits=_limits(spec), one_output=spec.combined_log, **options)  # type: ignore[arg-type]
    except (cogbox.CogboxError, OSError) as error:
        raise EngineError(f"{spec.name} could not be started: {error}") from None
    if not box.wait_started():
        detail = box.wait().detail
        box.close()
        if any(sentence in detail for sentence in EXPECTED_START):
            raise EngineError(f"{spec.name} {detail}")
        raise StartFailed(f"`{words[0]}` of {spec.image} {detail}")
    return box


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
        cpus=limits.cpus,
        wall_seconds=limits.wall_seconds,
        processes=limits.processes,
        open_files=4096,
        file_bytes=limits.disk_bytes,
        disk_bytes=limits.disk_bytes,
        disk_files=100_000,
        scratch_bytes=128 << 20,
        output_bytes=limits.log_bytes,
    )


def open_listener(port: int) -> socket.socket:
    """Listen on a port of the loopback; 0 for any."""
    try:
        return socket.create_server((LOOPBACK, port), backlog=128)
    except OSError as error:
        raise EngineError(f"port {port} of this machine cannot be used: {error.strerror}") from None
