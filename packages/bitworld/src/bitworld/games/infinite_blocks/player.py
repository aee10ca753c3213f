"""The state of a player, as the native world returns it."""

from typing import NamedTuple

from bitworld._native import BlocksWorld

__all__ = ["Player", "players_of"]


class Player(NamedTuple):
    """The fields of the native `Player`, in its order."""

    slot: int
    score: int
    runs: int
    pieces: int
    buried: int
    kind: int
    next: int
    rotation: int
    x: int
    y: int
    fall: int
    pause: int
    shift: int


def players_of(world: BlocksWorld) -> list[Player]:
    return [Player(*words) for words in world.player_words()]
