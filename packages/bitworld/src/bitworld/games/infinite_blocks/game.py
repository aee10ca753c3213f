"""Infinite blocks as a game of the runtime. Its world, rules and pictures are native."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bitworld._native import BlocksWorld
from bitworld.canvas import draw_sprite
from bitworld.games.infinite_blocks import map_view
from bitworld.games.infinite_blocks.player import players_of
from bitworld.games.shared import GameSettings, Input, View
from bitworld.games.shared.seated_game import SeatedGame
from bitworld.games.shared.settings import number
from bitworld.picture import SIDE, Picture

__all__ = ["InfiniteBlocks", "Settings"]


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    field_width: int = number(1000, 8, 1000)
    field_height: int = number(1000, 24, 1000)
    fall_ticks: int = number(8, 1, 1000)
    """ticks in which a piece falls by one row"""
    run_length: int = number(8, 4, 1000)
    """cells side by side that clear"""

    @property
    def rules(self) -> tuple[int, int, int, int]:
        """The settings of the native world, in its order."""
        return self.field_width, self.field_height, self.fall_ticks, self.run_length


class InfiniteBlocks(SeatedGame[Settings]):
    name = "infinite_blocks"
    title = "Infinite Blocks"
    summary = "Drop pieces into a field shared by all; complete a run of 8 cells to score them."
    settings_type = Settings
    count_names = ("runs", "pieces", "buried")
    world: BlocksWorld

    def start_world(self) -> None:
        if hasattr(self, "world"):
            self.world.restart()
        else:
            self.world = BlocksWorld(*self.settings.rules, self.settings.seed)

    def add_player(self, slot: int) -> None:
        self.world.add_player(slot)

    def remove_player(self, player: int) -> None:
        self.world.remove_player(player)

    def play(self, inputs: Sequence[Input]) -> None:
        self.world.step(*(np.array([getattr(buttons, kind) for buttons in inputs], np.uint8) for kind in Input._fields))

    def tally(self) -> list[list[int]]:
        return [[player.score, player.runs, player.pieces, player.buried] for player in players_of(self.world)]

    def world_hash(self) -> int:
        value: int = self.world.hash()
        return value

    def save_world(self) -> bytes:
        saved: bytes = self.world.save()
        return saved

    def load_world(self, saved: bytes) -> None:
        self.world.load(saved)

    def draw(self, player: int, out: Picture) -> None:
        self.world.draw(player, out)
        for thing in self.add_screens(View(SIDE, SIDE, (0, 0))).screen:
            draw_sprite(out, thing.image.pixels, thing.x, thing.y)

    def view(self, player: int | None) -> View:
        return map_view.view(self.world, self.settings.field_width, self.settings.field_height, player)
