"""The interface of a game. The server, replays, environments and pages know games only through it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bitworld.events import Watcher
from bitworld.picture import Picture
from bitworld.scene import Scene

__all__ = ["TICKS_PER_SECOND", "Account", "Game", "Seat"]

TICKS_PER_SECOND = 24


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in the game. Its index in `Game.seats` is its number everywhere: inputs, pictures, replays."""

    name: str
    slot: int
    """the place in the order of colours and configured slots, 0 to 15; fixed while the player stays"""


@dataclass(frozen=True, slots=True)
class Account:
    """What a player has earned since the server started."""

    name: str
    reward: int
    counts: Mapping[str, int] = field(default_factory=dict)
    """further lines of the reward protocol, in this order"""


class Game(ABC):
    """One game in progress. Deterministic: config, joins, leaves, chat and inputs decide everything.

    Rules run in `step` alone. Drawing never changes the state, so any number of viewers changes nothing.
    """

    name: ClassVar[str]
    """as in addresses, replays and commands: `among_them`"""
    version: ClassVar[str] = "1"
    """changes when the rules change; a replay only fits its own version"""
    title: ClassVar[str]
    summary: ClassVar[str]
    """one sentence: what a player does"""
    max_players: ClassVar[int] = 16

    @abstractmethod
    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Start a game without players. Raises `BadConfig`; unknown keys are ignored."""

    @property
    @abstractmethod
    def config(self) -> dict[str, Any]:
        """The complete configuration in effect, as JSON values. Tokens are part of it."""

    @property
    @abstractmethod
    def tick(self) -> int:
        """Steps since the game began; 0 again when a finished game returns to the lobby."""

    @property
    @abstractmethod
    def seats(self) -> Sequence[Seat]: ...

    @abstractmethod
    def join(self, name: str, slot: int = -1, token: str = "") -> int:
        """Seat a player, in a given slot or (-1) an automatic one; return its index. Raises `JoinRefused`."""

    @abstractmethod
    def leave(self, player: int) -> None:
        """Remove a player; the indexes of later players decrease by one."""

    def leave_unrepaired(self, player: int) -> None:
        """Remove a player as the published replay reader does: votes and task flags keep their old positions."""
        self.leave(player)

    def chat(self, player: int, text: str) -> bool:
        """Say something; return whether the game accepts it now."""
        return False

    @abstractmethod
    def step(self, masks: Sequence[int]) -> None:
        """Advance one tick with the buttons that each player holds."""

    @abstractmethod
    def draw(self, player: int, out: Picture) -> None:
        """Draw what a player sees."""

    @abstractmethod
    def draw_waiting(self, out: Picture) -> None:
        """Draw what a client without a seat sees."""

    @abstractmethod
    def scene(self) -> Scene:
        """Return what the map viewer shows. It may show hidden information: it is for spectators."""

    def public_scene(self) -> Scene:
        """Return what the map viewer shows while secrets stay secret: what all players know.

        The default is for games without secrets such as roles.
        """
        return self.scene()

    def player_scene(self, player: int) -> Scene:
        """Return what a player sees, as a scene."""
        raise NotImplementedError(f"{self.title} has no sprite view for players")

    def player_objects(self, player: int) -> Scene:
        """Return `player_scene` for players that read labels and places: its sprites may have no pixels."""
        return self.player_scene(player)

    @abstractmethod
    def accounts(self) -> Sequence[Account]:
        """Return the accounts of all identities that have played, in order of their first join."""

    @abstractmethod
    def state_hash(self) -> int:
        """Return the 64-bit hash of the state that replays record after every tick."""

    @abstractmethod
    def snapshot(self) -> bytes:
        """Return the whole state, the random generator included."""

    @abstractmethod
    def restore(self, snapshot: bytes) -> None:
        """Return to a state of a game with the same configuration. Raises `ValueError` for other bytes."""

    @property
    @abstractmethod
    def phase(self) -> str:
        """The name of the phase, for viewers and logs: `lobby`, `playing`, `voting`, ..."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the last game that the configuration allows has ended."""

    @property
    def wants_players_again(self) -> bool:
        """Whether the game went back to the lobby and its clients must join again (`rejoin_done` ends it)."""
        return False

    def rejoin_done(self) -> None:  # noqa: B027 - most games never ask for it
        """Note that the server has begun to seat its clients again."""

    def results(self) -> list[dict[str, Any]]:
        """Return one row per slot for the results file, in slot order."""
        return [{"name": account.name, "reward": account.reward} for account in self.accounts()]

    def watcher(self) -> Watcher:
        """Return an object that names the events of this game from now on."""
        return Watcher()
