"""Extractors: the sources of elements."""

from pydantic import Field

from cogsguard.game.elements import ElementsVariant
from cogsguard.game.terrain.terrain import BuildingsVariant
from cogsguard.map_config import set_corner_extractors
from cogsguard.names import extractor_of
from mettagrid.base_config import Config
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, CvCStationConfig, Deps, ResolvedDeps
from mettagrid.config.filter import actorHas
from mettagrid.config.handler_config import Handler, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, InventoryConfig, MettaGridConfig
from mettagrid.config.mutation import updateActor, withdraw


class ExtractionHandlerConfig(Config):
    """A way to extract: an actor that holds `required_resources` pays `cost` and receives `amount`."""

    name: str
    required_resources: dict[str, int] = Field(default_factory=dict)
    cost: dict[str, int] = Field(default_factory=dict)
    amount: int

    def handler(self, resource: str, *, remove_when_empty: bool) -> Handler:
        """Return the handler for an extractor of a resource. A cost that the actor cannot pay does not stop it."""
        return Handler(
            name=self.name,
            filters=[actorHas({item: amount}) for item, amount in self.required_resources.items()],
            mutations=[
                updateActor({item: -paid for item, paid in self.cost.items()}),
                withdraw({resource: self.amount}, remove_when_empty=remove_when_empty),
            ],
        )


class CvCExtractorConfig(CvCStationConfig):
    """A plain extractor with `initial_amount` of a resource, of which a bump gives `small_amount`."""

    resource: str
    initial_amount: int = Field(default=200, ge=1)
    small_amount: int = Field(default=1, ge=1)

    def station_cfg(self) -> GridObjectConfig:
        take = withdraw({self.resource: self.small_amount}, remove_when_empty=True)
        return GridObjectConfig(
            name=extractor_of(self.resource),
            inventory=InventoryConfig(initial={self.resource: self.initial_amount}),
            on_use_handler=Handler(name="extract", mutations=[take]),
        )


class ExtractorsVariant(CoGameMissionVariant):
    """Defines an extractor for each element, with a stock that runs out."""

    name: str = "extractors"
    description: str = "Extractors give elements until they are empty."
    extractor_density: float = Field(default=0.3, ge=0)
    extraction_handlers: list[ExtractionHandlerConfig] = Field(default_factory=list)
    initial_amount: int = Field(default=200, ge=1)
    remove_when_empty: bool = True

    def add_extraction_handler(
        self, name: str, required_resources: dict[str, int], cost: dict[str, int], amount: int
    ) -> None:
        """Add a way to extract, which the engine tries before those added earlier."""
        way = ExtractionHandlerConfig(name=name, required_resources=required_resources, cost=cost, amount=amount)
        self.extraction_handlers.insert(0, way)

    def dependencies(self) -> Deps:
        return Deps(required=[BuildingsVariant, ElementsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        density = deps.required(BuildingsVariant).building_density
        for element in deps.required(ElementsVariant).elements:
            density[extractor_of(element)] = self.extractor_density
        self.add_extraction_handler("extract", {}, cost={}, amount=1)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for element in mission.required_variant(ElementsVariant).elements:
            ways = [way.handler(element, remove_when_empty=self.remove_when_empty) for way in self.extraction_handlers]
            env.game.objects[extractor_of(element)] = GridObjectConfig(
                name=extractor_of(element),
                inventory=InventoryConfig(default_limit=self.initial_amount, initial={element: self.initial_amount}),
                on_use_handler=firstMatch(ways),
            )
        set_corner_extractors(env)
