"""Missions: a map, a number of cogs, and the variants that make the rules."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self, TypeVar

from pydantic import Field, PrivateAttr

from mettagrid.base_config import Config
from mettagrid.cogame.errors import CogsError, MissionError, UnknownMission, UnknownVariant, VariantConflict
from mettagrid.cogame.variants import CoGameMissionVariant, Deps, ResolvedDeps, VariantRegistry, copied
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig

__all__ = [
    "CoGameMission",
    "CoGameMissionVariant",
    "CogsError",
    "CvCStationConfig",
    "Deps",
    "MissionError",
    "ResolvedDeps",
    "UnknownMission",
    "UnknownVariant",
    "VariantConflict",
    "VariantRegistry",
]

VariantT = TypeVar("VariantT", bound=CoGameMissionVariant)


class CvCStationConfig(Config, ABC):
    """Settings of a kind of station, from which its object on the grid is made."""

    @abstractmethod
    def station_cfg(self) -> GridObjectConfig:
        """The object."""


class CoGameMission(Config, ABC):
    """Base of missions.

    `make_env` leaves the mission and its variants as they are: two calls give equal environments. `min_cogs` and
    `max_cogs` say what the mission is meant for; other numbers work where the map has places for them.
    """

    name: str
    description: str = ""
    map_builder: AnyMapBuilderConfig
    num_cogs: int | None = None
    min_cogs: int = Field(default=1, ge=1)
    max_cogs: int = Field(default=1000, ge=1)
    default_variant: str | None = None
    sub_missions: list[str] = Field(default_factory=list)
    max_steps: int = Field(default=10000, ge=0)

    _attached: dict[str, CoGameMissionVariant] = PrivateAttr(default_factory=dict)
    _registry: VariantRegistry | None = PrivateAttr(default=None)

    @abstractmethod
    def make_base_env(self) -> MettaGridConfig:
        """The environment before any variant."""

    def full_name(self) -> str:
        return self.name

    def variant_module_prefixes(self) -> tuple[str, ...]:
        """Packages whose variants win over others of the same name."""
        return (type(self).__module__.partition(".")[0],)

    def with_variants(self, variants: "Sequence[str | CoGameMissionVariant]") -> Self:
        """A copy of the mission with more variants; one of the same name replaces the earlier one."""
        mission = self.model_copy(deep=True)
        self.import_variants()
        for item in variants:
            variant = self.find_variant(item) if isinstance(item, str) else copied(item)
            if not variant.compat(mission):
                raise VariantConflict(f"The variant {variant.name!r} does not fit the mission {self.name!r}.")
            mission._attached[variant.name] = variant
        return mission

    def with_cogs(self, num_cogs: int) -> Self:
        """A copy of the mission for another number of cogs."""
        if num_cogs < 1:
            raise CogsError(f"The mission {self.name!r} was asked for {num_cogs} cogs; it needs at least 1.")
        return self.model_copy(update={"num_cogs": num_cogs}, deep=True)

    def import_variants(self) -> None:
        """Import `<package>.variants` of the mission's package, where there is one, so that its variants are known."""
        for prefix in self.variant_module_prefixes():
            module = f"{prefix}.variants"
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name not in (module, prefix):
                    raise

    def find_variant(self, name: str) -> CoGameMissionVariant:
        """The variant called `name` with default settings, from the mission's own package first."""
        return CoGameMissionVariant.create(name, self.variant_module_prefixes())

    def make_env(self) -> MettaGridConfig:
        """The environment: the base with all variants applied."""
        mission = self.model_copy(deep=True)
        mission.import_variants()
        registry = VariantRegistry(mission._attached.values())
        mission._registry = registry
        default = [] if self.default_variant is None else [self.default_variant]
        registry.run_configure(default, self.variant_module_prefixes())
        mission.check_variants(registry)
        env = mission.make_base_env()
        registry.apply_to_env(mission, env)
        mission.finish_env(env)
        env.label = mission.full_name()
        return env

    def check_variants(self, registry: VariantRegistry) -> None:
        """Raise `VariantConflict` for variants that cannot go together; called when all are configured."""

    def finish_env(self, env: MettaGridConfig) -> None:
        """Last changes after all variants."""

    # For variants, while an environment is made; before that, what is attached.

    def variants(self) -> VariantRegistry:
        return self._registry or VariantRegistry(self._attached.values())

    def required_variant(self, kind: type[VariantT]) -> VariantT:
        """The variant of a class; `AssertionError` when it is not there."""
        return self.variants().required(kind)

    def optional_variant(self, kind: type[VariantT]) -> VariantT | None:
        """The variant of a class, or None."""
        return self.variants().optional(kind)

    def has_variant(self, name: str) -> bool:
        return self.variants().has(name)
