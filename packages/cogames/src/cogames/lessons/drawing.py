"""Small maps for lessons, drawn with characters, and missions on them."""

from __future__ import annotations

from collections.abc import Mapping

from cogames.lessons.view import Cell
from cogsguard.game.clips import ClipsConfig, ClipsVariant, NoClipsVariant
from cogsguard.game.teams import TeamHubVariant
from cogsguard.maps.canvas import LEGEND
from cogsguard.missions.mission import CvCMission
from mettagrid.config.mettagrid_config import InventoryConfig, MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder

__all__ = ["Drawing", "LessonMission"]

MARKS = "xyz"
OWNED = {"j": "cogs", "J": "clips"}
"""Junctions that a team owns from the start."""
_TEAM = "cogs"


class Drawing:
    """A map as text. Besides the game's own characters, `x`, `y` and `z` mark empty cells, `j` and `J` are junctions
    that cogs and Clips hold from the start."""

    def __init__(self, text: str) -> None:
        self.rows = text.strip().splitlines()

    def cells(self, char: str) -> list[Cell]:
        """Return the cells with a character, row by row."""
        return [(x, y) for y, row in enumerate(self.rows) for x, drawn in enumerate(row) if drawn == char]

    def cell(self, char: str) -> Cell:
        """Return the cell of a character that occurs once."""
        (cell,) = self.cells(char)
        return cell

    def map_data(self) -> list[str]:
        return ["".join("." if char in MARKS else char for char in row) for row in self.rows]


class LessonMission(CvCMission):
    """The game on a drawn map; a team may own junctions from the start."""

    max_steps: int = 2000

    @classmethod
    def draw(
        cls,
        name: str,
        drawing: Drawing,
        *,
        hearts: int | None = None,
        hub: Mapping[str, int] | None = None,
        clips: ClipsConfig | None = None,
    ) -> LessonMission:
        """Return a mission for the drawn cogs. `hearts` and `hub` default to the hub's stock in the rules."""
        cogs = len(drawing.cells("@"))
        owned = {char: f"{team}:junction" for char, team in OWNED.items()}
        builder = AsciiMapBuilder.Config(map_data=drawing.map_data(), char_to_map_name={**LEGEND, **owned})
        store = TeamHubVariant()
        if hub is not None:
            store.initial_inventory = {_TEAM: InventoryConfig(initial=dict(hub))}
        if hearts is not None:
            store.initial_hearts = {_TEAM: hearts}
        enemy = NoClipsVariant() if clips is None else ClipsVariant(clips_config=clips)
        mission = cls(name=name, map_builder=builder, num_cogs=cogs, num_agents=cogs)
        return mission.with_variants([store, enemy])

    def finish_env(self, env: MettaGridConfig) -> None:
        for team in OWNED.values():
            name, tags = f"{team}:junction", [f"team:{team}", f"net:{team}"]
            if not set(tags) <= set(env.game.tags):
                continue
            junction, render = env.game.objects["junction"].model_copy(deep=True), env.game.render
            env.game.objects[name] = junction.model_copy(update={"map_name": name, "tags": [*junction.tags, *tags]})
            render.assets[name] = render.assets["junction"]
