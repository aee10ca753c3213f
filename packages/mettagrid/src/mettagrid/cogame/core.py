"""Missions: a map, a number of cogs, and the variants that define the rules."""

import importlib
import sys
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
    """Settings of a kind of station, from which its object on the grid is created."""

    @abstractmethod
    def station_cfg(self) -> GridObjectConfig:
        """Create the object."""


class CoGameMission(Config, ABC):
    """Base of missions.

    `make_env` does not change the mission and its variants: two calls return equal environments. `min_cogs` and
    `max_cogs` are the intended numbers of cogs; other numbers work if the map has places for them.
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

    _base_variants: dict[str, CoGameMissionVariant] = PrivateAttr(default_factory=dict)
    """The attached variants by name, as they were given."""
    _variant_registry: VariantRegistry = PrivateAttr(default_factory=VariantRegistry)
    """All variants of the environment that `make_env` is building or built last; empty before the first."""

    @abstractmethod
    def make_base_env(self) -> MettaGridConfig:
        """Return the environment before any variant."""

    def full_name(self) -> str:
        return self.name

    @classmethod
    def variant_module_prefixes(cls) -> tuple[str, ...]:
        """Return the packages and modules to import for their variants, which win over others of the same name.

        By default the top-level package of the mission.
        """
        return (cls.__module__.partition(".")[0],)

    def with_variants(self, variants: "Sequence[str | CoGameMissionVariant]") -> Self:
        """Return a copy of the mission with more variants; one of the same name replaces the earlier one.

        Variants given as objects are copied. `compat` is not called here: games use it to choose what they offer.
        """
        mission = self.model_copy(deep=True)
        mission._variant_registry = VariantRegistry()
        self.import_variants()
        for item in variants:
            variant = copied(item) if isinstance(item, CoGameMissionVariant) else self.find_variant(str(item))
            mission._base_variants[variant.name] = variant
        return mission

    def with_cogs(self, cogs: int) -> Self:
        """Return a copy of the mission for another number of cogs."""
        if cogs < 1:
            raise CogsError(f"The mission {self.name!r} cannot have {cogs} cogs; it needs at least 1.")
        return self.model_copy(update={"num_cogs": cogs}, deep=True)

    @classmethod
    def import_variants(cls) -> None:
        """Import the modules of `variant_module_prefixes`, and `<package>.variants` of each where there is one."""
        for prefix in cls.variant_module_prefixes():
            import_variant_modules(prefix.rstrip("."))

    @classmethod
    def _ensure_variant_modules_loaded(cls) -> None:
        cls.import_variants()  # the published name

    def find_variant(self, name: str) -> CoGameMissionVariant:
        """Create the variant called `name` with default settings, from the mission's own packages first."""
        return CoGameMissionVariant.create(name, self.variant_module_prefixes())

    def make_env(self) -> MettaGridConfig:
        """Return the environment: the base with all variants applied."""
        mission = self.model_copy(deep=True)
        mission.import_variants()
        registry = VariantRegistry(mission._base_variants.values())
        mission._variant_registry = registry
        default = [] if self.default_variant is None else [self.default_variant]
        registry.run_configure(default, self.variant_module_prefixes())
        mission.check_variants(registry)
        env = mission.make_base_env()
        registry.apply_to_env(mission, env)
        mission.finish_env(env)
        env.label = mission.full_name()
        self._variant_registry = registry
        return env

    def check_variants(self, registry: VariantRegistry) -> None:
        """Raise `VariantConflict` for incompatible variants; called once all are configured."""

    def finish_env(self, env: MettaGridConfig) -> None:
        """Apply final changes after all variants."""

    def variants(self) -> VariantRegistry:
        """Return all variants during `make_env` and afterwards; before that, the attached ones."""
        if self._variant_registry.configured():
            return self._variant_registry
        return VariantRegistry(self._base_variants.values())

    def required_variant(self, variant_type: type[VariantT]) -> VariantT:
        """Return the variant of a class; raise `AssertionError` when it is absent."""
        return self.variants().required(variant_type)

    def optional_variant(self, variant_type: type[VariantT]) -> VariantT | None:
        """Return the variant of a class, or None."""
        return self.variants().optional(variant_type)

    def has_variant(self, name: str) -> bool:
        """Return whether a variant called `name` is part of the mission."""
        return self.variants().has(name)


def import_variant_modules(module: str) -> None:
    """Import a module, and its submodule `variants` where there is one."""
    if module not in sys.modules:
        importlib.import_module(module)
    variants = f"{module}.variants"
    try:
        importlib.import_module(variants)
    except ModuleNotFoundError as error:
        if error.name != variants:  # an import inside `variants` failed
            raise
