"""Variants: named pieces of rules that a mission is put together from.

A variant says which other variants it needs (`dependencies`), adjusts those (`configure`), and finally writes its rules
into the environment (`modify_env`). Order decides the numbers of resources and features, so it is fixed:

1. the variants that were attached, in that order, then the mission's default variant;
2. missing required variants are made, with default settings, until none is missing;
3. every variant comes after those it depends on: attached ones in order, each preceded by its required and then its
   optional dependencies as declared.
"""

import copy
import inspect
from abc import ABC
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from mettagrid.base_config import Config
from mettagrid.cogame.errors import MissionError, UnknownVariant

if TYPE_CHECKING:
    from mettagrid.cogame.core import CoGameMission
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["CoGameMissionVariant", "Deps", "ResolvedDeps", "VariantRegistry"]

VariantT = TypeVar("VariantT", bound="CoGameMissionVariant")


class Deps:
    """The variants that a variant builds on: `required` ones are added when missing, `optional` ones only used."""

    def __init__(
        self,
        required: "Sequence[type[CoGameMissionVariant]]" = (),
        optional: "Sequence[type[CoGameMissionVariant]]" = (),
    ) -> None:
        self.required = list(required)
        self.optional = list(optional)


class CoGameMissionVariant(Config, ABC):
    """Base of variants. A subclass with a default for `name` can be created by that name.

    Several classes may share a name: the last one defined wins, unless `create` is told to prefer a module.
    """

    name: str
    description: str = ""

    _classes: ClassVar[dict[str, list[type["CoGameMissionVariant"]]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        name = cls.model_fields["name"].default
        if "name" in inspect.get_annotations(cls) and isinstance(name, str):
            CoGameMissionVariant._classes.setdefault(name, []).append(cls)

    @classmethod
    def known_names(cls) -> list[str]:
        """The names of all variants of the modules imported so far."""
        return sorted(CoGameMissionVariant._classes)

    @staticmethod
    def find_class(name: str, preferred_modules: Sequence[str] = ()) -> "type[CoGameMissionVariant]":
        """The class called `name`; `UnknownVariant` when there is none."""
        classes = CoGameMissionVariant._classes.get(name, [])
        if not classes:
            raise UnknownVariant(name, CoGameMissionVariant._classes)
        preferred = [cls for cls in classes if _is_in(cls.__module__, preferred_modules)]
        return (preferred or classes)[-1]

    @staticmethod
    def create(name: str, preferred_modules: Sequence[str] = ()) -> "CoGameMissionVariant":
        """The variant called `name` with its default settings."""
        cls: Any = CoGameMissionVariant.find_class(name, preferred_modules)
        missing = [field for field, info in cls.model_fields.items() if info.is_required()]
        if missing:
            raise MissionError(f"The variant {name!r} needs {missing[0]!r}: give {cls.__name__}({missing[0]}=...).")
        return cls()

    def dependencies(self) -> Deps:
        """The variants this one builds on."""
        return Deps()

    def configure(self, deps: "ResolvedDeps") -> None:
        """Adjust this variant and those it depends on; runs for all variants before any `modify_env`."""

    def modify_env(self, mission: "CoGameMission", env: "MettaGridConfig") -> None:
        """Write the rules of this variant into the environment."""

    def compat(self, mission: "CoGameMission") -> bool:
        """Whether the variant can be used with the mission."""
        return True


def _is_in(module: str, packages: Sequence[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


class ResolvedDeps:
    """The dependencies of one variant while it is configured; only declared ones can be asked for."""

    def __init__(self, owner: CoGameMissionVariant, registry: "VariantRegistry") -> None:
        self._owner = owner
        self._registry = registry
        self._deps = owner.dependencies()

    def required(self, kind: type[VariantT]) -> VariantT:
        """The variant of a class that is declared as required."""
        assert kind in self._deps.required, f"{self._owner.name!r} does not declare {kind.__name__} as required."
        return self._registry.required(kind)

    def optional(self, kind: type[VariantT]) -> VariantT | None:
        """The variant of a class that is declared as optional (or required), if it is there."""
        declared = (*self._deps.required, *self._deps.optional)
        assert kind in declared, f"{self._owner.name!r} does not declare {kind.__name__} as a dependency."
        return self._registry.optional(kind)


class VariantRegistry:
    """The variants of one environment: first as attached, after `run_configure` complete and in order."""

    def __init__(self, variants: Iterable[CoGameMissionVariant] = ()) -> None:
        self._variants: dict[str, CoGameMissionVariant] = {}
        self._configured: list[CoGameMissionVariant] = []
        for variant in variants:
            self._variants[variant.name] = variant

    def get(self, name: str) -> CoGameMissionVariant | None:
        """The variant called `name`, or None."""
        return self._variants.get(name)

    def has(self, name: str) -> bool:
        return name in self._variants

    def all(self) -> list[CoGameMissionVariant]:
        """All variants, attached ones first."""
        return list(self._variants.values())

    def configured(self) -> list[CoGameMissionVariant]:
        """The variants in the order in which they are applied."""
        return list(self._configured)

    def configured_names(self) -> list[str]:
        return [variant.name for variant in self._configured]

    def required(self, kind: type[VariantT]) -> VariantT:
        """The variant of a class; `AssertionError` when it is not there."""
        found = self.optional(kind)
        assert found is not None, f"The variant {kind.__name__} is not part of this environment."
        return found

    def optional(self, kind: type[VariantT]) -> VariantT | None:
        """The variant of a class, or None."""
        matches = [variant for variant in self._variants.values() if isinstance(variant, kind)]
        exact = [variant for variant in matches if type(variant) is kind]
        return next(iter(exact or matches), None)

    def run_configure(self, names: Sequence[str] = (), preferred_modules: Sequence[str] = ()) -> None:
        """Add the variants called `names` where missing and all required ones, put them in order, configure them."""
        for name in names:
            if name not in self._variants:
                self._variants[name] = CoGameMissionVariant.create(name, preferred_modules)
        self._add_required()
        self._configured = self._in_order()
        for variant in self._configured:
            variant.configure(ResolvedDeps(variant, self))

    def apply_to_env(self, mission: "CoGameMission", env: "MettaGridConfig") -> None:
        """Let every variant write its rules, in order."""
        for variant in self._configured:
            variant.modify_env(mission, env)

    def build_dependency_graph(self) -> list[tuple[str, str, str]]:
        """(variant, dependency, "required" or "optional") for every dependency that is there."""
        return [
            (variant.name, dependency.name, kind)
            for variant in self._variants.values()
            for dependency, kind in self._edges(variant)
        ]

    def _add_required(self) -> None:
        complete = False
        while not complete:
            complete = True
            for variant in list(self._variants.values()):
                for kind in variant.dependencies().required:
                    if self.optional(kind) is None:
                        made: Any = kind
                        added = made()
                        self._variants[added.name] = added
                        complete = False

    def _edges(self, variant: CoGameMissionVariant) -> list[tuple[CoGameMissionVariant, str]]:
        deps = variant.dependencies()
        edges: list[tuple[CoGameMissionVariant, str]] = [(self.required(kind), "required") for kind in deps.required]
        found = [self.optional(kind) for kind in deps.optional]
        return edges + [(item, "optional") for item in found if item is not None]

    def _in_order(self) -> list[CoGameMissionVariant]:
        order: dict[str, CoGameMissionVariant] = {}
        entered: list[str] = []

        def visit(variant: CoGameMissionVariant) -> None:
            if variant.name in order:
                return
            circle = " > ".join([*entered, variant.name])
            assert variant.name not in entered, f"The dependencies of variant {variant.name!r} go in a circle: {circle}"
            entered.append(variant.name)
            for dependency, _ in self._edges(variant):
                visit(dependency)
            entered.pop()
            order[variant.name] = variant

        for variant in self._variants.values():
            visit(variant)
        return list(order.values())


def copied(variant: CoGameMissionVariant) -> CoGameMissionVariant:
    """A copy that shares nothing with the original."""
    return copy.deepcopy(variant)
