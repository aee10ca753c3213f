"""Mutation of stats."""

from typing import TYPE_CHECKING, Literal

from mettagrid.base_config import ConfigStrEnum
from mettagrid.config.game_value import SumGameValue, stat, val
from mettagrid.config.mutation.mutation import Mutation

if TYPE_CHECKING:
    from mettagrid.config.game_value import AnyGameValue
else:
    from mettagrid.config._rules import AnyGameValue


class StatsTarget(ConfigStrEnum):
    """The table of a stat."""

    GAME = "game"
    AGENT = "agent"


class StatsEntity(ConfigStrEnum):
    """The entity that owns the stat and for which `source` is read."""

    TARGET = "target"
    ACTOR = "actor"


class StatsMutation(Mutation):
    """Sets a stat to the value of `source`. To count, use a sum that includes the stat itself as the source."""

    mutation_type: Literal["stats"] = "stats"
    stat: str
    target: StatsTarget = StatsTarget.GAME
    entity: StatsEntity = StatsEntity.TARGET
    source: AnyGameValue


def logStat(
    stat: str,
    delta: float = 1,
    target: StatsTarget = StatsTarget.GAME,
    entity: StatsEntity = StatsEntity.TARGET,
    source: "AnyGameValue | None" = None,
) -> StatsMutation:
    """Add `delta`, or the value of `source` if given, to a stat."""
    added = val(delta) if source is None else source
    return StatsMutation(stat=stat, target=target, entity=entity, source=_accumulate(stat, added, target))


def logStatToGame(stat: str, delta: float = 1, source: "AnyGameValue | None" = None) -> StatsMutation:
    """Add to a stat of the game."""
    return logStat(stat, delta, StatsTarget.GAME, source=source)


def logTargetAgentStat(stat: str, delta: float = 1, source: "AnyGameValue | None" = None) -> StatsMutation:
    """Add to a stat of the target agent."""
    return logStat(stat, delta, StatsTarget.AGENT, StatsEntity.TARGET, source)


def logActorAgentStat(stat: str, delta: float = 1, source: "AnyGameValue | None" = None) -> StatsMutation:
    """Add to a stat of the acting agent."""
    return logStat(stat, delta, StatsTarget.AGENT, StatsEntity.ACTOR, source)


def _accumulate(name: str, added: "AnyGameValue", target: StatsTarget) -> SumGameValue:
    itself = stat(f"game.{name}") if target is StatsTarget.GAME else stat(name)
    return SumGameValue(values=[itself, added])
