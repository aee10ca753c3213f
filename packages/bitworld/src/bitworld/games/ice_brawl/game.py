"""Ice brawl as a game of the runtime."""

from collections.abc import Sequence

from bitworld._native import Random
from bitworld.games.ice_brawl import picture, rules
from bitworld.games.ice_brawl.world import CENTRE, Brawler, Settings, World
from bitworld.games.shared import Input, PythonGame, View

__all__ = ["IceBrawl"]


class IceBrawl(PythonGame[Settings, World]):
    name = "ice_brawl"
    title = "Ice Brawl"
    summary = "Push the others off a platform of ice that shrinks; the last one on it wins the round."
    settings_type = Settings
    world_type = World
    count_names = ("wins", "knocks")

    def new_world(self, random: Random) -> World:
        return rules.new_world(random, self.settings)

    def new_player(self, slot: int) -> Brawler:
        return Brawler(slot=slot, x=CENTRE, y=CENTRE)

    def removed(self, player: int) -> None:
        rules.account_for_leaver(self.world)

    def play(self, inputs: Sequence[Input]) -> None:
        rules.play(self.world, inputs, self.settings)

    def has_ended(self) -> bool:
        return self.world.round >= self.settings.rounds

    def view(self, player: int | None) -> View:
        return picture.view(self.world, player, self.settings.rounds)
