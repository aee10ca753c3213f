"""A game without an end."""

from pydantic import Field

from cogsguard.names import extractor_of
from cogsguard.variants.buildings import ExtractorsVariant
from cogsguard.variants.elements import ElementsVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.event_config import EventConfig, periodic
from mettagrid.config.game_value import SumGameValue, num_tagged, val
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import updateTarget
from mettagrid.config.query import Query
from mettagrid.config.tag import typeTag


class EndlessVariant(CoGameMissionVariant):
    """No limit of steps. Extractors stay when they are empty, and some are filled again from time to time."""

    name: str = "endless"
    description: str = "The game goes on; extractors are filled again."
    refill_interval: int = Field(default=1000, ge=1)
    refill_amount: int = Field(default=200, ge=1)
    refill_fraction: float = Field(default=0.25, gt=0, le=1)

    def dependencies(self) -> Deps:
        return Deps(optional=[ExtractorsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        extractors = deps.optional(ExtractorsVariant)
        if extractors is not None:
            extractors.remove_when_empty = False

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.max_steps = 0
        if mission.optional_variant(ExtractorsVariant) is None:
            return
        for element in mission.required_variant(ElementsVariant).elements:
            kind = typeTag(extractor_of(element))
            # A part of them, rounded up.
            some = SumGameValue(values=[num_tagged(kind), val(0.999)], weights=[self.refill_fraction, 1.0])
            env.game.events[f"refill_{element}"] = EventConfig(
                name=f"refill_{element}",
                target_query=Query(source=kind, max_items=some, order_by="random"),
                timesteps=periodic(self.refill_interval, self.refill_interval),
                mutations=[updateTarget({element: self.refill_amount})],
            )
