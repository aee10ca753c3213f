"""A game without an end."""

from pydantic import Field

from cogsguard.env import add_game_ticks
from cogsguard.game.elements import ElementsVariant
from cogsguard.game.extractors import ExtractorsVariant
from cogsguard.names import extractor_of
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.filter import PeriodicFilter
from mettagrid.config.game_value import RatioGameValue, num_tagged, val
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import queryDelta
from mettagrid.config.query import Query
from mettagrid.config.tag import typeTag


class EndlessVariant(CoGameMissionVariant):
    """Removes the step limit. Empty extractors stay, and a part of them is refilled every `refill_period` steps.

    `refill_fraction` is the divisor: 4 refills a quarter of the extractors of each element, chosen at random.
    """

    name: str = "endless"
    description: str = "The game has no end; extractors are refilled."
    refill_period: int = Field(default=1000, ge=1)
    refill_amount: int = Field(default=200, ge=1)
    refill_fraction: int = Field(default=4, ge=1)

    def dependencies(self) -> Deps:
        return Deps(optional=[ExtractorsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        extractors = deps.optional(ExtractorsVariant)
        if extractors is not None:
            extractors.remove_when_empty = False

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.max_steps = 0
        if mission.optional_variant(ExtractorsVariant) is not None:
            elements = mission.required_variant(ElementsVariant).elements
            add_game_ticks(env, [self._refill(element) for element in elements])

    def _refill(self, element: str) -> Handler:
        kind = typeTag(extractor_of(element))
        part = RatioGameValue(numerator=num_tagged(kind), denominator=val(self.refill_fraction))
        some = Query(source=kind, max_items=part, order_by="random")
        return Handler(
            name=f"{extractor_of(element)}_refill",
            filters=[PeriodicFilter(period=self.refill_period)],
            mutations=[queryDelta(some, {element: self.refill_amount})],
        )
