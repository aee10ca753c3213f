"""What the agents of a team have had in view: the knowledge a policy can have from its observations alone."""

from __future__ import annotations

from cogames_agents.audit.world import Cell, Structure, World
from mettagrid.compiler.window import window_cells

__all__ = ["Sightings"]


class Sightings:
    """Structures as each agent and each team has last seen them.

    Call `look` for the agents in the order in which their policies act: a policy that shares its map between agents
    knows in its turn what the agents before it see in the same step.
    """

    def __init__(self, height: int, width: int, agents: int) -> None:
        self._window = {(cell.dr, cell.dc) for cell in window_cells(height, width)}
        self._by_team: dict[str, dict[Cell, Structure]] = {}
        self._by_agent: list[dict[Cell, Structure]] = [{} for _ in range(agents)]

    def look(self, world: World, agent: int) -> None:
        """Add the window of an agent."""
        state = world.agents[agent]
        maps = (self._by_agent[agent], self.of_team(state.team))
        row, col = state.cell
        for dr, dc in self._window:
            cell = row + dr, col + dc
            structure = world.structures.get(cell)
            if structure is not None:
                for known in maps:
                    known[cell] = structure
            else:
                for known in maps:
                    known.pop(cell, None)

    def is_visible(self, offset: Cell) -> bool:
        """Return whether an agent sees the cell at an offset from its own."""
        return offset in self._window

    def of_team(self, team: str) -> dict[Cell, Structure]:
        """Return the structures that a team has seen, as last seen."""
        return self._by_team.setdefault(team, {})

    def of_agent(self, agent: int) -> dict[Cell, Structure]:
        """Return the structures that an agent has seen, as last seen."""
        return self._by_agent[agent]
