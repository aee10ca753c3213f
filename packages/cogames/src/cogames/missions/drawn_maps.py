"""Maps of missions as drawings, which need no map generator to load."""

import string
from typing import Any

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilderConfig

__all__ = ["draw_map", "published_document"]

_FIXED = {"wall": "#", "empty": ".", "agent.agent": "@"}  # every legend has these
_SYMBOLS = string.ascii_letters + string.digits + "!$%&()*+,-/:;<=>?[]^_{|}~"


def draw_map(env: MettaGridConfig) -> AsciiMapBuilderConfig:
    """Build the map of an environment and return it as a drawing, one symbol for each kind of cell.

    A builder with a seed gives the same drawing every time; one without a seed gives another each time.
    """
    grid = env.game.map_builder.create().build_for_num_agents(env.game.num_agents).grid
    names = sorted({str(name) for name in grid.flat} - _FIXED.keys())
    symbols = _FIXED | dict(zip(names, _symbols(len(names)), strict=True))
    rows = [[symbols[str(name)] for name in row] for row in grid]
    return AsciiMapBuilderConfig(map_data=rows, char_to_map_name={symbol: name for name, symbol in symbols.items()})


def published_document(env: MettaGridConfig) -> dict[str, Any]:
    """Return the environment as a document that the published mettagrid 0.26 loads, with its map drawn.

    Our rules and map generators have parts that package does not know; see `MettaGridConfig.to_published`.
    """
    game = env.game.model_copy(update={"map_builder": draw_map(env)})
    document = env.model_copy(update={"game": game}).to_published()
    builder = document["game"]["map_builder"]
    builder["map_data"] = ["".join(row) for row in builder["map_data"]]
    return document


def _symbols(count: int) -> str:
    more = "".join(map(chr, range(0x100, 0x100 + max(0, count - len(_SYMBOLS)))))  # Latin letters, one cell each
    return (_SYMBOLS + more)[:count]
