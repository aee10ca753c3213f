"""What an engine is: it finds out what an image reference means here, and starts, watches and stops one runnable.

Order, tokens, health, deadlines, results and blame belong to the runner (`coworld.runner`); an engine only places a
program, tells it what its surroundings are called, and never lets it outlive its caller.

    EngineError                 the engine itself failed: no program is to blame
      ImageUnreachable          nothing here can run that image
      IsolationMissing          this machine has no working isolation, and the caller did not allow running without it
      StartFailed               the engine works, but the program could not be started: its author is to blame
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from coworld.errors import CoworldError

Address = tuple[str, int]
"""host and port"""

Role = Literal["game", "replay", "player", "commissioner", "reporter", "grader", "diagnoser", "optimizer"]

GAME_PORT = 8080
"""where a game or commissioner listens, as it sees it"""


class EngineError(CoworldError):
    """The engine could not do its part."""


class ImageUnreachable(EngineError):
    """There is nothing here to run an image with."""

    def __init__(self, image: str, reason: str) -> None:
        super().__init__(f"image {image!r} cannot be run here: {reason}")
        self.image = image


class IsolationMissing(EngineError):
    """No isolation works on this machine, and running without was not allowed."""


class StartFailed(EngineError):
    """The program of an image could not be started: its command does not exist, or its folder is missing."""


@dataclass(frozen=True)
class Resolved:
    """What an image reference means to an engine."""

    image: str
    how: str
    """in words, for reports: `mapped to ... by coworld_local.json`, `built in`"""
    has_command: bool = True
    """it can be started without `run`"""


@dataclass(frozen=True)
class Place:
    """A runnable's folder and address as the program sees them, for its environment variables."""

    folder: str
    """its own writable folder; `RunnableSpec.files` lie in it"""
    host: str
    """the address to listen on"""
    port: int
    """the port to listen on; 0 when the runnable does not listen"""
    game: Address
    """where the game is, for a runnable that may reach it; ("", 0) for others"""
    ports: Mapping[int, int] = field(default_factory=dict)
    """`RunnableSpec.extra_ports` as they came to be: port inside to port of this machine"""


class Reservation(Protocol):
    """An address reserved for a runnable before it starts. Close it if no runnable uses it."""

    address: Address

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class ResourceLimits:
    """How much a runnable may use."""

    memory_bytes: int = 1 << 30
    cpus: float = 1.0
    wall_seconds: float = 3600.0
    processes: int = 256
    disk_bytes: int = 4 << 30
    log_bytes: int = 64 << 20


@dataclass(frozen=True, kw_only=True)
class RunnableSpec:
    """One runnable to be started."""

    role: Role
    name: str
    """for logs and receipts, such as `coworld-run-player-1f2e-0`"""
    image: str
    run: Sequence[str] = ()
    """replaces the image's own command when it is not empty"""
    env: Mapping[str, str] = field(default_factory=dict)
    """public variables of the manifest; secrets and then `variables` win over them"""
    secrets: Mapping[str, str] = field(default_factory=dict)
    variables: Callable[[Place], Mapping[str, str]] = lambda place: {}
    """what the runner tells it, made when its place is known"""
    files: Mapping[str, bytes | Path | Callable[[Place], bytes]] = field(default_factory=dict)
    """put into its folder before it starts: contents, a file to copy, or contents that depend on its place"""
    listens: bool = False
    """it serves on `GAME_PORT`; `Running.endpoint` says where that is reached from outside"""
    at: Reservation | None = None
    """the address it is to be reached at, when that was reserved before"""
    startup_port: int | None = None
    """a player's port with a health page of its own; `Running.startup_endpoint`"""
    extra_ports: Mapping[int, int] = field(default_factory=dict)
    """further ports it serves: port inside to port of this machine (0 = any); see `Place.ports`"""
    reach: Address | None = None
    """the one address outside that it may speak to: the game's endpoint"""
    egress: Sequence[str] = ()
    """named hosts beyond the game that it may speak to through a logging proxy; nothing unless the user asked for it"""
    combined_log: bool = False
    """standard error goes to standard output, in order"""
    limits: ResourceLimits = field(default_factory=ResourceLimits)


@dataclass(frozen=True)
class Exit:
    """How a runnable ended."""

    code: int | None
    """None when a signal, a limit or we ended it"""
    reason: str
    """one clause, such as `ended with exit code 3`, `used more than 1073741824 bytes of memory`"""
    stopped: bool = False
    """we ended it"""

    @property
    def clean(self) -> bool:
        return self.code == 0


class Running(Protocol):
    """One started runnable. Whoever started it must `close` it; a caller that dies takes it along."""

    spec: RunnableSpec
    place: Place
    endpoint: Address | None
    """where `GAME_PORT` of a listening runnable is reached from this machine"""
    startup_endpoint: Address | None
    """where a player's `startup_port` is reached from this machine"""

    def poll(self) -> Exit | None:
        """How it ended, or None while it runs."""

    def wait(self, timeout: float | None = None) -> Exit:
        """Block until it has ended; TimeoutError after `timeout` seconds."""

    async def finished(self) -> Exit:
        """The same for asyncio."""

    def end(self) -> None:
        """Ask for its end, with everything it has started; returns at once."""

    def has(self, name: str) -> bool:
        """Whether there is a plain file of that name in its folder."""

    def names(self, folder: str, most: int) -> list[str] | None:
        """The plain files below one of its folders, relative to that; None for more than `most`."""

    def read(self, name: str, most: int) -> bytes | None:
        """A plain file of its folder of at most `most` bytes; None when there is none. Links are not followed."""

    def collect(self, name: str, target: Path, most: int) -> bool:
        """Copy such a file to `target`; False when there is none. Raises OSError when the target cannot be written."""

    def log(self, stream: Literal["stdout", "stderr"]) -> bytes:
        """What it has written so far."""

    def close(self) -> None:
        """End what still runs and remove everything it had. Its exit remains. Blocks shortly."""

    def receipt(self) -> Mapping[str, object]:
        """How it was isolated, as verified: for the record of the episode."""


class Engine(Protocol):
    """A way to run images."""

    name: str
    """`process`, later `docker`, `podman`, `kubernetes`"""

    @property
    def level(self) -> str:
        """How strongly runnables are isolated, as verified."""

    def fingerprint(self, image: str) -> str:
        """Changes when what the image runs changes; for remembering what was certified. Raises ImageUnreachable."""

    def resolve(self, image: str) -> Resolved:
        """What the image means here; raises ImageUnreachable. Starts nothing."""

    def reserve(self) -> Reservation:
        """Reserve an address for a listening runnable, so that others can learn it before the runnable starts."""

    def start(self, spec: RunnableSpec) -> Running:
        """Start a runnable; raises EngineError. Returns as soon as it runs, not when it is healthy."""
