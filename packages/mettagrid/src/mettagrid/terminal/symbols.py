"""The symbols of objects on the map, two columns for each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mettagrid.terminal.cells import character_width, clean, text_width

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import GameConfig

__all__ = ["ASCII", "UNICODE", "Glyphs", "Symbols"]


@dataclass(frozen=True)
class Glyphs:
    """The characters that panels are drawn with."""

    line: str
    upright: str
    full: str
    rest: str
    yes: str
    no: str
    wall: str
    ground: str
    path: str
    goal: str
    bullet: str


UNICODE = Glyphs("─", "│", "█", "░", "✓", "✗", "██", "· ", "• ", "◎ ", "·")
ASCII = Glyphs("-", "|", "#", ".", "+", "x", "##", ". ", "* ", "()", "-")

_KNOWN = {
    "hub": "⭐",
    "junction": "🔋",
    "chest": "📦",
    "heart": "❤",
    "ship": "🚀",
    "carbon_extractor": "⚫",
    "oxygen_extractor": "⚪",
    "germanium_extractor": "🟣",
    "silicon_extractor": "🟠",
    "aligner": "🔗",
    "scrambler": "🌀",
    "miner": "⛏",
    "scout": "🔭",
}
_SQUARES = ("⬛", "⬜", "■", "□", "#")


class Symbols:
    """The symbols of a game: its own, our defaults for common objects, and two letters for the rest."""

    def __init__(self, game: GameConfig, *, unicode: bool) -> None:
        self.glyphs = UNICODE if unicode else ASCII
        given: dict[str, str] = {}
        if unicode:
            for cell, item in game.objects.items():
                known = (cell, item.map_name, item.name)
                symbol = next((game.render.symbols[name] for name in known if name in game.render.symbols), None)
                if symbol is not None:
                    given.setdefault(item.name, symbol)
            given |= {name: game.render.symbols[name] for name in ("agent",) if name in game.render.symbols}
        names = sorted({item.name for item in game.objects.values()})
        self._letters = _letters([name for name in names if name != "wall"]) | {"wall": self.glyphs.wall}
        pictures = {name: given.get(name) or _KNOWN.get(name) for name in names} if unicode else {}
        self._pictures = {name: two_columns(chosen) for name, chosen in pictures.items() if chosen}
        if self._pictures.get("wall", "").strip() in _SQUARES:
            self._pictures["wall"] = self.glyphs.wall
        self._agent = two_columns(given["agent"]) if "agent" in given else None
        self._has_pictures = unicode

    def change(self) -> None:
        """Switch between pictures and letters: not every terminal has the pictures."""
        self._has_pictures = not self._has_pictures

    def of(self, thing: dict[str, Any]) -> str:
        """Return the symbol of an object from `Simulation.grid_objects`."""
        if "agent_id" in thing:
            return self.agent(thing["agent_id"])
        return self.of_type(thing["type_name"])

    def of_type(self, name: str) -> str:
        picture = self._pictures.get(name) if self._has_pictures else None
        return picture or self._letters.get(name, "? ")

    def agent(self, number: int) -> str:
        """Return the symbol of an agent: its number, on the colour of its team."""
        if self._agent is not None and self._has_pictures:
            return self._agent
        return f"{number:2}" if number < 100 else f"{number % 100:02}"


def two_columns(symbol: str) -> str:
    """Fit a symbol to exactly two columns; extra characters are cut."""
    fitted, room = "", 2
    for character in clean(symbol):
        width = character_width(character)
        if width > room or (fitted and not fitted.isascii()):
            break
        fitted, room = fitted + character, room - width
    return fitted + " " * (2 - text_width(fitted)) if fitted else "? "


def _letters(names: list[str]) -> dict[str, str]:
    """Return two letters for each name, distinct as long as the names have enough letters."""
    chosen: dict[str, str] = {}
    for name in names:
        first, *others = [letter for letter in name if letter.isalnum()] or ["?"]
        options = [first.upper() + other for other in others] + [first.upper() + str(digit) for digit in range(10)]
        chosen[name] = next((pair for pair in options if pair not in chosen.values()), f"{first.upper()}?")
    return chosen
