"""Count uses of gear stations, gear taken and gear lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cogames_agents.audit.episode import Step
from cogames_agents.audit.text import Rows
from cogames_agents.audit.world import ROLES, World

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["Costs", "GearStations", "available_roles", "can_pay", "station_costs"]

_CHANGE_GEAR = "change_gear"
_NEIGHBORS = ((-1, 0), (1, 0), (0, -1), (0, 1))

Costs = Mapping[str, Mapping[str, int]]
"""{role: {resource: what the hub pays for the gear}}"""


def station_costs(env: MettaGridConfig) -> Costs:
    """Read the costs of gear in the rules of the stations; a mission without stations has none."""
    costs: dict[str, dict[str, int]] = {}
    for config in env.game.objects.values():
        handlers = getattr(getattr(config, "on_use_handler", None), "handlers", ())
        for handler in handlers if config.name in ROLES else ():
            if handler.name == _CHANGE_GEAR:
                paid = [rule for rule in handler.filters if hasattr(getattr(rule, "value", None), "item")]
                costs[config.name] = {rule.value.item: int(rule.min) for rule in paid}
    return costs


def can_pay(stock: Mapping[str, int], cost: Mapping[str, int]) -> bool:
    return all(stock.get(resource, 0) >= amount for resource, amount in cost.items())


def available_roles(world: World, costs: Costs) -> list[str]:
    """Return the roles whose gear a hub can pay for."""
    stocks = [world.hubs.get(team, {}) for team in world.teams]
    return [role for role in ROLES if role in costs and any(can_pay(stock, costs[role]) for stock in stocks)]


class GearStations:
    """Uses of stations by role; a use *with resources* found the hub able to pay."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self.uses: Counter[str] = Counter()
        self.uses_with_resources: Counter[str] = Counter()
        self.acquired: Counter[str] = Counter()
        self.attempts_without_resources: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.adjacent: Counter[str] = Counter()
        """agents beside a station of each role, after the last step"""

    def add(self, step: Step) -> None:
        changed = set()
        for use in step.uses:
            station, agent = use.structure, step.before.agents[use.agent]
            if not station.is_station:
                continue
            role = station.kind
            stock = step.before.hubs.get(agent.team, {})
            self.uses[role] += 1
            self.uses_with_resources[role] += can_pay(stock, self._costs.get(role, {}))
            if use.gained.get(role, 0) > 0:
                self.acquired[role] += 1
                changed.add(use.agent)
            elif agent.gear != role and agent.team in station.teams:
                self.attempts_without_resources[role] += 1
        for agent_id, (before, after) in enumerate(zip(step.before.agents, step.after.agents, strict=True)):
            if before.gear and before.gear != after.gear and agent_id not in changed:
                self.lost[before.gear] += 1
        self.adjacent = _adjacent(step.after)

    def rows(self) -> Rows:
        rows: Rows = {
            role: {
                "station_uses": self.uses[role],
                "station_uses_with_resources": self.uses_with_resources[role],
                "gear_acquired": self.acquired[role],
                "gear_attempts_without_resources": self.attempts_without_resources[role],
                "gear_lost": self.lost[role],
            }
            for role in ROLES
        }
        rows["all"] = {
            "gear_acquired": self.acquired.total(),
            "gear_attempts_without_resources": self.attempts_without_resources.total(),
        }
        return rows


def _adjacent(world: World) -> Counter[str]:
    beside: Counter[str] = Counter()
    for agent in world.agents:
        row, col = agent.cell
        near = (world.structures.get((row + dr, col + dc)) for dr, dc in _NEIGHBORS)
        beside.update({structure.kind for structure in near if structure is not None and structure.is_station})
    return beside
