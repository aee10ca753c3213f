"""Options that all environments share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bitworld.picture import SIDE

__all__ = ["Options"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a game is played as an environment."""

    game: str
    config: Mapping[str, Any] = field(default_factory=dict)
    players: int = 1
    max_ticks: int = 10_000
    """an episode ends with the action that reaches this number of ticks, unless the rules end it earlier"""
    stack: int = 4
    """pictures in an observation"""
    ticks_per_action: int = 1
    taps: bool = False
    """release the buttons in the last tick of an action, so that the next action presses them again"""

    def __post_init__(self) -> None:
        for name in ("players", "max_ticks", "stack", "ticks_per_action"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.taps and self.ticks_per_action < 2:
            raise ValueError("taps needs ticks_per_action of at least 2: one tick to press and one to release")

    @property
    def held_ticks(self) -> int:
        """The ticks of an action in which its buttons are held."""
        return self.ticks_per_action - self.taps

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of an observation."""
        return self.stack, SIDE, SIDE

    def game_config(self, seed: int) -> dict[str, Any]:
        """Return the configuration of the game. The environment ends an episode before the game reaches its limit."""
        return {
            **self.config,
            "seed": seed,
            "minPlayers": self.players,
            "maxTicks": self.max_ticks + self.ticks_per_action,
            "maxGames": 1,
        }
