"""Variants: named sets of rules that a mission is composed of.

A variant declares which other variants it needs (`dependencies`), adjusts those (`configure`), and finally writes its
rules into the environment (`modify_env`). The order decides the ids of resources and features, so it is fixed:

1. the attached variants, in that order, then the mission's default variant;
2. missing required variants are created, with default settings, until none is missing;
3. every variant comes after those it depends on: attached ones in order, each preceded by its required and then its
   optional dependencies as declared.
"""

import copy
import inspect
from abc import ABC
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from mettagrid.base_config import Config
from mettagrid.cogame.errors import MissionError, UnknownVariant

if TYPE_CHECKING:
    from mettagrid.cogame.core import CoGameMission
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["CoGameMissionVariant", "Deps", "ResolvedDeps", "VariantRegistry"]

VariantT = TypeVar("VariantT", bound="CoGameMissionVariant")


@dataclass
class Deps:
    """The variants that a variant builds on: `required` ones are added when missing, `optional` ones only used."""

    required: "list[type[CoGameMissionVariant]]" = field(default_factory=list)
    optional: "list[type[CoGameMissionVariant]]" = field(default_factory=list)


class CoGameMissionVariant(Config, ABC):
    """Base of variants. A subclass with a default for `name` can be created by that name.

    Several classes may share a name: the last one defined wins, unless `create` gets modules to prefer.
    """

    name: str
    description: str = ""

    _type_candidates: ClassVar[dict[str, list[type["CoGameMissionVariant"]]]] = {}
    _type_registry: ClassVar[dict[str, type["CoGameMissionVariant"]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        name = cls.model_fields["name"].default
        if "name" in inspect.get_annotations(cls) and isinstance(name, str):
            CoGameMissionVariant._type_candidates.setdefault(name, []).append(cls)
            CoGameMissionVariant._type_registry[name] = cls

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the names of all variants of the modules imported so far."""
        return sorted(CoGameMissionVariant._type_registry)

    @staticmethod
    def find_class(name: str, preferred_modules: Sequence[str] | None = None) -> "type[CoGameMissionVariant]":
        """Return the class called `name`; raise `UnknownVariant` when there is none."""
        classes = CoGameMissionVariant._type_candidates.get(name, [])
        if not classes:
            raise UnknownVariant(name, CoGameMissionVariant._type_registry)
        preferred = [cls for cls in classes if _is_in(cls.__module__, preferred_modules or ())]
        return (preferred or classes)[-1]

    @staticmethod
    def create(name: str, preferred_modules: Sequence[str] | None = None) -> "CoGameMissionVariant":
        """Create the variant called `name` with its default settings."""
        cls: Any = CoGameMissionVariant.find_class(name, preferred_modules)
        missing = [field for field, info in cls.model_fields.items() if info.is_required()]
        if missing:
            raise MissionError(f"The variant {name!r} needs {missing[0]!r}: give {cls.__name__}({missing[0]}=...).")
        return cls()

    def dependencies(self) -> Deps:
        """Return the variants this one builds on."""
        return Deps()

    def configure(self, deps: "ResolvedDeps") -> None:
        """Adjust this variant and those it depends on; runs for all variants before any `modify_env`."""

    def modify_env(self, mission: "CoGameMission", env: "MettaGridConfig") -> None:
        """Write the rules of this variant into the environment."""

    def compat(self, mission: "CoGameMission") -> bool:
        """Return whether the variant can be used with the mission."""
        return True


def _is_in(module: str, packages: Sequence[str]) -> bool:
    names = [package.rstrip(".") for package in packages]
    return any(module == name or module.startswith(f"{name}.") for name in names)


class ResolvedDeps:
    """The dependencies of one variant while it is configured; only declared ones are available."""

    def __init__(
        self,
        registry: "VariantRegistry",
        declared_required: Collection[type[CoGameMissionVariant]],
        declared_optional: Collection[type[CoGameMissionVariant]],
    ) -> None:
        self._registry = registry
        self._required = declared_required
        self._optional = declared_optional

    def required(self, variant_type: type[VariantT]) -> VariantT:
        """Return the variant of a class that is declared as required."""
        assert variant_type in self._required, (
            f"required({variant_type.__name__}) not declared in dependencies(). "
            f"Declared required: {_class_names(self._required)}"
        )
        return self._registry.required(variant_type)

    def optional(self, variant_type: type[VariantT]) -> VariantT | None:
        """Return the variant of a class that is declared as optional (or required), or None when it is absent."""
        assert variant_type in self._optional or variant_type in self._required, (
            f"optional({variant_type.__name__}) not declared in dependencies(). "
            f"Declared optional: {_class_names(self._optional)}"
        )
        return self._registry.optional(variant_type)


def _class_names(classes: Iterable[type]) -> list[str]:
    return sorted(cls.__name__ for cls in classes)


class VariantRegistry:
    """The variants of one environment: first as attached, after `run_configure` complete and in order."""

    def __init__(self, variants: Iterable[CoGameMissionVariant] | None = None) -> None:
        self._variants: dict[str, CoGameMissionVariant] = {}
        self._configured: list[CoGameMissionVariant] = []
        for variant in variants or ():
            self._variants[variant.name] = variant

    def get(self, name: str) -> CoGameMissionVariant | None:
        """Return the variant called `name`, or None."""
        return self._variants.get(name)

    def has(self, name: str) -> bool:
        return name in self._variants

    def all(self) -> list[CoGameMissionVariant]:
        """Return all variants, attached ones first."""
        return list(self._variants.values())

    def configured(self) -> list[CoGameMissionVariant]:
        """Return the variants in the order in which they are applied."""
        return list(self._configured)

    def configured_names(self) -> list[str]:
        return [variant.name for variant in self._configured]

    def required(self, variant_type: type[VariantT]) -> VariantT:
        """Return the variant of a class; raise `AssertionError` when it is absent."""
        variant = self.optional(variant_type)
        assert variant is not None, (
            f"required({variant_type.__name__}) not found in registry. Available: {list(self._variants)}"
        )
        return variant

    def optional(self, variant_type: type[VariantT]) -> VariantT | None:
        """Return the variant of a class, or None."""
        matches = [variant for variant in self._variants.values() if isinstance(variant, variant_type)]
        exact = [variant for variant in matches if type(variant) is variant_type]
        return next(iter(exact or matches), None)

    def run_configure(self, variants: Sequence[str] = (), preferred_modules: Sequence[str] | None = None) -> None:
        """Add the variants called `variants` and all required ones where missing, put them in order, configure them."""
        for name in variants:
            if name not in self._variants:
                self._variants[name] = CoGameMissionVariant.create(name, preferred_modules)
        self._resolve_dependencies()
        self._configured = self._in_order()
        for variant in self._configured:
            deps = variant.dependencies()
            variant.configure(ResolvedDeps(self, deps.required, deps.optional))

    def apply_to_env(self, mission: "CoGameMission", env: "MettaGridConfig") -> None:
        """Apply the rules of every variant, in order."""
        for variant in self._configured:
            variant.modify_env(mission, env)

    def build_dependency_graph(self) -> list[tuple[str, str, str]]:
        """Add missing required variants, then return (variant, dependency, "required" or "optional") for each pair."""
        self._resolve_dependencies()
        return [
            (variant.name, dependency.name, kind)
            for variant in self._variants.values()
            for dependency, kind in self._edges(variant)
        ]

    def _resolve_dependencies(self) -> None:
        complete = False
        while not complete:
            complete = True
            for variant in list(self._variants.values()):
                for kind in variant.dependencies().required:
                    if self.optional(kind) is None:
                        factory: Any = kind
                        added = factory()
                        self._variants[added.name] = added
                        complete = False

    def _edges(self, variant: CoGameMissionVariant) -> list[tuple[CoGameMissionVariant, str]]:
        deps = variant.dependencies()
        edges: list[tuple[CoGameMissionVariant, str]] = [(self.required(kind), "required") for kind in deps.required]
        optional = [self.optional(kind) for kind in deps.optional]
        return edges + [(item, "optional") for item in optional if item is not None]

    def _in_order(self) -> list[CoGameMissionVariant]:
        order: dict[str, CoGameMissionVariant] = {}
        entered: list[str] = []

        def visit(variant: CoGameMissionVariant) -> None:
            if variant.name in order:
                return
            circle = " > ".join([*entered, variant.name])
            assert variant.name not in entered, (
                f"Circular dependency detected involving {variant.name!r}: {circle}. Drop one of these dependencies."
            )
            entered.append(variant.name)
            for dependency, _ in self._edges(variant):
                visit(dependency)
            entered.pop()
            order[variant.name] = variant

        for variant in self._variants.values():
            visit(variant)
        return list(order.values())


def copied(variant: CoGameMissionVariant) -> CoGameMissionVariant:
    """Return a copy that shares nothing with the original."""
    return copy.deepcopy(variant)
