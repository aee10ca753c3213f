"""Read the simulation for a view: objects by cell, owners of cells. Read once per step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid import _native
from mettagrid.replay._rows import ROW, Field
from mettagrid.simulator import BoundingBox
from mettagrid.terminal.cells import Colour
from mettagrid.viewer._raster import NEUTRAL, team_colour

if TYPE_CHECKING:
    from mettagrid.simulator.simulator import Simulation

__all__ = ["World"]

Thing = dict[str, Any]
"""an object from `Simulation.grid_objects`"""
_PAGE_ROWS = 4096


class World:
    """Reads a simulation. Returned values are valid until the next step."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        game = simulation.config.game
        self.width, self.height = simulation.map_width, simulation.map_height
        self._others = [name for name in simulation.object_type_names if name not in _agent_types(simulation)]
        self.tag_names = game.id_map().tag_names()
        teams = [name.removeprefix("team:") for name in self.tag_names if name.startswith("team:")]
        self.team_colours = {name: team_colour(name, position) for position, name in enumerate(teams)}
        self._team_tags = {
            number: name.removeprefix("team:") for number, name in enumerate(self.tag_names) if name.startswith("team:")
        }
        self.owner_colours = {tag: self.team_colours[name] for tag, name in self._team_tags.items()}
        """{tag of a team: its colour}"""
        self._agents: tuple[int, dict[int, Thing]] = (-1, {})
        self._seen: tuple[object, dict[tuple[int, int], Thing]] = (None, {})
        self._owners = _Owners(simulation) if game.territories else None
        self._requested: tuple[list[int], ...] = ()

    def close(self) -> None:
        """Release the engine."""
        self._owners = None
        self._agents, self._seen = (-1, {}), (None, {})

    @property
    def agents(self) -> dict[int, Thing]:
        """Return {agent: object} of the agents on the map."""
        step = self.simulation.current_step
        if self._agents[0] != step:
            objects = self.simulation.grid_objects(ignore_types=self._others)
            self._agents = (step, {thing["agent_id"]: thing for thing in objects.values() if "agent_id" in thing})
        return self._agents[1]

    def within(self, top: int, left: int, rows: int, columns: int) -> dict[tuple[int, int], Thing]:
        """Return {(row, column): object} of a part of the map."""
        box = (max(top, 0), min(top + rows, self.height), max(left, 0), min(left + columns, self.width))
        key = (self.simulation.current_step, box)
        if self._seen[0] != key:
            if box[0] >= box[1] or box[2] >= box[3]:
                return {}
            bounds = BoundingBox(min_row=box[0], max_row=box[1], min_col=box[2], max_col=box[3])
            objects = self.simulation.grid_objects(bounds)
            self._seen = (key, {(thing["r"], thing["c"]): thing for thing in objects.values()})
        return self._seen[1]

    def at(self, row: int, column: int) -> Thing | None:
        """Return the object in a cell, or None."""
        seen = self.simulation.grid_objects(
            BoundingBox(min_row=row, max_row=row + 1, min_col=column, max_col=column + 1)
        )
        return next(iter(seen.values()), None)

    def team(self, thing: Thing) -> str | None:
        """Return the team of an object, by its tags."""
        return next((self._team_tags[tag] for tag in thing["tag_ids"] if tag in self._team_tags), None)

    def colour(self, thing: Thing) -> Colour:
        team = self.team(thing)
        if team is not None:
            return self.team_colours[team]
        # Agents of games without teams get distinct colours too.
        return team_colour("", thing["agent_id"]) if "agent_id" in thing else NEUTRAL

    def owners(self) -> np.ndarray | None:
        """Return int32 [height, width]: the tag that owns each cell, or -1; None in games without territory."""
        return None if self._owners is None else self._owners.now()

    def owner_name(self, row: int, column: int) -> str | None:
        owners = self.owners()
        if owners is None or owners[row, column] < 0:
            return None
        return self.tag_names[owners[row, column]].removeprefix("team:")

    def policy_infos(self, agent: int) -> dict[str, Any]:
        """Return the infos of an agent's policy, including `policy_name`."""
        infos = self.simulation._context.get("policy_infos", {}).get(agent)
        return dict(infos) if infos else {}

    def note_actions(self) -> None:
        """Save the last step's actions; called after each step, before policies choose the next ones."""
        engine = self.simulation._c_sim
        self._requested = (engine.actions().tolist(), engine.vibe_actions().tolist())

    def last_action(self, agent: int) -> str:
        """Return the action of the last step, whether it succeeded or not; empty before the first one."""
        names = self.simulation.action_names
        numbers = [actions[agent] for actions in self._requested]
        chosen = [names[number] for number in numbers if 0 < number < len(names)]
        return " + ".join(chosen) or ("noop" if numbers else "")


class _Owners:
    """The owner of each cell, updated incrementally; only the first of several territories counts."""

    def __init__(self, simulation: Simulation) -> None:
        self._recorder = _native.Recorder(simulation._c_sim)
        self._page = np.empty((max(_PAGE_ROWS, self._recorder.rows_needed), ROW.itemsize), np.uint8)
        self._recorder.use(self._page)
        self._owners = np.full((simulation.map_height, simulation.map_width), -1, np.int32)
        self._simulation = simulation
        self._step = -1

    def now(self) -> np.ndarray:
        if self._simulation.current_step != self._step:
            self._step = self._simulation.current_step
            while not self._recorder.record():
                self._take()
            self._take()
        return self._owners

    def _take(self) -> None:
        rows = self._page[: self._recorder.written].reshape(-1).view(ROW)
        changed = rows[(rows["field"] == Field.OWNER) & (rows["key"] == 0)]
        self._owners.reshape(-1)[changed["object"]] = changed["value"]
        self._recorder.use(self._page)


def _agent_types(simulation: Simulation) -> set[str]:
    return {agent.name for agent in simulation.config.game.agents}
