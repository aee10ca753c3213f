"""The map as text, one symbol per cell, two columns wide."""

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mettagrid_c import MettaGrid

EMPTY, WALL, AGENT, UNKNOWN = "· ", "⬜", "🤖", "❓"
FIRST_AGENTS = "🟦🟧🟩🟨🟪🟥🟫⬛🟦🟧"


def map_text(world: MettaGrid, config: MettaGridConfig) -> str:
    """Return one line per row. `game.render.symbols` defines the symbols; agents 0 to 9 are coloured squares."""
    symbols = {"empty": EMPTY, "wall": WALL, "agent": AGENT} | config.game.render.symbols
    rows = [[symbols["empty"]] * world.map_width for _ in range(world.map_height)]
    for item in world.grid_objects().values():
        agent = item.get("agent_id", len(FIRST_AGENTS))
        is_marked = agent < len(FIRST_AGENTS)
        symbol = FIRST_AGENTS[agent] if is_marked else symbols.get(item["type_name"], UNKNOWN)
        rows[item["r"]][item["c"]] = symbol
    return "\n".join("".join(row) for row in rows)
