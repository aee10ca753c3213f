"""Gear stations of teams: what gear costs, and that free gear needs no hub."""

import pytest

from cogsguard.game.teams import TeamConfig
from cogsguard.game.teams.gear_stations import TeamGearStationsVariant
from mettagrid.config.handler_config import FirstMatch
from mettagrid.config.mettagrid_config import GameConfig, GridObjectConfig, MettaGridConfig
from mettagrid.config.mutation import QueryInventoryMutation


class DoubledStations(TeamGearStationsVariant):
    """A game's own stations, each for double the price."""

    name: str = "test_doubled_stations"

    def _add_station(
        self, env: MettaGridConfig, team: TeamConfig, item: str, symbol: str | None, cost: dict[str, int] | None = None
    ) -> None:
        super()._add_station(env, team, item, symbol, {name: 2 * amount for name, amount in (cost or {}).items()})


def station(variant: TeamGearStationsVariant, cost: dict[str, int] | None) -> GridObjectConfig:
    env = MettaGridConfig(game=GameConfig())
    variant._add_station(env, TeamConfig(), "miner", "M", cost)
    assert env.game.render.symbols["c:miner"] == "M"
    return env.game.objects["c:miner"]


def payments(item: GridObjectConfig) -> list[dict[str, int]]:
    assert isinstance(item.on_use_handler, FirstMatch)
    return [
        mutation.deltas
        for handler in item.on_use_handler.handlers
        for mutation in handler.mutations
        if isinstance(mutation, QueryInventoryMutation)
    ]


@pytest.mark.parametrize("cost", [None, {}])
def test_free_gear_needs_no_hub(cost: dict[str, int] | None) -> None:
    assert payments(station(TeamGearStationsVariant(), cost)) == []


def test_a_subclass_can_change_a_station() -> None:
    assert payments(station(TeamGearStationsVariant(), {"carbon": 3})) == [{"carbon": -3}]
    assert payments(station(DoubledStations(), {"carbon": 3})) == [{"carbon": -6}]
