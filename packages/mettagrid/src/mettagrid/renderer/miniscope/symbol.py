"""Symbols of map cells, two columns wide each."""

from collections.abc import Mapping
from typing import Any

__all__ = ["AGENT_SQUARES", "DEFAULT_SYMBOL_MAP", "get_symbol_for_object"]

DEFAULT_SYMBOL_MAP: dict[str, str] = {
    "wall": "⬜",
    "empty": "· ",
    "block": "📦",
    "agent": "🤖",
    "agent.agent": "🤖",
    "agent.team_1": "🔵",
    "agent.team_2": "🔴",
    "agent.team_3": "🟢",
    "agent.team_4": "🟡",
    "agent.prey": "🐰",
    "agent.predator": "🦁",
    "cursor": "🎯",
    "aoe": "· ",
    "?": "❓",
}
"""Symbols by cell name; a game's `render.symbols` override them."""

AGENT_SQUARES = ["🟦", "🟧", "🟩", "🟨", "🟪", "🟥", "🟫", "⬛", "🟦", "🟧"]
"""Symbols of the agents 0 to 9."""


def get_symbol_for_object(obj: Mapping[str, Any], symbol_map: Mapping[str, str]) -> str:
    """Return the symbol of an object of `grid_objects()`.

    Agents 0 to 9 have a square each; other objects the symbol of their type name, or of the part before its first dot,
    or that of `?`. Raises KeyError for an object without `type_name`.
    """
    if "type_name" not in obj:
        raise KeyError(f"Object missing required 'type_name' field for rendering; it has {sorted(obj)}")
    name: str = obj["type_name"]
    kind = name.partition(".")[0]
    if kind == "agent" and obj.get("agent_id") in range(len(AGENT_SQUARES)):
        return AGENT_SQUARES[obj["agent_id"]]
    unknown = symbol_map.get("?", DEFAULT_SYMBOL_MAP["?"])
    return symbol_map.get(name, symbol_map.get(kind, unknown))
