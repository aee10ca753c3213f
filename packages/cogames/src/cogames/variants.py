"""`mettagrid.cogame.variants` under its older name."""

from mettagrid.cogame.variants import (
    CoGameMissionVariant,
    Deps,
    ResolvedDeps,
    VariantRegistry,
)

__all__ = [
    "CoGameMissionVariant",
    "Deps",
    "ResolvedDeps",
    "VariantRegistry",
]
