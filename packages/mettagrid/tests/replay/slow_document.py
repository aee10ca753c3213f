"""The published document by a naive implementation: every object formatted at every step, equal values joined.

It does not use rows, recorders or series; it calls `grid_objects` and follows the rules of the format.
"""

from typing import Any

import numpy as np

from mettagrid.simulator import Simulation
from mettagrid.util.grid_object_formatter import format_grid_object


class SlowDocument:
    """Objects of a document, kept up to date by `log` after every step."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._fields: dict[int, dict[str, list[list[Any]]]] = {}
        self._totals = np.zeros(simulation.num_agents)
        self._step = -1
        game = simulation.config.game
        limits = game.agents[0].inventory.limits
        self._capacity_of = {
            game.resource_names.index(resource): number
            for number, name in enumerate(sorted(limits))
            for resource in limits[name].resources
        }

    def log(self) -> None:
        simulation, engine = self._simulation, self._simulation._c_sim
        self._step += 1
        self._totals += engine.rewards().astype(np.float64)
        talk = simulation.talk_states()
        infos = simulation._context.get("policy_infos", {})
        there = simulation.grid_objects()
        for key, grid_object in there.items():
            is_wall = grid_object["type_name"] == "wall"
            if is_wall and self._step > 0:
                continue
            agent = grid_object.get("agent_id", -1)
            said = talk.get(agent)
            formatted = format_grid_object(
                grid_object,
                engine.actions(),
                simulation.action_success,
                engine.rewards(),
                self._totals,
                policy_infos=infos.get(agent),
                talk_text=said.text if said else "",
                talk_remaining_steps=said.remaining_steps if said else 0,
            )
            self._add(key, formatted)
        for key, fields in self._fields.items():
            if key not in there and fields["type_name"][0][1] != "wall" and fields["alive"][-1][1]:
                fields["alive"].append([self._step, False])

    def objects(self) -> list[dict[str, Any]]:
        return [
            {name: entries[0][1] if len(entries) == 1 else entries for name, entries in fields.items()}
            for fields in self._fields.values()
        ]

    def _add(self, key: int, formatted: dict[str, Any]) -> None:
        """A value that is there for the first time holds from the beginning, unless the object was there without it."""
        limits = formatted.pop("inventory_capacities_raw")
        capacities: dict[int, int] = {}
        for resource in sorted(limits):
            if resource in self._capacity_of:
                capacities.setdefault(self._capacity_of[resource], limits[resource])
        formatted["location"] = list(formatted["location"])
        late = {name: formatted.pop(name) for name in ("talk_text", "talk_remaining_steps") if name in formatted}
        is_new = key not in self._fields
        fields = self._fields.setdefault(key, {})
        if is_new and late:
            formatted |= late
        formatted["inventory_capacities"] = [[number, limit] for number, limit in sorted(capacities.items())]
        formatted |= late
        defaults = {"policy_infos": {}, "talk_text": "", "talk_remaining_steps": 0}
        for name, default in defaults.items():
            if name in fields and name not in formatted:
                formatted[name] = default
        for name, value in formatted.items():
            if name not in fields:
                fields[name] = [[0, value]] if is_new else [[0, defaults[name]], [self._step, value]]
            elif fields[name][-1][1] != value:
                fields[name].append([self._step, value])
        if is_new and self._step > 0:
            fields["alive"] = [[0, False], [self._step, True]]
