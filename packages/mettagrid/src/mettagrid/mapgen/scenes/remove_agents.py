"""Remove agents from the map."""

import numpy as np

from mettagrid.mapgen.scene import Scene, SceneConfig


class RemoveAgentsConfig(SceneConfig):
    """No parameters."""


class RemoveAgents(Scene[RemoveAgentsConfig]):
    """Empties all cells with agents."""

    def render(self) -> None:
        self.grid[np.char.startswith(self.grid, "agent")] = "empty"
