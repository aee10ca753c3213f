"""Stag hunt as a game of the runtime."""

from collections.abc import Sequence

from bitworld._native import Random
from bitworld.game import TICKS_PER_SECOND
from bitworld.games.shared import Input, PythonGame, View
from bitworld.games.stag_hunt import picture, rules
from bitworld.games.stag_hunt.world import Hunter, Settings, World

__all__ = ["StagHunt"]


class StagHunt(PythonGame[Settings, World]):
    name = "stag_hunt"
    title = "Stag Hunt"
    summary = "Hunt rabbits alone, or gather hunters around larger beasts and share them."
    settings_type = Settings
    world_type = World
    count_names = ("rabbits", "beasts")

    def new_world(self, random: Random) -> World:
        return rules.new_world(random)

    def new_player(self, slot: int) -> Hunter:
        x, y = rules.free_tile(self.world)
        return Hunter(slot=slot, x=x, y=y)

    def play(self, inputs: Sequence[Input]) -> None:
        rules.play(self.world, inputs)

    def view(self, player: int | None) -> View:
        left = self.ticks_left
        return picture.view(self.world, player, None if left is None else left // TICKS_PER_SECOND)
