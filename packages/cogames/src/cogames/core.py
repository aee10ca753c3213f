"""`mettagrid.cogame.core` under its older name."""

from mettagrid.cogame.core import (
    CoGameMission,
    CoGameMissionVariant,
    CogsError,
    CvCStationConfig,
    Deps,
    MissionError,
    ResolvedDeps,
    UnknownMission,
    UnknownVariant,
    VariantConflict,
    VariantRegistry,
)

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
