"""The interface of an engine: it resolves image references, and starts, watches and stops one runnable.

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
"""the port on which a game or commissioner listens, inside its sandbox"""


class EngineError(CoworldError):
    """The engine itself failed."""


class ImageUnreachable(EngineError):
    """This machine cannot run an image."""

    def __init__(self, image: str, reason: str) -> None:
        super().__init__(f"image {image!r} cannot be run here: {reason}")
        self.image, self.reason = image, reason


class IsolationMissing(EngineError):
    """No isolation works on this machine, and the caller did not allow running without it."""


class StartFailed(EngineError):
    """The program of an image could not be started: its command does not exist, or its folder is missing."""


@dataclass(frozen=True)
class Resolved:
    """An image reference as an engine resolved it."""

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
    """the assigned `RunnableSpec.extra_ports`: port inside to port of this machine"""


class Reservation(Protocol):
    """An address reserved for a runnable before it starts. Close it if no runnable uses it."""

    address: Address

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class ResourceLimits:
    """The resource limits of a runnable."""

    memory_bytes: int = 1 << 30
    cpus: float = 1.0
    wall_seconds: float = 3600.0
    processes: int = 256
    disk_bytes: int = 4 << 30
    log_bytes: int = 64 << 20


@dataclass(frozen=True, kw_only=True)
class RunnableSpec:
    """One runnable to start."""

    role: Role
    name: str
    """for logs and receipts, such as `coworld-run-player-1f2e-0`"""
    image: str
    run_id: str = ""
    """the episode it belongs to; containers call its game `coworld-game-RUN_ID`"""
    run: Sequence[str] = ()
    """replaces the image's own command when it is not empty"""
    env: Mapping[str, str] = field(default_factory=dict)
    """public variables of the manifest; secrets and then `variables` win over them"""
    secrets: Mapping[str, str] = field(default_factory=dict)
    variables: Callable[[Place], Mapping[str, str]] = lambda place: {}
    """the runner's variables, computed when its place is known"""
    files: Mapping[str, bytes | Path | Callable[[Place], bytes]] = field(default_factory=dict)
    """put into its folder before it starts: contents, a file to copy, or contents that depend on its place"""
    listens: bool = False
    """it serves on `GAME_PORT`; `Running.endpoint` is the address from outside"""
    at: Reservation | None = None
    """its address, if one was reserved before"""
    startup_port: int | None = None
    """a player's port with a separate health page; `Running.startup_endpoint`"""
    extra_ports: Mapping[int, int] = field(default_factory=dict)
    """further ports it serves: port inside to port of this machine (0 = any); see `Place.ports`"""
    reach: Address | None = None
    """the one outside address that it may connect to: the game's endpoint"""
    egress: Sequence[str] = ()
    """hosts beyond the game that it may reach through a logging proxy; empty unless the user asked for them"""
    combined_log: bool = False
    """standard error goes to standard output, in order"""
    limits: ResourceLimits = field(default_factory=ResourceLimits)


Cause = Literal["program", "refused", "unplaced", "lost", "unreachable"]
"""what ended a runnable: the program itself; its image or settings cannot be started (the author is to blame); no
machine had room for it in time; its machine was lost or took it away; the engine no longer answers"""


@dataclass(frozen=True)
class Exit:
    """How a runnable ended."""

    code: int | None
    """None when a signal, a limit or the engine ended it"""
    reason: str
    """one clause, such as `ended with exit code 3`, `used more than 1073741824 bytes of memory`"""
    stopped: bool = False
    """the engine ended it"""
    cause: Cause = "program"

    @property
    def clean(self) -> bool:
        return self.code == 0


class Running(Protocol):
    """One started runnable. The caller that started it must `close` it; it dies with the caller."""

    spec: RunnableSpec
    place: Place
    endpoint: Address | None
    """the address of a listening runnable's `GAME_PORT` on this machine"""
    startup_endpoint: Address | None
    """the address of a player's `startup_port` on this machine"""

    def poll(self) -> Exit | None:
        """Return how it ended, or None while it runs."""

    def wait(self, timeout: float | None = None) -> Exit:
        """Block until it has ended; TimeoutError after `timeout` seconds."""

    async def finished(self) -> Exit:
        """Wait until it has ended, in asyncio."""

    def end(self) -> None:
        """Ask for its end, with everything it has started; returns at once."""

    def has(self, name: str) -> bool:
        """Whether there is a plain file of that name in its folder."""

    def names(self, folder: str, max_files: int) -> list[str] | None:
        """Return the plain files below one of its folders, relative to that; None for more than `max_files`."""

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """Read a plain file of its folder, at most `max_bytes`; None when there is none. Links are not followed."""

    def collect(self, name: str, target: Path, max_bytes: int) -> bool:
        """Copy such a file to `target`; False when there is none. Raises OSError when the target cannot be written."""

    def log(self, stream: Literal["stdout", "stderr"]) -> bytes:
        """Return its output so far."""

    def close(self) -> None:
        """End what still runs and remove everything it had. Its exit remains. Blocks shortly."""

    def receipt(self) -> Mapping[str, object]:
        """Return its verified isolation, for the record of the episode."""


class Engine(Protocol):
    """A way to run images."""

    @property
    def name(self) -> str:
        """Return `process`, `podman`, `docker` or `kubernetes`; several of them for a choice per image."""

    @property
    def level(self) -> str:
        """Return the verified isolation level of runnables."""

    def fingerprint(self, image: str) -> str:
        """Return a digest of the image's program, for the certification cache. Raises ImageUnreachable."""

    def resolve(self, image: str) -> Resolved:
        """Resolve an image; raises ImageUnreachable. Starts nothing."""

    def reserve(self) -> Reservation:
        """Reserve an address for a listening runnable, so that others can learn it before the runnable starts."""

    def start(self, spec: RunnableSpec) -> Running:
        """Start a runnable; raises EngineError. Returns as soon as it runs, not when it is healthy."""
