"""Text input: a vibe to search for, a text to say."""

from __future__ import annotations

from dataclasses import dataclass, field

from mettagrid.terminal.keys import Key

__all__ = ["Prompt", "TalkPrompt", "VibePrompt"]


@dataclass
class Prompt:
    """A line of text. `take` returns True when it is finished; then `answer` is the result, or None."""

    title: str
    max_length: int = 60
    text: str = ""
    answer: str | None = None

    def take(self, key: Key) -> bool:
        if key.name == "escape":
            return True
        if key.name == "enter":
            self.answer = self.chosen()
            return True
        if key.name == "backspace":
            self.text = self.text[:-1]
        elif key.is_character:
            self.text += key.name
        elif key.name == "paste":
            self.text += "".join(character for character in key.text.replace("\n", " ") if character.isprintable())
        self.text = self.text[: self.max_length]
        self.changed()
        return False

    def changed(self) -> None:
        """React to a change of the text."""

    def chosen(self) -> str | None:
        return self.text.strip() or None


@dataclass
class TalkPrompt(Prompt):
    """A text to say."""


@dataclass
class VibePrompt(Prompt):
    """A vibe by a part of its name; arrow keys choose among the matches."""

    names: list[str] = field(default_factory=list)
    """all vibes of the game"""
    at: int = 0

    def take(self, key: Key) -> bool:
        if key.name in ("up", "down") and self.hits():
            self.at = (self.at + (1 if key.name == "down" else -1)) % len(self.hits())
            return False
        return super().take(key)

    def changed(self) -> None:
        self.at = 0

    def hits(self) -> list[str]:
        """Return the names that begin with the text first, then those that contain it."""
        needle = self.text.lower().strip()
        matches = [name for name in self.names if needle in name.lower()]
        return sorted(matches, key=lambda name: not name.lower().startswith(needle))

    def chosen(self) -> str | None:
        hits = self.hits()
        return hits[min(self.at, len(hits) - 1)] if hits else None
