"""Follow the hub's resources: amounts, deposits, and the steps in which it can pay for gear."""

from __future__ import annotations

from collections import Counter

from cogames_agents.audit.episode import Step
from cogames_agents.audit.gear import Costs, GearStations, available_roles
from cogames_agents.audit.text import Row, Rows, Signed, counts
from cogames_agents.audit.world import ELEMENTS, ROLES, STOCKED

__all__ = ["HubStock"]


class HubStock:
    """The stock of the hub over an episode; with several teams, the sum over their hubs."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._start: Counter[str] | None = None
        self._now: Counter[str] = Counter()
        self._traced: Counter[str] = Counter()
        self._least: dict[str, int] = {}
        self._most: dict[str, int] = {}
        self._deposited: Counter[str] = Counter()
        self._hearts_taken = 0
        self._windows: dict[str, list[list[int]]] = {role: [] for role in ROLES}
        self._available: list[str] = []

    def add(self, step: Step) -> None:
        if self._start is None:
            self._start = self._traced = self._now = step.before.stock()
            self._note()
        self._now = step.after.stock()
        self._note()
        for use in step.uses:
            if use.rule.startswith("deposit"):
                self._deposited.update({element: -use.gained.get(element, 0) for element in ELEMENTS})
            elif use.structure.kind == "hub":
                self._hearts_taken += max(0, use.gained.get("heart", 0))
        for role in available_roles(step.before, self._costs):
            windows = self._windows[role]
            if windows and windows[-1][1] == step.number - 1:
                windows[-1][1] = step.number
            else:
                windows.append([step.number, step.number])
        self._available = available_roles(step.after, self._costs)

    def trace(self, step: Step, stations: GearStations) -> Row:
        """Return the row of a trace; `delta` is the change since the row before."""
        delta = {name: Signed(self._now[name] - self._traced[name]) for name in STOCKED}
        self._traced = self._now
        return {
            "step": step.number,
            "inv": counts(self._now, STOCKED),
            "delta": delta,
            "station_uses": counts(stations.uses, ROLES),
            "station_uses_with_resources": counts(stations.uses_with_resources, ROLES),
            "adjacent_roles": counts(stations.adjacent, ROLES),
            "available_roles": self._available,
        }

    def rows(self) -> Rows:
        start = self._start or Counter()
        rows: Rows = {
            name: {
                "start": start[name],
                "end": self._now[name],
                "min": self._least.get(name, 0),
                "max": self._most.get(name, 0),
                **({"taken": self._hearts_taken} if name == "heart" else {"deposited": self._deposited[name]}),
            }
            for name in STOCKED
        }
        return rows | {f"{role} gear": {"payable_steps": self._payable(role)} for role in self._costs}

    def _note(self) -> None:
        for name in STOCKED:
            self._least[name] = min(self._least.get(name, self._now[name]), self._now[name])
            self._most[name] = max(self._most.get(name, self._now[name]), self._now[name])

    def _payable(self, role: str) -> list[str]:
        """Return the windows of steps in which the hub could pay, such as `0-37`."""
        return [f"{first}-{last}" for first, last in self._windows[role]]
