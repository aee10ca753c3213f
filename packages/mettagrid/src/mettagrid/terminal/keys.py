"""Parse bytes from a terminal as keys."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

__all__ = ["Key", "KeyParser"]


class Key(NamedTuple):
    """A printable character by itself, or the name of a key: `up`, `enter`, `escape`, `ctrl-l`, `paste` and so on."""

    name: str
    text: str = ""
    """the pasted text"""

    @property
    def is_character(self) -> bool:
        return len(self.name) == 1


_CONTROL = {"\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\x08": "backspace"}
_FINAL = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "backtab", "M": "enter"}
_NUMBERED = {"1": "home", "2": "insert", "3": "delete", "4": "end", "5": "page-up", "6": "page-down"}
_NUMBERED |= {"7": "home", "8": "end"}
_SEQUENCE = re.compile(r"\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e])")
# An incomplete sequence, or an incomplete string that ends with ST or BEL (a terminal's response to a query).
_UNFINISHED = re.compile(r"\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*|O|[\]PX^_][^\x07\x1b]*\x1b?)?\Z")
_ANSWER = re.compile(r"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)")
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_MAX_PASTED = 4096
_MAX_UNFINISHED = 4096


class KeyParser:
    """Buffers incomplete sequences until more bytes arrive, or until `flush`."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._rest = ""
        self._pasted: str | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the buffered bytes may be the start of a sequence; a single Escape key looks the same."""
        return bool(self._rest) or self._pasted is not None

    def feed(self, data: bytes) -> list[Key]:
        """Return the keys that are complete now. Unknown sequences are dropped."""
        text, self._rest = self._rest + self._decoder.decode(data), ""
        keys: list[Key] = []
        while text:
            if self._pasted is not None:
                text = self._take_pasted(text, keys)
                continue
            if text[0] != "\x1b":
                keys += _plain(text[0])
                text = text[1:]
            elif text.startswith(_PASTE_BEGINS):
                self._pasted, text = "", text[len(_PASTE_BEGINS) :]
            elif match := _SEQUENCE.match(text) or _ANSWER.match(text):
                keys += _special(match[0])
                text = text[match.end() :]
            elif len(text) <= _MAX_UNFINISHED and _UNFINISHED.match(text):
                self._rest, text = text, ""
            elif text[1] in "\x1b[O]PX^_":  # interrupted by another sequence
                keys.append(Key("escape"))
                text = text[1:]
            else:  # Alt plus a key arrives as Escape and the key
                keys += [Key(f"alt-{key.name}") for key in _plain(text[1])]
                text = text[2:]
        return keys

    def flush(self) -> list[Key]:
        """End the input: a single Escape becomes the key, any other incomplete sequence is dropped."""
        rest, self._rest = self._rest, ""
        pasted, self._pasted = self._pasted, None
        self._decoder.reset()
        if pasted is not None:
            return [Key("paste", pasted)]
        return [Key("escape")] if rest == "\x1b" else []

    def _take_pasted(self, text: str, keys: list[Key]) -> str:
        """Turn pasted text into one key, however long, so that it is never run as commands."""
        assert self._pasted is not None
        head, ends, tail = text.partition(_PASTE_ENDS)
        if ends:
            keys.append(Key("paste", (self._pasted + head)[:_MAX_PASTED]))
            self._pasted = None
            return tail
        # The end marker may arrive in two parts.
        split = next((n for n in range(len(_PASTE_ENDS) - 1, 0, -1) if text.endswith(_PASTE_ENDS[:n])), 0)
        self._pasted = (self._pasted + text[: len(text) - split])[:_MAX_PASTED]
        self._rest = text[len(text) - split :]
        return ""


def _plain(character: str) -> list[Key]:
    if character in _CONTROL:
        return [Key(_CONTROL[character])]
    if character < " ":
        return [Key(f"ctrl-{chr(ord(character) + 64).lower()}")]
    return [Key(character)] if character.isprintable() else []


def _special(sequence: str) -> list[Key]:
    final, middle = sequence[-1], sequence[2:-1]
    if sequence.startswith("\x1b[") and final == "~":
        name = _NUMBERED.get(middle.split(";")[0])
    elif sequence[1] in "[O" and final in _FINAL and "<" not in middle:
        name = _FINAL[final]
    else:
        name = None
    if name is None:
        return []
    shifted = ";" in middle and middle.split(";")[1].split(":")[0] == "2"
    return [Key(f"shift-{name}" if shifted else name)]
