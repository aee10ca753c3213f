"""What stands on procedural maps: extractors and junctions."""

from pydantic import Field

from cogsguard.names import extractor_of
from cogsguard.terrain import set_buildings, set_corner_extractors
from cogsguard.variants.elements import ElementsVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.filter import actorHas
from mettagrid.config.handler_config import Handler, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, InventoryConfig, MettaGridConfig
from mettagrid.config.mutation import updateActor, withdraw


class BuildingsVariant(CoGameMissionVariant):
    """Weights of the buildings that a procedural map scatters."""

    name: str = "buildings"
    description: str = "Procedural maps scatter buildings."
    weights: dict[str, float] = Field(default_factory=dict)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        set_buildings(env, self.weights)


class JunctionVariant(CoGameMissionVariant):
    """Junctions, neutral at the start."""

    name: str = "junction"
    description: str = "There are junctions."
    weight: float = Field(default=0.3, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[BuildingsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(BuildingsVariant).weights["junction"] = self.weight

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.objects["junction"] = GridObjectConfig(name="junction")


class ExtractorsVariant(CoGameMissionVariant):
    """An extractor for each element, with a stock that runs out. `tools` lets gear extract more than 1 per bump."""

    name: str = "extractors"
    description: str = "Extractors give elements until they are empty."
    weight: float = Field(default=0.3, ge=0)
    initial: int = Field(default=200, ge=1)
    amount: int = Field(default=1, ge=1)
    cost: dict[str, int] = Field(default_factory=dict)
    tools: dict[str, int] = Field(default_factory=dict)
    hub_corners: bool = True
    remove_when_empty: bool = True

    def dependencies(self) -> Deps:
        return Deps(required=[BuildingsVariant, ElementsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        weights = deps.required(BuildingsVariant).weights
        for element in deps.required(ElementsVariant).elements:
            weights[extractor_of(element)] = self.weight

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for element in mission.required_variant(ElementsVariant).elements:
            env.game.objects[extractor_of(element)] = GridObjectConfig(
                name=extractor_of(element),
                inventory=InventoryConfig(default_limit=self.initial, initial={element: self.initial}),
                on_use_handler=firstMatch(
                    [
                        *(self._extract(f"{tool}_extract", element, n, tool) for tool, n in self.tools.items()),
                        self._extract("extract", element, self.amount),
                    ]
                ),
            )
        if self.hub_corners:
            set_corner_extractors(env)

    def _extract(self, name: str, element: str, amount: int, tool: str | None = None) -> Handler:
        return Handler(
            name=name,
            filters=[] if tool is None else [actorHas({tool: 1})],
            mutations=[
                updateActor({item: -paid for item, paid in self.cost.items()}),
                withdraw({element: amount}, remove_when_empty=self.remove_when_empty),
            ],
        )
