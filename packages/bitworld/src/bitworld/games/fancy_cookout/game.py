"""Fancy cookout as a game of the runtime."""

from collections.abc import Sequence

from bitworld._native import Random
from bitworld.game import TICKS_PER_SECOND
from bitworld.games.fancy_cookout import picture, rules
from bitworld.games.fancy_cookout.world import Cook, Settings, World
from bitworld.games.shared import Input, PythonGame, View

__all__ = ["FancyCookout"]


class FancyCookout(PythonGame[Settings, World]):
    name = "fancy_cookout"
    title = "Fancy Cookout"
    summary = "Wash, chop and plate salads together; the player who delivers a salad gets its points."
    settings_type = Settings
    world_type = World
    count_names = ("salads", "washes", "chops")

    def new_world(self, random: Random) -> World:
        return rules.new_world(random)

    def new_player(self, slot: int) -> Cook:
        x, y = rules.free_tile(self.world)
        return Cook(slot=slot, x=x, y=y)

    def play(self, inputs: Sequence[Input]) -> None:
        rules.play(self.world, inputs)

    def view(self, player: int | None) -> View:
        left = self.ticks_left
        return picture.view(self.world, player, None if left is None else left // TICKS_PER_SECOND)
