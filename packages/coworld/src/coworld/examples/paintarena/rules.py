"""The rules of Paint Arena, without clocks and sockets.

    arena = Arena(Config(width=12, height=8, max_ticks=100), players=2)
    while not arena.over:
        arena.step(["right", "up"])
    arena.scores  # tiles owned, by slot

A tick: all players move (clamped to the board), then each paints the tile under it, in slot order, so that the
higher slot owns a tile that two players share. Players may stand on the same tile. The start tile is not painted before
the first tick.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOVES: Mapping[str, tuple[int, int]] = {
    "up": (0, -1),
    "down": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
    "stay": (0, 0),
}
EMPTY = -1
"""owner of an unpainted tile"""


class ConfigError(ValueError):
    """The game's configuration breaks a rule; the message names the key and what is allowed."""


@dataclass(frozen=True)
class Config:
    """The settings of one game, without the tokens."""

    width: int = 12
    height: int = 8
    max_ticks: int = 100
    tick_rate: float = 5.0
    player_connect_timeout_seconds: float = 180.0
    player_names: tuple[str, ...] = ("Player 1", "Player 2")

    @classmethod
    def read(cls, document: object) -> Config:
        """Read the configuration from the document that the runner wrote.

        Raises:
            ConfigError: something is missing, of another type, or out of its range.
        """
        if not isinstance(document, dict):
            raise ConfigError("The game's configuration must be a JSON object")
        names = _names(document)
        return cls(
            width=_integer(document, "width", 12, 4, 40),
            height=_integer(document, "height", 8, 4, 40),
            max_ticks=_integer(document, "max_ticks", 100, 1, 10_000),
            tick_rate=_number(document, "tick_rate", 5.0, above=0.0, maximum=60.0),
            player_connect_timeout_seconds=_number(document, "player_connect_timeout_seconds", 180.0),
            player_names=names,
        )


@dataclass
class Arena:
    """One game: the players' positions and the owners of the tiles."""

    config: Config
    players: int = 2
    tick: int = 0
    positions: list[tuple[int, int]] = field(init=False)
    owners: list[int] = field(init=False)
    """owner of each tile, row by row; `EMPTY` for an unpainted tile"""
    scores: list[int] = field(init=False)
    """tiles owned, by slot"""

    def __post_init__(self) -> None:
        self.positions = [start(slot, self.config.width, self.config.height) for slot in range(self.players)]
        self.owners = [EMPTY] * (self.config.width * self.config.height)
        self.scores = [0] * self.players

    @property
    def over(self) -> bool:
        return self.tick >= self.config.max_ticks

    def step(self, moves: Sequence[str]) -> list[tuple[int, int, int]]:
        """Play one tick; an unknown move is `stay`. Returns the tiles taken from others as (slot, tile, old owner)."""
        width, height = self.config.width, self.config.height
        self.tick += 1
        for slot, (x, y) in enumerate(self.positions):
            across, down = MOVES.get(moves[slot], (0, 0))
            self.positions[slot] = (min(max(x + across, 0), width - 1), min(max(y + down, 0), height - 1))
        captured = []
        for slot, (x, y) in enumerate(self.positions):
            tile = y * width + x
            before = self.owners[tile]
            if before == slot:
                continue
            if before != EMPTY:
                self.scores[before] -= 1
                captured.append((slot, tile, before))
            self.owners[tile] = slot
            self.scores[slot] += 1
        return captured


def start(slot: int, width: int, height: int) -> tuple[int, int]:
    """Return the start position of a slot: the four corners in turn."""
    return ((0, 0), (width - 1, height - 1), (0, height - 1), (width - 1, 0))[slot % 4]


def sweep_move(slot: int, x: int, y: int, width: int, height: int) -> str:
    """Return the move of the sweep player: even slots go along rows and down, odd slots mirror it and go up."""
    forward, back, on, turn = ("right", "left", "down", "up") if slot % 2 == 0 else ("left", "right", "up", "down")
    direction = forward if y % 2 == 0 else back
    if x != (width - 1 if direction == "right" else 0):
        return direction
    return turn if y == (height - 1 if on == "down" else 0) else on


def _names(document: Mapping[str, object]) -> tuple[str, ...]:
    players = document.get("players")
    if players is None:
        tokens = document.get("tokens")
        return tuple(f"Player {slot + 1}" for slot in range(len(tokens) if isinstance(tokens, list) else 2))
    if not isinstance(players, list) or not all(isinstance(player, dict) for player in players):
        raise ConfigError("`players` must be a list of objects with a `name`")
    names = [player.get("name", f"Player {slot + 1}") for slot, player in enumerate(players)]
    if not all(isinstance(name, str) for name in names):
        raise ConfigError("`players[].name` must be text")
    return tuple(names)


def _integer(document: Mapping[str, object], key: str, default: int, minimum: int, maximum: int) -> int:
    value = document.get(key, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON has one kind of number: 12.0 is 12
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise ConfigError(f"`{key}` must be a whole number from {minimum} to {maximum}, not {value!r}")
    return value


def _number(
    document: Mapping[str, object], key: str, default: float, *, above: float | None = None, maximum: float = math.inf
) -> float:
    value = document.get(key, default)
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not (0 <= value <= maximum) or (above is not None and value <= above):  # type: ignore[operator]
        allowed = f"above {above:g} and at most {maximum:g}" if above is not None else "0 or more"
        raise ConfigError(f"`{key}` must be a number {allowed}, not {value!r}")
    return float(value)  # type: ignore[arg-type]
